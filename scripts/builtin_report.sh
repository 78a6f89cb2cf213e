#!/usr/bin/env bash
# Evaluates the built-in engine and writes docs/reference/builtin.md: practice questions, German and unanswerable ones,
# examples over the demo company. The extension is not installed for it.
#   TEXT2SQL_SHARED=FOLDER builtin_report.sh     FOLDER/data/load.sh loads the practice databases
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

data=${TEXT2SQL_SHARED:-../shared}/data
[ -x "$data/load.sh" ] || fail "there is no $data/load.sh" "TEXT2SQL_SHARED names the folder with the practice databases"
data=$(cd "$data" && pwd)
require_pg_config
forget_callers_server

clean_up() { scripts/cluster.sh remove builtin_report || true; }
trap clean_up EXIT
trap 'exit 130' INT TERM
scripts/cluster.sh start builtin_report
eval "$(scripts/cluster.sh env builtin_report)"
"$data/load.sh" practice >/dev/null
export PGOPTIONS='-c client_min_messages=warning'
load() { "$bindir/psql" -X -q -v ON_ERROR_STOP=1 "$@" >/dev/null; }
load -d postgres -c "CREATE DATABASE demo TEMPLATE template0 ENCODING 'UTF8'"
for part in schema data; do load -d demo -f "demo/$part.sql"; done
load -d demo -c ANALYZE
cargo run --quiet "${research[@]}" -p builtin_practice -- report "$data/practice/questions.jsonl"
