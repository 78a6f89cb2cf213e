#!/usr/bin/env bash
# Runs the examples of README.md and docs/*.md, page by page, each in a copy of the demo database of its own,
# first as demo_analyst.
#   ```sql       must run without an error
#   ```console   a session of psql: the output of each statement after a prompt (demo=>) is compared. A line … stands
#                for any number of lines, … in a line for any text. Functions that return text to read (show, explain …) run
#                without psql's frame (\t \a); the empty row of a function that returns nothing is omitted.
# A line before a block changes how it is processed: <!-- not run: REASON -->, <!-- file: NAME --> (the block is the
# content of a file that the examples read).
#   UPDATE_EXPECT=1 examples.sh [PAGE…]     writes what the server printed into the pages
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

pages=("$@")
[ ${#pages[@]} -gt 0 ] || mapfile -t pages < <(ls README.md docs/*.md)
database=text2sql_examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
roles() { query -d postgres -c "SELECT rolname FROM pg_roles ORDER BY 1"; }
before=$(roles)
clean_up_database() {
  local role
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database"
  comm -13 <(LC_ALL=C sort <<<"$before") <(roles | LC_ALL=C sort) | while IFS= read -r role; do
    query -d postgres -c "DROP ROLE \"$role\""
  done
}

for page in "${pages[@]}"; do
  name=$(basename "$page" .md)
  rm -rf "${work:?}"/*
  awk -v work="$work" -f tests/docs/statements.awk "$page" >"$work/.script"
  if ! grep -qE '^.echo @@ [0-9]' "$work/.script"; then continue; fi
  clean_up_database
  query -d postgres -c "CREATE DATABASE $database TEMPLATE demo"
  (cd "$work" && PGUSER=demo_analyst "$bindir/psql" -X -d "$database" <.script >.printed 2>&1) || true
  sed -i "s/database \"$database\"/database \"demo\"/" "$work/.printed"
  errors=$work/.errors
  awk -v errors="$errors" -f tests/docs/printed.awk "$work/.printed" "$page" >"$work/.page"
  touch "$errors"
  if [ -n "${UPDATE_EXPECT:-}" ] && ! cmp -s "$page" "$work/.page"; then
    cat "$work/.page" >"$page"
    say "wrote $page"
  fi
  expected=$(cat "$page") actual=$(cat "$work/.page")
  same "$name: sessions print what the page shows (else run: UPDATE_EXPECT=1 tests/docs/examples.sh $page)" "$expected" "$actual"
  found=$(cat "$errors")
  same "$name: statements run" "" "$found"
done
clean_up_database
exit "$failures"
