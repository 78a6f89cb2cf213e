#!/usr/bin/env bash
# Tests the dbt package in dbt/ with dbt and its adapter from the Python package registry, in a database of its own on
# the server of PGHOST and PGPORT, which has the extension: deps, seed, run, test, docs generate, and what the macros
# print. A dbt that cannot be had is a skipped test; with CI set it is a failure where it could have been installed.
#   test_dbt.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh
# shellcheck source=scripts/apt.sh
source scripts/apt.sh

requirements=dbt/integration_tests/requirements.txt
: "${PGHOST:?is not set: scripts/test_dbt.sh needs a server with the extension}"

# Prints what the tests need and this machine does not have, and ends.
skip() {
  if [ -n "${CI:-}" ] && can_install; then fail "the tests of the dbt package need $1"; fi
  say "skipped: dbt/package needs $1"
  exit 0
}

# Makes a Python environment with what requirements.txt pins. It is kept: its name says for which versions it is.
make_python() {
  local made
  command -v python3 >/dev/null || apt_try python3
  command -v python3 >/dev/null || skip "Python"
  environment=$registry_dir/dbt-$({ cat "$requirements" && python3 --version; } | cksum | cut -d' ' -f1)
  if "$environment/bin/python" -c 'import dbt.adapters.postgres' 2>/dev/null; then return; fi
  (make_registry_dir 400) || skip "400 MB in $registry_dir"
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then apt_try python3-venv; fi
  made=$(mktemp -d "$registry_dir/.new.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$made'" EXIT
  say "fetching dbt"
  if ! quietly python3 -m venv "$made/dbt"; then skip "Python's module venv"; fi
  quietly "$made/dbt/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-input \
    --require-hashes --only-binary :all: --requirement "$requirements" ||
    skip "dbt, which could not be fetched from the package registry"
  # Another run may have been faster.
  mv -T "$made/dbt" "$environment" 2>/dev/null || [ -d "$environment" ] || fail "could not move $made/dbt to $environment"
  rm -rf "$made"
  trap - EXIT
}

clean_up() {
  local status=$?
  trap - EXIT INT TERM
  PGUSER=$superuser psql_quietly postgres -c "DROP DATABASE IF EXISTS $PGDATABASE" -c "DROP ROLE IF EXISTS $PGDATABASE" || true
  rm -rf "$work"
  exit "$status"
}
psql_quietly() { "$bindir/psql" -qXAt -v ON_ERROR_STOP=1 -d "$@" 2>/dev/null; }
value() { psql_quietly "$PGDATABASE" -c "$1"; }
# Not by its program, which names the place where the environment was made.
main='from dbt.cli.main import cli; cli()'
run_dbt() { (cd "$work/dbt/integration_tests" && "$environment/bin/python" -c "$main" --no-use-colors "$@" </dev/null 2>&1); }

failures=0
# check NAME EXPECTED FOUND
check() {
  if [ "$2" = "$3" ]; then say "ok - $1"; else
    failures=$((failures + 1))
    say "not ok - $1: expected '$2', found '$3'"
  fi
}
# contains NAME PART TEXT
contains() {
  if [[ $3 == *"$2"* ]]; then say "ok - $1"; else
    failures=$((failures + 1))
    say "not ok - $1: '$2' is not in:"
    printf '%s\n' "$3"
  fi
}
# command_ok NAME DBT-ARGUMENT…
command_ok() {
  local name=$1 output
  shift
  if output=$(run_dbt "$@"); then say "ok - $name"; else
    failures=$((failures + 1))
    say "not ok - $name"
    printf '%s\n' "$output" | tail -n 40
  fi
}

make_python
require_pg_config
superuser=${PGUSER:-postgres}
PGDATABASE=dbt_package_$$
work=$(mktemp -d)
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp -r dbt "$work/dbt"
rm -rf "$work"/dbt/integration_tests/{target,logs,dbt_packages}
psql_quietly postgres -c "CREATE DATABASE $PGDATABASE" -c "CREATE ROLE $PGDATABASE LOGIN" \
  -c "GRANT CREATE ON DATABASE $PGDATABASE TO $PGDATABASE"
psql_quietly "$PGDATABASE" -c "CREATE EXTENSION pg_text2sql CASCADE" \
  -c "SELECT text2sql.grant_access('$PGDATABASE'), text2sql.grant_access('$PGDATABASE', 'curator')" >/dev/null
export PGDATABASE PGUSER=$PGDATABASE
export DBT_SEND_ANONYMOUS_USAGE_STATS=false DBT_PROFILES_DIR=. PYTHONDONTWRITEBYTECODE=1
questions="SELECT count(*) FROM text2sql.history"

command_ok "dbt deps" deps
command_ok "dbt parse" parse
check "parsing asks nothing" 0 "$(value "$questions")"
command_ok "dbt seed" seed
command_ok "dbt compile" compile
check "compiling asks nothing" 0 "$(value "$questions")"

contains "texts are taken apart, and put together" "all texts are right" "$(run_dbt --quiet run-operation check_template)"

# Answers are pinned as a user does it: what is printed is a model.
question='How many orders by status?'
run_dbt --quiet run-operation text2sql.pin --args "{question: '$question', materialized: table}" \
  >"$work/dbt/integration_tests/models/orders_by_status.sql"
pinned=$(cat "$work/dbt/integration_tests/models/orders_by_status.sql")
contains "a pinned answer reads ref()" '{{ ref("orders") }}' "$pinned"
contains "a pinned answer has its question" "\"question\": \"$question\"" "$pinned"
cat >"$work/dbt/integration_tests/models/pinned.yml" <<'YAML'
models:
  - name: orders_by_status
    data_tests: [text2sql.guarded, text2sql.same_answer, text2sql.verified]
  - name: changed
    data_tests: [text2sql.same_answer]
YAML
# Somebody changed this one.
printf '%s\n' "{{ config(meta={'text2sql': {'question': 'How many orders are there?', 'fingerprint': 'x'}}) }}" \
  "select count(*) as orders from {{ ref('orders') }} where status <> 'returned' -- {% raw %}{{ }}{% endraw %}" \
  >"$work/dbt/integration_tests/models/changed.sql"
value "SET search_path = shop; SELECT text2sql.accept('example', text2sql.add_example('$question', (SELECT text2sql.to_sql('$question'))))" >/dev/null

command_ok "dbt run" run
check "a pinned model is built" "paid|2" "$(value "SELECT * FROM shop.orders_by_status ORDER BY 1 LIMIT 1")"
check "a live model is built" 4 "$(value "SELECT * FROM shop.live_orders")"
check "live rows are read" 4 "$(value "SELECT * FROM shop.live_rows")"
output=$(run_dbt test --exclude tag:expected_to_fail) || { failures=$((failures + 1)) && say "not ok - dbt test" && printf '%s\n' "$output"; }
contains "same_answer warns of the changed model only" "WARN=1 ERROR=0" "$output"
contains "the warning is that of the changed model" "WARN 2 text2sql_same_answer_changed" "$output"
contains "a changed model is noticed" "changed was changed after it was pinned" "$output"
output=$(run_dbt test --select tag:expected_to_fail) && { failures=$((failures + 1)) && say "not ok - guarded finds a comparison with NULL"; }
contains "guarded finds a comparison with NULL" "FAIL 1 text2sql_guarded_joined_badly" "$output"
value "SELECT text2sql.forget('example', id) FROM text2sql.examples" >/dev/null
output=$(run_dbt test --select orders_by_status) && { failures=$((failures + 1)) && say "not ok - verified needs an example"; }
contains "verified needs an example" "FAIL 1 text2sql_verified_orders_by_status" "$output"

# What the project declares is known, and not written again.
check "accepted values" '{"paid": "paid", "sent": "sent", "returned": "returned"}' \
  "$(value "SELECT value_meanings FROM text2sql.descriptions WHERE object = 'shop.orders.status'")"
check "a relationship is a join" "{shop.orders.customer_id}|{shop.customers.id}|accepted|a relationship in the dbt project, to a column that it says is unique" \
  "$(value "SELECT column_names, target_column_names, status, evidence FROM text2sql.joins WHERE status = 'accepted'")"
check "personal data is private" "private" \
  "$(value "SELECT text2sql._protection('shop.customers'::regclass, 3::smallint)")"
check "metrics are definitions" "Number paid|Takings|Takings each|Takings so far" \
  "$(value "SELECT string_agg(term, '|' ORDER BY term COLLATE \"C\") FROM text2sql.definitions")"
output=$(run_dbt run --select paid_orders)
contains "the second import writes nothing" "imported this project: 17 known" "$output"
check "the second import takes nothing" "" "$(grep -o '[0-9]* taken' <<<"$output" || true)"
output=$(run_dbt --quiet run-operation text2sql.exposure \
  --args "{name: weekly_question, question: '$question', owner: someone@example.com}")
contains "an exposure depends on what the question reads" "      - ref(\"orders\")" "$output"
command_ok "an exposure is part of a project" parse
# On the search path, too, a source is written as one.
PGUSER=$superuser psql_quietly "$PGDATABASE" -c "CREATE TABLE public.parcels (parcel_id int PRIMARY KEY, size text)" \
  -c "GRANT SELECT ON public.parcels TO $PGUSER"
cat >"$work/dbt/integration_tests/models/sources.yml" <<'YAML'
sources:
  - name: web
    schema: public
    tables: [{name: parcels}]
YAML
contains "a source in public is written with source()" '{{ source("web", "parcels") }}' \
  "$(run_dbt --quiet run-operation text2sql.pin --args "{question: 'How many parcels by size?'}")"
output=$(run_dbt --quiet run-operation text2sql.pin --args "{question: 'Delete all orders'}") || true
contains "a declined question is not pinned" "this asks to change data" "$output"

asked=$(value "$questions")
command_ok "dbt docs generate" docs generate
check "a pinned model has lineage" seed.text2sql_integration_tests.orders "$("$environment/bin/python" -c '
import json, sys
nodes = json.load(open(sys.argv[1]))["nodes"]
print(*nodes["model.text2sql_integration_tests.orders_by_status"]["depends_on"]["nodes"])' \
  "$work/dbt/integration_tests/target/manifest.json")"
check "writing the documentation asks nothing" "$asked" "$(value "$questions")"
[ "$failures" = 0 ]
