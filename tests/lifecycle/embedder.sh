#!/usr/bin/env bash
# The file of the embedder `multilingual`: what happens where it is not installed, is damaged, is installed later, and
# is replaced while sessions use it. It is moved within the server's share directory, which is that of a copy.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

database=lifecycle_embedder
role=lifecycle_embedder_reader
installed=$("$pg_config" --sharedir)/$encoder_directory/${encoder_file##*/}
if [ ! -f "$installed" ]; then
  say "skipped: lifecycle/embedder needs ${encoder_file##*/}, which make setup fetches"
  exit
fi
[ -f "$(dirname "$pg_config")/$origin_file" ] || fail "$pg_config is no copy" "use scripts/server_copy.sh"
away=$installed.away
put_back() { if [ -f "$away" ]; then mv -f "$away" "$installed"; fi; }
trap put_back EXIT

fresh_database "$database"
query -d postgres -c "SET client_min_messages = warning" -c "DROP ROLE IF EXISTS $role"
query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE" \
  -c "ALTER DATABASE $database SET text2sql.maintenance_interval = 0" -c "CREATE TABLE customers (id int PRIMARY KEY, city text)" -c "CREATE TABLE salaries (employee int PRIMARY KEY, amount numeric)"
# Runs statements in one session and prints what they show, and errors without their place.
tell() { "$bindir/psql" -X -At -q -d "$database" -c "SET client_min_messages = error" "$@" 2>&1; }
state="SELECT item || ': ' || value FROM text2sql.status() WHERE item IN ('embedder', 'vectors')"
refresh="CALL text2sql.refresh()"
search="SELECT legs -> 'vectors' ->> 'rank' FROM text2sql.retrieve('Kunden') WHERE object = 'customers'"
made="vectors: multilingual-1, 512 dimensions, exact search: there are few"
hashed="vectors: hash-1-english, 384 dimensions, exact search: there are few"

found=$(tell -c "$refresh" -c "$state" -c "$search")
same "embedder: it is used where its file is installed, and knows that Kunden are customers" \
  "embedder: multilingual (auto: its file is installed)
$made
1" "$found"

# The built-in engine reads a word of another language as a word of the tables, for who may read them.
show="SELECT * FROM text2sql.show('Wie viele Kunden gibt es?')"
found=$(tell -c "$show" | grep '^read')
same "embedder: the built-in engine reads Kunden as customers" 'read: „Kunden“ ist die Tabelle customers' "$found"
query -d "$database" -c "CREATE ROLE $role" -c "SELECT text2sql.grant_access('$role')" -c "GRANT SELECT ON salaries TO $role" >/dev/null
found=$(tell -c "SET ROLE $role" -c "$show" | grep -E 'customers|^status')
same "embedder: but not for a role that may not read them" "status: unanswerable" "$found"

mv "$installed" "$away"
found=$(tell -c "$state" -c "SELECT count(*) > 0 FROM text2sql.retrieve('customers')")
same "embedder: without the file, questions go without vectors" \
  "embedder: hash (auto: the file ${installed##*/} is not installed on this server)
$made
t" "$found"
found=$(tell -c "SET text2sql.embedding_model = 'multilingual'" -c "$refresh" -c "$state" | sed 's/; or use .*//')
same "embedder: asked for by name, it is an error without the file" \
  "ERROR:  the embedder \"multilingual\" cannot be used: the file ${installed##*/} is not installed on this server
HINT:  Install it: where pg_text2sql was built by make setup install, else as the package postgresql-text2sql-encoder
embedder: multilingual, not usable: the file ${installed##*/} is not installed on this server
$made" "$found"
found=$(tell -c "$refresh" -c "$state")
same "embedder: a refresh goes on with hash" \
  "embedder: hash (auto: the file ${installed##*/} is not installed on this server)
$hashed" "$found"

head -c 100000 "$away" >"$installed"
found=$(tell -c "$state")
same "embedder: half a file is not used" \
  "embedder: hash (auto: the file ${installed##*/} cannot be used: it has 100000 bytes instead of $(stat -c %s "$away"))
$hashed" "$found"
cp "$away" "$installed.half"
printf 'x' | dd of="$installed.half" bs=1 seek=1000 conv=notrunc status=none
mv "$installed.half" "$installed"
found=$(tell -c "$state" | head -n 1)
same "embedder: neither is a damaged one" \
  "embedder: hash (auto: the file ${installed##*/} cannot be used: its section CharacterTrie is damaged)" "$found"

# In one session: hash, then the file is there, then it is replaced as an installation replaces it.
rm "$installed"
install="$(printf 'cp %q %q && mv %q %q' "$away" "$installed.new" "$installed.new" "$installed")"
found=$("$bindir/psql" -X -At -q -d "$database" 2>&1 <<SQL
SET client_min_messages = error;
$state;
\\! $install
$state;
SELECT note FROM text2sql.status() WHERE item = 'vectors';
SELECT count(*) > 0 FROM text2sql.retrieve('customers');
$refresh;
$state;
\\! $install
$search;
SQL
)
same "embedder: a session uses the file once it is installed, and goes on when it is replaced" \
  "embedder: hash (auto: the file ${installed##*/} is not installed on this server)
$hashed
embedder: multilingual (auto: its file is installed)
$hashed
a better embedder is installed meanwhile: CALL text2sql.refresh()
t
embedder: multilingual (auto: its file is installed)
$made
1" "$found"

# What a session needs for itself: 5 MB would be too much.
found=$("$bindir/psql" -X -At -q -d "$database" <<SQL
SELECT pg_backend_pid() AS pid, text2sql._version() \\gset
\\setenv pid :pid
\\! awk '/^Anonymous/ { print \$2 }' /proc/\$pid/smaps_rollup >/tmp/before.\$pid
$state \\g /dev/null
\\! awk -v before="\$(cat /tmp/before.\$pid)" '/^Anonymous/ { print(\$2 - before < 5000 ? "little" : \$2 - before) }' /proc/\$pid/smaps_rollup; rm /tmp/before.\$pid
SQL
)
same "embedder: a session needs little memory for it" little "$found"

query -d postgres -c "DROP DATABASE $database" -c "DROP ROLE $role"
exit "$failures"
