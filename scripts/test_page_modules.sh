#!/usr/bin/env bash
# Tests the modules of the page that need no browser (tests/page/unit), with the test runner of Node.
#   test_page_modules.sh [NODE-ARGUMENT…]
# Node is a skipped test where it is missing: nothing but these tests needs it.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

if ! node --eval 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' 2>/dev/null; then
  say "skipped: page/modules needs Node 20.19 or later"
  exit 0
fi

# The lines that scripts/stages.sh counts.
node --test --test-reporter=tap "$@" tests/page/unit/*.mjs | sed -E 's/^(ok|not ok) [0-9]+ - /\1 - page: /'
