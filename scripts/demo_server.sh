#!/usr/bin/env bash
# The page beside the demo database: text2sql-server in the background, on the machine itself only.
#   demo_server.sh start PORT    PORT is that of the demo database; prints the address
#   demo_server.sh stop
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

directory=$state/demo_server
# The pid of the server, if it runs. A pid may have been given to another process since.
running() {
  local pid
  pid=$(cat "$directory/pid" 2>/dev/null) || return 1
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$server_program" ] || return 1
  printf '%s\n' "$pid"
}
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
is_ready() {
  local answer
  answer=$( (exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3 &&
    head -n 1 <&3) 2>/dev/null) || return 1
  [[ $answer == *" 200 "* ]]
}

start() {
  local database=$1 port attempt program pid
  program=$("$pg_config" --bindir)/$server_program
  [ -x "$program" ] || fail "$program is not there" "run: make install"
  # Another program, or another database, needs another process.
  if pid=$(running) && [ "$(cat "$directory/started" 2>/dev/null)" = "$database $(cksum <"$program")" ]; then
    say "http://127.0.0.1:$(cat "$directory/port")"
    return
  fi
  stop
  make_state_dir
  mkdir -p "$directory"
  # It never runs as root.
  if [ "$(id -u)" = 0 ]; then chown "$server_user" "$directory"; fi
  for port in 8432 {18432..18452}; do
    if ! listens "$port"; then break; fi
  done
  # Over TCP, where this cluster asks for passwords: whoever may use its socket is let in without one.
  # shellcheck disable=SC2016
  as_server_user env -i PATH="$PATH" setsid sh -c 'echo $$ >"$1/pid" && shift && exec "$@"' sh "$directory" \
    "$program" serve --listen "127.0.0.1:$port" --database "host=127.0.0.1 port=$database dbname=demo" \
    >"$directory/log" 2>&1 </dev/null &
  for ((attempt = 0; attempt < 100; attempt++)); do
    if is_ready "$port"; then break; fi
    sleep 0.1
  done
  is_ready "$port" || {
    tail -n 5 "$directory/log" >&2
    fail "$server_program did not start; its log is $directory/log"
  }
  printf '%s\n' "$port" >"$directory/port"
  printf '%s\n' "$database $(cksum <"$program")" >"$directory/started"
  say "http://127.0.0.1:$port"
}

stop() {
  local pid attempt
  if pid=$(running); then
    kill "$pid"
    for ((attempt = 0; attempt < 100; attempt++)); do
      running >/dev/null || break
      sleep 0.1
    done
  fi
  rm -rf "$directory"
  rmdir "$state" 2>/dev/null || true
}

case "${1:-} $#" in
  "start 2")
    require_pg_config
    start "$2"
    ;;
  "stop 1") stop ;;
  *) fail "usage: demo_server.sh start PORT|stop" ;;
esac
