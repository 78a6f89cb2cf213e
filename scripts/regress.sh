#!/usr/bin/env bash
# Runs the SQL tests of tests/pg_regress with pg_regress, each file of sql/ in turn, setup.sql first.
# Against the server of PGHOST or PGPORT if one of them is set, else against a cluster of its own.
#   regress.sh                          compares with expected/
#   UPDATE_EXPECT=1 regress.sh          writes the results to expected/: read the difference before committing
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
make_state_dir
output=$state/regress
cluster=
clean_up() {
  if [ -n "$cluster" ]; then scripts/cluster.sh remove "$cluster"; fi
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT TERM

if [ -z "${PGHOST:-}${PGPORT:-}" ]; then
  [ -f "$("$pg_config" --sharedir)/extension/$extension.control" ] ||
    fail "the extension is not installed in $("$pg_config" --sharedir)" "run: make install"
  cluster=regress_cluster
  scripts/cluster.sh remove "$cluster"
  scripts/cluster.sh start "$cluster"
  eval "$(scripts/cluster.sh env "$cluster")"
fi

tests=(setup)
for file in tests/pg_regress/sql/*.sql; do
  test=$(basename "$file" .sql)
  [ "$test" = setup ] || tests+=("$test")
done

rm -rf "$output"
mkdir -p "$output"
if [ -n "${UPDATE_EXPECT:-}" ]; then
  # pg_regress stops at a test that has no expected file.
  for test in "${tests[@]}"; do touch "tests/pg_regress/expected/$test.out"; done
fi
connection=()
[ -z "${PGHOST:-}" ] || connection+=("--host=$PGHOST")
[ -z "${PGPORT:-}" ] || connection+=("--port=$PGPORT")
[ -z "${PGUSER:-}" ] || connection+=("--user=$PGUSER")
status=0
"$(dirname "$("$pg_config" --pgxs)")/../test/regress/pg_regress" "${connection[@]}" \
  --bindir="$bindir" --inputdir="$project/tests/pg_regress" --outputdir="$output" \
  --dbname=text2sql_regress --encoding=UTF8 "${tests[@]}" || status=$?

if [ -n "${UPDATE_EXPECT:-}" ]; then
  for test in "${tests[@]}"; do
    cmp -s "$output/results/$test.out" "tests/pg_regress/expected/$test.out" && continue
    cp "$output/results/$test.out" tests/pg_regress/expected/
    say "wrote tests/pg_regress/expected/$test.out"
  done
elif [ "$status" != 0 ]; then
  # The whole diff, because a log may be all that is available of a continuous integration run.
  cat "$output/regression.diffs" 2>/dev/null || true
  exit "$status"
fi
rm -rf "$output"
