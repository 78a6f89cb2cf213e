#!/usr/bin/env bash
# Loads the demo company and the extension into a new database `demo` of the server selected by PGHOST, PGPORT
# and PGUSER (a superuser).
#   load_demo.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
[ -f demo/schema.sql ] || fail "there is no demo/schema.sql"
export PGOPTIONS='-c client_min_messages=warning'
load() { "$bindir/psql" -X -q -v ON_ERROR_STOP=1 "$@" >/dev/null; }

load -d postgres -c "CREATE DATABASE demo TEMPLATE template0 ENCODING 'UTF8'"
for part in schema data texts roles; do load -d demo -f "demo/$part.sql"; done
load -d demo -c "ANALYZE"
load -d demo -c "CREATE EXTENSION pg_text2sql CASCADE"
load -d demo -f demo/knowledge.sql
load -d demo -f demo/documents.sql
load -d demo -c "SELECT text2sql.grant_access('demo_analyst')"
load -d demo -c "SELECT text2sql.grant_access('demo_analyst', 'evaluation')"
# The suite's cases are checked with the privileges of the role that asks.
PGUSER=demo_analyst load -d demo -v cases="$(cat demo/suite.jsonl)" -f demo/suite.sql

# A background worker builds the search index meanwhile. Questions work without it, but the first ones would find less.
is_built="SELECT count(*) FILTER (WHERE item = 'index maintenance' AND value ~ 'last|off') = 1
    AND count(*) FILTER (WHERE item = 'waiting for the index' OR item = 'changed tables' AND value <> '0') = 0
  FROM text2sql.status()"
for ((attempt = 0; attempt < 300; attempt++)); do
  if [ "$("$bindir/psql" -X -At -d demo -c "$is_built")" = t ]; then break; fi
  sleep 0.1
done
