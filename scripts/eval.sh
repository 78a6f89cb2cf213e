#!/usr/bin/env bash
# Evaluates the built-in engine over the practice databases of ../shared/data and over the demo suite, with a
# release build, in a copy of the PostgreSQL installation and a cluster of its own. Writes an HTML report, a
# JSON file to compare the next run with, and JUnit XML into target/eval/.
#   eval.sh [arguments of text2sql_eval, such as --compare target/eval/practice.json]
#   MODEL=local eval.sh    also asks the model of scripts/model_file.sh, alone and after the built-in engine: the demo
#                          suite, and every 24th question of the practice set, which takes some hours of processor time
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

shared=${TEXT2SQL_SHARED:-../shared}
scripts/setup.sh
forget_callers_server
exec 9<scripts/eval.sh
flock 9 # two measurements at once would measure each other

clean_up() {
  scripts/cluster.sh remove eval || true
  rm -rf "${state:?}/eval_server"
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT TERM
scripts/cluster.sh remove eval
PG_CONFIG=$(scripts/server_copy.sh eval_server)
export PG_CONFIG
require_pg_config
scripts/build.sh
scripts/install.sh >/dev/null
cargo_release build "${research[@]}" --release -p text2sql_eval
scripts/cluster.sh start eval 9<&-
eval "$(scripts/cluster.sh env eval)"
mkdir -p target/eval
results=$project/target/eval

scripts/load_demo.sh
say "" "The demo suite, as an analyst:"
PGUSER=demo_analyst target/release/text2sql_eval --database demo --suite demo --name 'built-in engine' \
  --json "$results/demo.json" --html "$results/demo.html" --junit "$results/demo.xml"

if [ -d "$shared/data/practice" ]; then
  say "" "Loading the practice databases"
  PATH=$bindir:$PATH "$shared/data/load.sh" practice >/dev/null
  started=$(date +%s.%N)
  say "The practice set:"
  target/release/text2sql_eval --cases "$shared/data/practice/questions.jsonl" --suite practice \
    --database-prefix practice_ --connections 4 --create-extension --name 'built-in engine' \
    --clock '2026-01-15 12:00' --json "$results/practice.json" --html "$results/practice.html" \
    --junit "$results/practice.xml" "$@"
  say "$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "in %.1f seconds over 4 connections", b - a }')"
  say "" "Replay of verified examples, and false alarms of the checks:"
  cargo run --quiet "${research[@]}" -p builtin_practice -- "$shared/data/practice/questions.jsonl" practice_ --replay
  cargo run --quiet "${research[@]}" -p builtin_practice -- "$shared/data/practice/questions.jsonl" practice_ --findings
  cargo run --quiet "${research[@]}" -p builtin_practice -- "$shared/data/practice/questions.jsonl" practice_ --gate
else
  say "There is no $shared/data/practice: only the demo suite was run."
fi
if [ "${MODEL:-}" = local ]; then
  scripts/model_program.sh install
  file=$(scripts/model_file.sh)
  databases=(demo)
  if [ -d "$shared/data/practice" ]; then
    awk 'NR % 24 == 8' "$shared/data/practice/questions.jsonl" >"$results/practice_sample.jsonl"
    mapfile -t -O 1 databases < <(sed -E 's/.*"database": "([a-z0-9_]+)".*/practice_\1/' "$results/practice_sample.jsonl" | sort -u)
  fi
  for database in "${databases[@]}"; do
    "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d "$database" -v file="$file" >/dev/null <<'SQL'
SELECT text2sql.add_model('local', 'local', model_file => :'file');
SELECT 'GRANT USAGE ON FOREIGN SERVER local TO demo_analyst' WHERE current_database() = 'demo' \gexec
SQL
  done
  for models in local 'builtin, local'; do
    say "" "$models, the demo suite:"
    PGUSER=demo_analyst target/release/text2sql_eval --database demo --suite demo --name "$models" \
      --settings "{\"model\": \"$models\"}" --json "$results/demo_${models//, /_}.json"
    [ ${#databases[@]} -gt 1 ] || continue
    say "" "$models, every 24th question of the practice set:"
    target/release/text2sql_eval --cases "$results/practice_sample.jsonl" --suite practice_sample --name "$models" \
      --database-prefix practice_ --clock '2026-01-15 12:00' --settings "{\"model\": \"$models\"}" \
      --json "$results/practice_${models//, /_}.json"
  done
fi
say "" "Reports: target/eval/demo.html, target/eval/practice.html"
