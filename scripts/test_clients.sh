#!/usr/bin/env bash
# Tests the extension with the drivers and tools that people have: psycopg, asyncpg, SQLAlchemy with pandas, pgcli,
# ODBC, JDBC, Node's pg. tests/clients/README.md explains the tests. The server is that of PGHOST and PGPORT, with a
# database `demo` to copy; without PGHOST one is started, and removed at the end.
#   test_clients.sh [PYTEST-ARGUMENT…]      for example: test_clients.sh test_recipes.py -k jdbc
#   test_clients.sh pool [PYTEST-ARGUMENT…] behind pgbouncer in transaction mode
#   test_clients.sh server_pool sessions|all    the server tests of tests/clients/pooled.txt behind it: those about what
#                                           a session keeps, or all of them; PGHOST must be set
#   test_clients.sh superset                Superset through its REST API: 150 packages, 800 MB; part of `make soak`
# What cannot be fetched is a skipped test.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/client_tests.sh
source scripts/client_tests.sh

# fetch_debian DIRECTORY PACKAGE…: unpacks Debian packages there, without installing them: pgbouncer would start a
# service, and nobody need be root. Fails where they cannot be had.
fetch_debian() {
  local directory=$1 work file
  shift
  [ ! -d "$directory" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
  make_registry_dir 50
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  if ! (cd "$work" && quietly apt-get download -q "$@"); then
    if can_install; then (apt_update) || true; fi
    (cd "$work" && quietly apt-get download -q "$@") || { rm -rf "$work" && return 1; }
  fi
  for file in "$work"/*.deb; do dpkg-deb -x "$file" "$work/made"; done
  mv -T "$work/made" "$directory" 2>/dev/null || [ -d "$directory" ]
  rm -rf "$work"
}

find_jdbc() {
  java --list-modules 2>/dev/null | grep -q '^jdk.compiler@' || apt_try default-jdk-headless
  java --list-modules 2>/dev/null | grep -q '^jdk.compiler@' || return 0
  fetch_debian "$registry_dir/jdbc-debian" libpostgresql-jdbc-java || return 0
  TEXT2SQL_JDBC=$registry_dir/jdbc-debian/usr/share/java/postgresql.jar
  export TEXT2SQL_JDBC
}

find_odbc() {
  ldconfig -p 2>/dev/null | grep -q 'libodbc\.so\.2' || apt_try libodbc2
  odbcinst -q -d -n 'PostgreSQL Unicode' >/dev/null 2>&1 || apt_try odbc-postgresql
}

find_node() {
  local directory work
  command -v node >/dev/null && command -v npm >/dev/null || return 0
  directory=$registry_dir/node-pg-$(cksum <tests/clients/package-lock.json | cut -d' ' -f1)
  if [ ! -d "$directory" ]; then
    make_registry_dir 20
    work=$(mktemp -d "$registry_dir/.new.XXXXXX")
    cp tests/clients/package.json tests/clients/package-lock.json "$work"
    if (cd "$work" && quietly npm ci --no-audit --no-fund --ignore-scripts); then
      mv -T "$work" "$directory" 2>/dev/null || [ -d "$directory" ]
    fi
    rm -rf "$work"
  fi
  [ -d "$directory/node_modules/pg" ] || return 0
  export TEXT2SQL_NODE_MODULES=$directory/node_modules
}

find_pgbouncer() {
  local directory=$registry_dir/pgbouncer-debian cares=libc-ares2
  apt_has "$cares" || cares=libcares2
  if command -v pgbouncer >/dev/null; then
    TEXT2SQL_PGBOUNCER=$(command -v pgbouncer)
  elif fetch_debian "$directory" pgbouncer "$cares" libevent-2.1-7; then
    TEXT2SQL_PGBOUNCER=$directory/usr/sbin/pgbouncer
    TEXT2SQL_PGBOUNCER_LIBRARIES=$(echo "$directory"/usr/lib/*-linux-gnu)
    export TEXT2SQL_PGBOUNCER_LIBRARIES
  fi
  [ -x "${TEXT2SQL_PGBOUNCER:-}" ] || skip clients/pgbouncer "pgbouncer"
  export TEXT2SQL_PGBOUNCER
}

# start_pgbouncer: before the server, in transaction mode, for whatever databases and roles tests make; sets
# TEXT2SQL_POOL_PORT. There is one connection of each role to each database: the driver of the tests names prepared
# statements, each name once in a process, and pgbouncer 1.18 does not know on which connection they are. The tests end
# these connections by its console.
start_pgbouncer() {
  local directory
  directory=$(mktemp -d)
  trap 'stop_pgbouncer' EXIT
  pgbouncer_directory=$directory
  printf '"%s" ""\n' "${PGUSER:-postgres}" >"$directory/users"
  # Another port where one is taken.
  for _ in {1..5}; do
    TEXT2SQL_POOL_PORT=$((12000 + RANDOM % 8000))
    cat >"$directory/pgbouncer.ini" <<SETTINGS
[databases]
* = host=$PGHOST port=$PGPORT auth_user=${PGUSER:-postgres}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $TEXT2SQL_POOL_PORT
unix_socket_dir =
auth_type = trust
auth_file = $directory/users
admin_users = ${PGUSER:-postgres}
auth_query = SELECT rolname::text, ''::text FROM pg_catalog.pg_roles WHERE rolname = \$1
pool_mode = transaction
default_pool_size = 1
max_client_conn = 200
server_lifetime = 86400
server_idle_timeout = 0
ignore_startup_parameters = extra_float_digits
logfile = $directory/log
pidfile = $directory/pid
SETTINGS
    if [ "$(id -u)" = 0 ]; then chown -R "$server_user" "$directory"; fi
    LD_LIBRARY_PATH=${TEXT2SQL_PGBOUNCER_LIBRARIES:-} as_server_user "$TEXT2SQL_PGBOUNCER" -q -d "$directory/pgbouncer.ini" </dev/null || continue
    for _ in {1..50}; do
      if [ -s "$directory/pid" ] && PGHOST=127.0.0.1 PGPORT=$TEXT2SQL_POOL_PORT "$bindir/psql" -X -d postgres -c "SELECT" >/dev/null 2>&1; then
        export TEXT2SQL_POOL_PORT
        return 0
      fi
      sleep 0.1
    done
  done
  fail "pgbouncer does not answer: $(cat "$directory/log")"
}
stop_pgbouncer() {
  if [ -s "$pgbouncer_directory/pid" ]; then kill "$(cat "$pgbouncer_directory/pid")" || true; fi
  rm -rf "$pgbouncer_directory"
}

if [ "${1:-}" = server_pool ]; then
  case ${2:-} in
    sessions) which=' sessions' ;;
    all) which='\( sessions\)\?' ;;
    *) fail "usage: test_clients.sh server_pool sessions|all" ;;
  esac
  [ -n "${PGHOST:-}" ] || fail "PGHOST is not set" "run: eval \"\$(scripts/cluster.sh env NAME)\""
  find_pgbouncer
  require_pg_config
  mapfile -t tests < <(sed -n "s/^\([a-z_]\+::\)$which\$/\1/p" tests/clients/pooled.txt)
  mapfile -t without < <(sed -n 's/^without \(.*\)$/--skip\n\1/p' tests/clients/pooled.txt)
  start_pgbouncer
  cargo test "${everything[@]}" --test asking --test guard --test knowledge --no-fail-fast -- "${tests[@]}" "${without[@]}"
  exit
fi

case ${1:-} in
  pool | superset)
    kind=$1 tests=("test_$1.py")
    shift
    ;;
  *) kind=drivers tests=(--ignore test_pool.py --ignore test_superset.py) ;;
esac
if [ "$kind" = superset ]; then
  make_python clients/superset superset tests/clients/requirements_superset.txt "Superset" 1500 sources
else
  make_python clients/drivers clients tests/clients/requirements.txt "psycopg, asyncpg, SQLAlchemy, pandas, pyodbc and pgcli"
fi
case $kind in
  pool) find_pgbouncer ;;
  drivers)
    find_jdbc
    find_odbc
    find_node
    ;;
esac
debug_build --bin model_double
require_pg_config
if [ -z "${PGHOST:-}" ]; then start_server client_tests; fi

TEXT2SQL_PROGRAMS=$(realpath "${CARGO_TARGET_DIR:-target}/debug")
TEXT2SQL_PSQL=$bindir/psql
export TEXT2SQL_PROGRAMS TEXT2SQL_PSQL PYTHONDONTWRITEBYTECODE=1
cd tests/clients && "$python" -m pytest -p no:cacheprovider "${tests[@]}" "$@"
