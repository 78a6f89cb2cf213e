#!/usr/bin/env bash
# Asks the questions of a suite of pg_text2sql, LangChain, LlamaIndex and Vanna with one model, grades what they write
# with the grader of pg_text2sql, and prints a table: docs/benchmarks.md.
#   comparison.sh --suite NAME --base-url URL --model NAME [arguments of research/comparison/compare.py]
#     the server is that of PGHOST, PGPORT and PGUSER, a superuser; the key of the endpoint is in OPENAI_API_KEY
#   comparison.sh local [arguments]
#     questions of managers and of the practice set in ../shared/data, on a server of its own, with the model of
#     scripts/model_file.sh: needs neither an endpoint nor a key, and goes on where it was interrupted
#   comparison.sh plumbing
#     five questions of the demo suite on a server of its own, answered by tools/model_double: that says whether every
#     program can be asked and graded here, and nothing about how good it is
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/client_tests.sh
source scripts/client_tests.sh

[ $# -gt 0 ] || fail "name a suite, an endpoint and a model" \
  "scripts/comparison.sh --suite demo --database demo --base-url http://127.0.0.1:11434/v1 --model qwen2.5-coder"
make_python comparison/programs comparison research/comparison/requirements.txt "LangChain, LlamaIndex and Vanna" 1500 sources
# Nothing about a run leaves the machine but the requests to the endpoint.
export PYTHONDONTWRITEBYTECODE=1 LANGCHAIN_TRACING_V2=false LANGSMITH_TRACING=false ANONYMIZED_TELEMETRY=false DO_NOT_TRACK=1

if [ "$1" = plumbing ]; then
  require_pg_config
  debug_build --bin model_double
  if [ -z "${PGHOST:-}" ]; then start_server comparison; fi
  "$python" research/comparison/plumbing.py "${CARGO_TARGET_DIR:-target}/debug/model_double"
elif [ "$1" = local ]; then
  shared=${TEXT2SQL_SHARED:-../shared}/data
  [ -d "$shared/managers" ] || fail "there is no $shared/managers" "set TEXT2SQL_SHARED"
  require_pg_config
  start_server comparison
  require_pg_config
  scripts/model_program.sh install
  file=$(scripts/model_file.sh)
  say "loading Northwind and the practice databases"
  PATH=$bindir:$PATH "$shared/load.sh" samples practice >/dev/null
  results=target/comparison
  mkdir -p "$results"
  "$python" research/comparison/sample.py "$shared" >"$results/questions.jsonl"
  for database in $(sed -E 's/.*"database": "([a-z0-9_]+)".*/\1/' "$results/questions.jsonl" | sort -u); do
    "$bindir/psql" -X -q -d "$database" -c "SET client_min_messages = error" -c "CREATE EXTENSION IF NOT EXISTS pg_text2sql CASCADE"
  done
  "$python" research/comparison/compare.py --questions "$results/questions.jsonl" --model qwen2.5-coder-1.5b-instruct \
    --model-file "$file" --program "$bindir/text2sql-model" --json "$results/local.jsonl" --timeout 900 "${@:2}"
else
  "$python" research/comparison/compare.py "$@"
fi
