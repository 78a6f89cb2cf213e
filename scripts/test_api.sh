#!/usr/bin/env bash
# Sends text2sql-server what a fuzzing client (schemathesis, from the Python package registry) makes of its own
# description: right and wrong values for everything that every route takes, as an analyst and as a curator. No answer
# may be a fault of the server (5xx). The database server is that of PGHOST and PGPORT, with a database `demo` to copy;
# without PGHOST one is started, and removed at the end.
#   test_api.sh          values at the edges of what is described, some twenty seconds
#   test_api.sh soak     a thousand random requests for each route besides, and as a superuser
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/client_tests.sh
source scripts/client_tests.sh

case ${1:-short} in
  short) effort=(--phases coverage) roles=(analyst curator) ;;
  soak) effort=(--phases 'coverage,fuzzing' --max-examples 1000) roles=(analyst curator admin) ;;
  *) fail "usage: test_api.sh [soak]" ;;
esac
make_python api/fuzzing api tests/api/requirements.txt "schemathesis"
scripts/text2sql_server.sh build debug
require_pg_config
if [ -z "${PGHOST:-}" ]; then start_server api_tests; fi

name=api_$$
password=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
work=$(mktemp -d)
run_sql() { "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d "$1" >/dev/null; }
clean_up() {
  [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
  run_sql postgres <<<"SET client_min_messages = error; DROP DATABASE IF EXISTS $name WITH (FORCE);
    DROP ROLE IF EXISTS ${name}_analyst, ${name}_curator, ${name}_admin;" || true
  rm -rf "$work"
}
before=$(trap -p EXIT | sed -E "s/^trap -- '(.*)' EXIT\$/\1/; s/'\\\\''/'/g")
trap 'clean_up; eval "$before"' EXIT

run_sql postgres <<<"CREATE DATABASE $name TEMPLATE demo;"
run_sql "$name" <<SQL
SET client_min_messages = warning;
ALTER DATABASE $name SET text2sql.maintenance_interval = 0;
CREATE ROLE ${name}_analyst LOGIN PASSWORD '$password' IN ROLE demo_analyst;
CREATE ROLE ${name}_curator LOGIN PASSWORD '$password' IN ROLE demo_analyst;
CREATE ROLE ${name}_admin LOGIN SUPERUSER PASSWORD '$password';
SELECT text2sql.grant_access('${name}_curator', 'curator'), text2sql.grant_access('${name}_curator', 'approver');
SQL
# It is read before the program in the background may have opened it.
: >"$work/log"
env -u PGHOST -u PGPORT -u PGUSER "${CARGO_TARGET_DIR:-target}/debug/$server_program" serve --listen 127.0.0.1:0 \
  --database "host=127.0.0.1 port=$PGPORT dbname=$name" 2>"$work/log" &
server=$!
for ((attempt = 0; attempt < 100; attempt++)); do
  address=$(sed -n 's/.*listening on //p' "$work/log")
  if [ -n "$address" ]; then break; fi
  sleep 0.1
done
[ -n "$address" ] || { cat "$work/log" && fail "$server_program did not start"; }

status=0
for role in "${roles[@]}"; do
  # It writes what it would replay into its directory.
  if (cd "$work" && "$python" -m schemathesis.cli run "$address/api/v1/openapi.json" --auth "${name}_$role:$password" \
    --checks not_a_server_error --request-timeout 60 --no-color "${effort[@]}" >"$work/$role" 2>&1); then
    say "ok - api: no fault of the server in $(sed -n 's/^  \([0-9]*\) generated.*/\1/p' "$work/$role") requests of the $role"
  else
    cat "$work/$role"
    say "not ok - api: no fault of the server in the requests of the $role"
    grep -E "status=5|failed at" "$work/log" | tail -n 20 || true
    status=1
  fi
done
exit "$status"
