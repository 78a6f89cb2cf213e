# shellcheck shell=bash
# Sourced by the tests of setup: they install nothing on the machine, need no network and no server, and print
# `ok - …` or `not ok - …` for each check.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
unset PG PG_CONFIG LIBCLANG_PATH MAKEFLAGS MFLAGS
failures=0
area=$(mktemp -d)
trap 'rm -rf "$area"' EXIT
# The server's user looks into it.
chmod 755 "$area"
export TEXT2SQL_SERVERS=$area/servers
fakes=$area/fakes
mkdir "$fakes"
real_path=$PATH

# Writes a program from stdin that is found before the real one.
fake() {
  { printf '#!/bin/bash\n'; cat; } >"$fakes/$1"
  chmod 755 "$fakes/$1"
}
# A directory that looks like a server of that version to pg_config's callers; what it lacks follows:
# headers, server, pgvector.
fake_server() {
  local directory=$1 version=$2
  mkdir -p "$directory"/{bin,lib,include/server,share/extension}
  cat >"$directory/bin/pg_config" <<PROGRAM
#!/bin/bash
here=\$(cd "\$(dirname "\$0")/.." && pwd)
case \${1:-} in
  --version) echo 'PostgreSQL $version' ;;
  --bindir) echo "\$here/bin" ;;
  --pkglibdir) echo "\$here/lib" ;;
  --includedir-server) echo "\$here/include/server" ;;
  --sharedir) echo "\$here/share" ;;
esac
PROGRAM
  printf '#!/bin/bash\necho "postgres (PostgreSQL) %s"\n' "$version" >"$directory/bin/postgres"
  chmod 755 "$directory"/bin/*
  case " ${*:3} " in *" headers "*) ;; *) touch "$directory/include/server/postgres.h" ;; esac
  case " ${*:3} " in *" pgvector "*) ;; *) touch "$directory/share/extension/vector.control" ;; esac
  case " ${*:3} " in *" server "*) rm "$directory/bin/postgres" ;; esac
}

# Prints what an expression over environment.sh's variables gives; the arguments before it are assignments.
chosen() {
  env "${@:1:$#-1}" bash -c "set -euo pipefail; source scripts/environment.sh; printf '%s\n' \"${*: -1}\"" 2>&1 || true
}

ok() { printf 'ok - %s\n' "$1"; }
not_ok() {
  printf 'not ok - %s\n' "$1"
  [ $# -lt 2 ] || printf '%s\n' "${@:2}"
  failures=$((failures + 1))
}
same() {
  if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected: $2" "got:      $3"; fi
}
# The command fails, says one `error: …` sentence that contains a text and a hint that contains another, and no
# shell's or tool's message besides.
refuses() {
  local name=$1 sentence=$2 hint=$3 output status=0
  shift 3
  output=$("$@" 2>&1 </dev/null) || status=$?
  # What was under way before the failure is no part of the message.
  output=$(grep -vE '^(fetching|building|installing|updating) |^make(\[[0-9]+\])?: ' <<<"$output" || true)
  if [ "$status" != 0 ] && [ "$(wc -l <<<"$output")" -le 2 ] && [[ $output == "error: "*"$sentence"* ]] &&
    [[ $output == *$'\n       '*"$hint"* ]]; then
    ok "$name"
  else
    not_ok "$name" "status $status:" "$output"
  fi
}
nothing_left() {
  local rest
  rest=$(find "$TEXT2SQL_SERVERS" -mindepth 1 2>/dev/null | head -n 5)
  if [ -z "$rest" ]; then ok "$1"; else not_ok "$1" "$rest"; fi
}
