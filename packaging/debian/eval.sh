#!/usr/bin/env bash
# Makes the Debian package of the program text2sql_eval, text2sql-eval. Prints the file's name.
#   eval.sh                       from target/release to target/packages
#   eval.sh PROGRAM DIRECTORY
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"
# shellcheck source=packaging/debian/program.sh
source packaging/debian/program.sh

built=${1:-${CARGO_TARGET_DIR:-target}/release/text2sql_eval}
[ -x "$built" ] || fail "$built is not built" "run: scripts/eval_program.sh build"
begin_program text2sql-eval "$built" "${2:-target/packages}"
install -m 644 docs/evaluation.md docs/benchmarks.md "$documents/"
install -D -m 644 docs/reference/evaluation.md "$documents/reference/evaluation.md"
packaging/third_party_licences.sh text2sql_eval research/Cargo.toml | gzip -9n >"$documents/third_party_licences.gz"
end_program <<TEXT
Description: evaluates questions to a database with pg_text2sql
 Runs suites of questions and expected answers over several connections,
 compares evaluations, writes reports for people and for continuous
 integration, and imports published benchmarks.
 .
 The database needs the extension pg_text2sql, and may be on another machine.
TEXT
