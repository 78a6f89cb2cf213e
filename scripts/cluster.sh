#!/usr/bin/env bash
# Private database clusters of this project: own directory, port and socket, unprivileged user. Existing
# clusters of the machine are never touched.
#   cluster.sh start NAME    makes it if it is not there, starts it if it does not run
#   cluster.sh stop NAME     keeps the data
#   cluster.sh remove NAME   stops it and deletes the data
#   cluster.sh env NAME      prints PGHOST, PGPORT and PGUSER as shell assignments
# PG_CONFIG selects the server's programs.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() { fail "usage: cluster.sh start|stop|remove|env NAME"; }
[ $# = 2 ] || usage
command=$1 name=$2
case $name in *[!a-z_]* | '') fail "not a cluster name: $name" ;; esac
forget_callers_server
directory=$state/$name
data=$directory/data
# What is not there is stopped and removed without a server.
if [ "$command" = start ] || [ -d "$data" ]; then require_server; fi

running() { as_server_user "$bindir/pg_ctl" status -D "$data" >/dev/null 2>&1; }

create() {
  make_state_dir
  rm -rf "${directory:?}"
  # The socket is here too: users without access to the directory cannot connect, so trust is safe.
  if [ "$(id -u)" = 0 ]; then
    install -d -m 700 -o "$server_user" "$directory"
  else
    install -d -m 700 "$directory"
  fi
  as_server_user "$bindir/initdb" --pgdata="$data" --username=postgres --encoding=UTF8 \
    --locale=C.UTF-8 --lc-messages=C --auth-local=trust --auth-host=scram-sha-256 --no-sync \
    --no-instructions >/dev/null || fail "initdb failed in $data"
  as_server_user tee -a "$data/postgresql.conf" >/dev/null <<SETTINGS
listen_addresses = '127.0.0.1'
unix_socket_directories = '$directory'
cluster_name = '$extension/$name'
# With the database: tests look for what theirs has logged.
log_line_prefix = '%m [%p] %q%d '
# Everything in here can be recreated.
fsync = off
synchronous_commit = off
full_page_writes = off
# Some tests make a thousand tables in one transaction, and run side by side.
max_locks_per_transaction = 512
SETTINGS
}

start() {
  local version port attempt
  version=$(as_server_user cat "$data/PG_VERSION" 2>/dev/null || true)
  [ "${version:-$postgres_major}" = "$postgres_major" ] ||
    fail "the cluster $name is of PostgreSQL $version, not $postgres_major" \
      "use PG=$version, or remove it: scripts/cluster.sh remove $name"
  running && return
  [ -n "$version" ] || create
  # Below the kernel's range for outgoing connections. The last port is tried first, because people noted it
  # down.
  port=$(as_server_user cat "$directory/port" 2>/dev/null || true)
  for attempt in {1..20}; do
    [ -n "$port" ] || port=$((20000 + (RANDOM % 12000)))
    # Errors must not carry a backtrace, whatever the environment: every test proves it.
    # dblink and postgres_fdw need the libpq of their own version, which a server from the package registry
    # brings along.
    if as_server_user env RUST_BACKTRACE=full LD_LIBRARY_PATH="$("$pg_config" --libdir)" "$bindir/pg_ctl" start -D "$data" -w -t 60 -s \
      -l "$directory/log" -o "-p $port" </dev/null >/dev/null 2>&1; then
      as_server_user tee "$directory/port" >/dev/null <<<"$port"
      return
    fi
    as_server_user tail -n 20 "$directory/log" 2>/dev/null | grep -q 'could not bind' || break
    port=
  done
  as_server_user tail -n 20 "$directory/log" >&2 || true
  fail "the server did not start (attempt $attempt); its log is $directory/log"
}

stop() {
  [ -d "$data" ] || return 0
  running || return 0
  as_server_user "$bindir/pg_ctl" stop -D "$data" -m "$1" -w -s >/dev/null
}

case $command in
  start) start ;;
  stop) stop fast ;;
  remove)
    stop immediate || true
    rm -rf "${directory:?}"
    rmdir "$state" 2>/dev/null || true
    ;;
  env)
    port=$(as_server_user cat "$directory/port" 2>/dev/null) || fail "there is no cluster $name"
    printf 'export PGHOST=%q PGPORT=%q PGUSER=postgres\n' "$directory" "$port"
    ;;
  *) usage ;;
esac
