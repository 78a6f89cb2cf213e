#!/usr/bin/env bash
# Generates the reference of functions, views and settings from the catalog of a database with the extension:
# comments, pg_get_function_arguments() and pg_settings. `make reference`.
# On the server of PGHOST or PGPORT if one of them is set, else on a cluster of its own.
#   reference.sh [DIRECTORY]     docs/reference if none is given
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

directory=${1:-docs/reference}
database=text2sql_reference
cluster=
require_pg_config
query() { "$bindir/psql" -X -At -q -v ON_ERROR_STOP=1 "$@"; }
clean_up() {
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" || true
  if [ -n "$cluster" ]; then scripts/cluster.sh remove "$cluster"; fi
}

if [ -z "${PGHOST:-}${PGPORT:-}" ]; then
  [ -f "$("$pg_config" --sharedir)/extension/$extension.control" ] ||
    fail "the extension is not installed in $("$pg_config" --sharedir)" "run: make install"
  cluster=reference_cluster
  scripts/cluster.sh start "$cluster"
  eval "$(scripts/cluster.sh env "$cluster")"
fi
trap clean_up EXIT
trap 'exit 130' INT TERM

# Names are sorted in the same way everywhere.
query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" \
  -c "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE"
mkdir -p "$directory"
for page in functions views settings; do
  query -d "$database" -f "scripts/reference/$page.sql" >"$directory/$page.md"
done
