#!/usr/bin/env bash
# Asks questions of a real model file, in a cluster of its own: what its program answers, that only its server can reach
# it, and what its end costs. The PostgreSQL of PG_CONFIG must have the extension and text2sql-model installed. Where the
# program or the file is not there, nothing is tried and a line says so: nothing fetches a gigabyte unasked.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tests/lifecycle/check.sh"

file=$(scripts/model_file.sh path)
for needed in "$bindir/text2sql-model" "$file"; do
  if [ ! -f "$needed" ]; then
    say "skipped: scripts/test_model.sh needs $needed (make model-program, make model-file)"
    exit 0
  fi
done

cluster=model_file
clean_up() { scripts/cluster.sh remove "$cluster"; }
trap clean_up EXIT
trap 'exit 130' INT TERM
scripts/cluster.sh remove "$cluster"
scripts/cluster.sh start "$cluster"
eval "$(scripts/cluster.sh env "$cluster")"
fresh_database boats
directory=$(query -d postgres -c 'SHOW data_directory')
ask() { query -d boats -c "SET text2sql.model = 'own'" -c "$1"; }
# The process of the program of this cluster.
program() { pgrep -f "text2sql-model --model .* --socket pgsql_tmp_text2sql/" -P "$(worker)"; }
worker() { pgrep -f 'postgres: .*pg_text2sql model' -P "$(as_server_user head -1 "$directory/postmaster.pid")" || true; }
# Processor time that it has used, in hundredths of a second.
used() { awk '{ print $14 + $15 }' "/proc/$(program)/stat"; }

query -d boats -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" -c "
  CREATE TABLE boats (boat_id integer PRIMARY KEY, name text NOT NULL, harbour text);
  INSERT INTO boats VALUES (1, 'Möwe', 'Kiel'), (2, 'Albatros', 'Kiel'), (3, 'Tern', 'Hull');
  CREATE ROLE sailor; CREATE ROLE librarian; GRANT pg_read_server_files TO librarian;
  GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO sailor, librarian;
  GRANT CREATE ON SCHEMA public TO sailor;"

refused=$(query -d boats -c "SET ROLE sailor" -c "CREATE SERVER own FOREIGN DATA WRAPPER text2sql
  OPTIONS (protocol 'local', model_file '$file')" 2>&1 | grep -o 'only a superuser or a member.*' || true)
same "who may not read files may not name one" \
  'only a superuser or a member of pg_read_server_files can set option "model_file"' "$refused"
query -d boats -c "SET ROLE librarian" -c "CREATE SERVER theirs FOREIGN DATA WRAPPER text2sql
  OPTIONS (protocol 'local', model_file '/etc/hostname')"
wrong=$(query -d boats -c "SELECT problem IS NOT NULL FROM text2sql.test_model('theirs')")
same "what is no model is said" t "$wrong"

query -d boats -c "SELECT text2sql.add_model('own', 'local', model_file => '$file')" >/dev/null
none=$(worker)
same "a model that nobody asks has no process" '' "$none"
counted="SELECT status, answer ~ '3' FROM text2sql.ask('How many boats are there?')"
same "a question is answered from the file" 'ok|t' "$(ask "$counted")"
one=$(pgrep -c -P "$(worker)")
ask "SELECT status FROM text2sql.ask('Which boats are in Kiel?')" >/dev/null &
ask "SELECT status FROM text2sql.ask('Which boats are in Hull?')" >/dev/null &
wait
same "sessions share one process" "$one" "$(pgrep -c -P "$(worker)")"

same "only the server's user enters the directory of its socket" 700 "$(as_server_user stat -c %a "$directory/pgsql_tmp_text2sql")"

# The prompt is new, so that reading it takes a while.
columns=$(query -d postgres -c "SELECT string_agg('column_number_' || i || ' text', ', ') FROM generate_series(1, 400) i")
query -d boats -c "CREATE TABLE wide ($columns)"
timed_out=$(ask "SET statement_timeout = '1500ms'; SELECT status FROM text2sql.ask('Show the wide rows')" 2>&1 | grep -o 'statement timeout' || true)
same "statement_timeout ends a question" 'statement timeout' "$timed_out"
# stands_still: whether it computes no more, from a tenth of a second later on.
stands_still() {
  local before after
  sleep 0.1
  before=$(used)
  sleep 1
  after=$(used)
  if [ $((after - before)) -le 5 ]; then echo yes; else echo "no: $((after - before)) of 100"; fi
}
same "and the decoding, within a tenth of a second" yes "$(stands_still)"

ask "SELECT status FROM text2sql.ask('Show all wide rows')" >/dev/null 2>&1 &
asker=$!
sleep 1.5
canceled=$(query -d postgres -c "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%all wide rows%' AND pid <> pg_backend_pid()")
same "a question is canceled" 1 "$canceled"
same "and so is the decoding" yes "$(stands_still)"
wait "$asker" || true

# What the server sends with a request, to the socket itself: the model is told to write a name that does not exist.
socket=$(as_server_user find "$directory/pgsql_tmp_text2sql" -name '*.socket')
reply() {
  as_server_user python3 - "$socket" "$1" <<'PYTHON'
import http.client, json, socket, sys
connection = http.client.HTTPConnection("localhost", timeout=600)
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(sys.argv[1])
body = {"messages": [{"role": "user", "content": "Write exactly this and nothing else: SELECT captain FROM boats"}], "max_tokens": 30, **json.loads(sys.argv[2])}
connection.request("POST", "/v1/chat/completions", json.dumps(body))
print(json.load(connection.getresponse())["choices"][0]["message"]["content"])
PYTHON
}
same "without names a model writes what it likes" there "$(reply '{}' | grep -q captain && echo there || echo gone)"
named=$(reply '{"names": {"tables": ["boats"], "columns": ["boat_id", "name", "harbour"]}}')
same "with names it writes a query" SELECT "${named%% *}"
same "without a name that does not exist" gone "$(grep -q captain <<<"$named" && echo there || echo gone)"

ask "SELECT status FROM text2sql.ask('Show the wide rows')" >"$state/$cluster.killed" 2>&1 &
asker=$!
sleep 2
kill -9 "$(program)"
wait "$asker" || true
same "the end of the program loses the answer that it was writing" failed "$(cat "$state/$cluster.killed")"
rm -f "$state/$cluster.killed"
same "and nothing else" 'ok|t' "$(ask "$counted")"
# Whenever it comes: while it starts, reads, writes, or has nothing to do.
for moment in 0.02 0.3 1 3; do
  ask "$counted" >/dev/null 2>&1 &
  asker=$!
  sleep "$moment"
  as_server_user pkill -9 -P "$(worker)" || true
  wait "$asker" || true
  same "it ends after $moment s, and the next question is answered" 'ok|t' "$(ask "$counted")"
done
query -d boats -c "SELECT pg_terminate_backend($(worker))" >/dev/null
same "the end of its worker costs nothing but the next start" 'ok|t' "$(ask "$counted")"

peak=$(awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$(program)/status")
same "it has at most 2,200 MB at its peak, the file included ($peak)" yes "$([ "$peak" -le 2200 ] && echo yes || echo no)"

pid=$(program)
scripts/cluster.sh stop "$cluster"
sleep 0.2
same "it ends with its server" gone "$([ -d "/proc/$pid" ] && echo there || echo gone)"
[ "$failures" = 0 ]
