#!/usr/bin/env bash
# The long test of the guard, in a copy of the PostgreSQL installation and a cluster of its own: 100,000
# generated statements, those of sqlsmith, PostgreSQL's regression suite, 1,000 interrupts, and all hostile
# texts for all functions; then two minutes of catalog changes on a primary and a standby, and 5,000 questions
# of one session during catalog changes; then 10,000 cancels by text2sql-server. A debug build, so that assertions and
# overflow checks are on.
#   guard_proof.sh [STATEMENTS]
#   guard_proof.sh short            some minutes: 2,000 generated statements, and what `make test` does of the rest
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

statements=${1:-100000} is_short=no
if [ "$statements" = short ]; then statements=2000 is_short=yes; fi
case $statements in '' | *[!0-9]*) fail "usage: guard_proof.sh [STATEMENTS|short]" ;; esac
scripts/setup.sh
forget_callers_server
exec 9<scripts/guard_proof.sh
flock 9

clean_up() {
  scripts/cluster.sh remove proof || true
  rm -rf "${state:?}/proof_server"
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT TERM
scripts/cluster.sh remove proof
PG_CONFIG=$(scripts/server_copy.sh proof_server)
export PG_CONFIG
scripts/build.sh debug
scripts/install.sh debug >/dev/null
debug_build --bin guard_proof
scripts/cluster.sh start proof 9<&-
eval "$(scripts/cluster.sh env proof)"
# Only the statements under test may change anything.
"$bindir/psql" -XqAt -d postgres -c "ALTER SYSTEM SET autovacuum = off" -c "SELECT pg_reload_conf()" >/dev/null

status=0
prove() { target/debug/guard_proof "$@" --alone 9<&- || status=1; }
prove generated --statements "$statements" --seed "$(date +%Y%m%d)"
if command -v sqlsmith >/dev/null; then
  prove sqlsmith --statements $((statements / 10)) --seed "$(date +%Y%m%d)"
else
  say "skipped: the statements of sqlsmith, which is not installed"
fi
if [ -d ../shared ]; then TEXT2SQL_SHARED=$(cd ../shared && pwd -P) && export TEXT2SQL_SHARED; fi
if [ "$is_short" = yes ]; then
  cargo test -q "${everything[@]}" --test guard -- protection:: visibility:: limits:: hostile:: 9<&- || status=1
  cargo test -q "${everything[@]}" --test cluster -- interrupts:: 9<&- || status=1
else
  suite_status=0
  suite=$(scripts/regression_suite.sh) || suite_status=$?
  case $suite_status in
    0) prove regression "$suite" ;;
    3) say "skipped: the regression suite of PostgreSQL $postgres_major, whose source Debian's archive does not have" ;;
    *) status=1 ;;
  esac
  TEXT2SQL_INTERRUPTS=1000 cargo test -q "${everything[@]}" --test cluster -- interrupts:: --nocapture 9<&- || status=1
  TEXT2SQL_HOSTILE=all cargo test -q "${everything[@]}" --test guard -- hostile:: --nocapture 9<&- || status=1
  TEXT2SQL_STORM=120 cargo test -q "${everything[@]}" --test cluster -- storm:: --nocapture 9<&- || status=1
  cargo test -q "${everything[@]}" --test cluster -- queue:: shortage:: --ignored --nocapture 9<&- || status=1
  scripts/text2sql_server.sh build debug
  TEXT2SQL_CANCEL_ROUNDS=10000 cargo test -q "${everything[@]}" --test web -- streams::a_cancel_hits --nocapture 9<&- || status=1
  TEXT2SQL_CHURN=5000 cargo test -q "${everything[@]}" --test cluster -- churn:: --nocapture 9<&- || status=1
fi
[ "$status" = 0 ] || fail "the guard's proof failed: see the findings above"
