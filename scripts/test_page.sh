#!/usr/bin/env bash
# Tests the page in a real Chromium (Debian's headless shell), driven by Playwright of the Python package registry, against
# text2sql-server and the demo database. tests/page/README.md explains the tests. The database server is that of
# PGHOST and PGPORT, with a database `demo` to copy; without PGHOST one is started, and removed at the end.
#   test_page.sh [PYTEST-ARGUMENT…]      for example: test_page.sh test_chart.py -k downloads
#   test_page.sh screenshots [NAME…]     writes docs/images
# A missing browser is a skipped test. With CI set it is a failure where it could have been installed.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/client_tests.sh
source scripts/client_tests.sh

# The shell without windows needs less than half the processor time.
preferred=chromium-headless-shell
find_chromium() {
  local candidate
  for candidate in "${TEXT2SQL_CHROMIUM:-}" "$@"; do
    if [ -n "$candidate" ] && chromium=$(command -v "$candidate"); then return; fi
  done
  return 1
}

if ! find_chromium "$preferred"; then
  apt_try "$preferred"
  others=("$preferred" chromium chromium-browser google-chrome)
  find_chromium "${others[@]}" || apt_try chromium
  find_chromium "${others[@]}" || skip page/chromium "Chromium (Debian's package $preferred)"
fi
make_python page/chromium page tests/page/requirements.txt Playwright
debug_build --bin text2sql-server --bin model_double
require_pg_config
if [ -z "${PGHOST:-}" ]; then start_server page_tests; fi

TEXT2SQL_CHROMIUM=$chromium
TEXT2SQL_PROGRAMS=$(realpath "${CARGO_TARGET_DIR:-target}/debug")
TEXT2SQL_PSQL=$bindir/psql
export TEXT2SQL_CHROMIUM TEXT2SQL_PROGRAMS TEXT2SQL_PSQL PYTHONDONTWRITEBYTECODE=1
case ${1:-} in
  screenshots)
    shift
    "$python" tests/page/screenshots.py "$@"
    ;;
  # Two at a time: mostly, a test waits. Each has a database, a server and a browser of its own.
  *) (cd tests/page && "$python" -m pytest -p no:cacheprovider --numprocesses 2 --dist loadfile "$@") ;;
esac
