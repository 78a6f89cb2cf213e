#!/usr/bin/env bash
# Benchmarks with a release build, in a copy of the PostgreSQL installation and a cluster of its own that holds
# the demo database.
#   bench.sh bench    the time a question takes
#   bench.sh soak     memory and time over very many questions
#   bench.sh warehouse    planner costs and times on a table of ten million rows
#   bench.sh index    the search index in catalogs of up to 10,000 tables
#   bench.sh texts    100,000 passages of documents and text columns, and a file of a million rows
#   bench.sh load [SECONDS]    text2sql-server with 1,000 idle and 200 slow connections, 50 questions a second and a
#                              restart of the database: 300 seconds
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

case ${1:-} in
  bench) arguments=() ;;
  soak) arguments=(soak) ;;
  warehouse) arguments=(warehouse) ;;
  index) arguments=(index) ;;
  texts) arguments=(texts) ;;
  load) arguments=("${2:-300}") ;;
  *) fail "usage: bench.sh bench|soak|warehouse|index|texts, or load [SECONDS]" ;;
esac
[ -d research/text2sql_bench ] || fail "there is no research/text2sql_bench"
scripts/setup.sh
forget_callers_server
exec 9<scripts/bench.sh
flock 9 # two measurements at once would measure each other

clean_up() {
  scripts/cluster.sh remove bench || true
  rm -rf "${state:?}/bench_server"
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT TERM
scripts/cluster.sh remove bench
PG_CONFIG=$(scripts/server_copy.sh bench_server)
export PG_CONFIG
scripts/build.sh
scripts/install.sh >/dev/null
if [ "$1" = load ]; then
  cargo test "${everything[@]}" --test cluster --no-run
else
  cargo_release build "${research[@]}" --release -p text2sql_bench
fi
scripts/cluster.sh start bench 9<&-
eval "$(scripts/cluster.sh env bench)"
case $1 in
  index | texts)
    # An index of a gigabyte does not fit into the default of 128 MB, as no database of that size would be left with it.
    "$("$PG_CONFIG" --bindir)/psql" -X -q -d postgres -c "ALTER SYSTEM SET shared_buffers = '2GB'"
    scripts/cluster.sh stop bench
    scripts/cluster.sh start bench 9<&-
    eval "$(scripts/cluster.sh env bench)"
    ;;
esac
if [ "$1" = load ]; then
  TEXT2SQL_LOAD=${arguments[0]} TEXT2SQL_PROGRAMS=$(realpath "${CARGO_TARGET_DIR:-target}/release") \
    cargo test -q "${everything[@]}" --test cluster -- under_load:: --nocapture 9<&-
  exit
fi
scripts/load_demo.sh
"${CARGO_TARGET_DIR:-target}/release/text2sql_bench" "${arguments[@]}" 9<&-
