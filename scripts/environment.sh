# shellcheck shell=bash
# Sourced by the other scripts: paths, the server's user, messages. Sets project, state, server_user; changes
# into the project's directory.

postgres_major=${PG:-15}
extension=pg_text2sql

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$project" || exit

# rustup writes to a shell profile that `make` in the same session has not read.
if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
  PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
fi

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

# Prints the pg_config of the supported server version. PATH comes last: it may contain another version.
find_pg_config() {
  local candidate candidates=("/usr/lib/postgresql/$postgres_major/bin/pg_config"
    "/usr/pgsql-$postgres_major/bin/pg_config" pg_config)
  [ -z "${PG_CONFIG:-}" ] || candidates=("$PG_CONFIG")
  for candidate in "${candidates[@]}"; do
    candidate=$(command -v "$candidate") || continue
    case $("$candidate" --version) in
      "PostgreSQL $postgres_major"[.\ ]*) printf '%s\n' "$candidate"; return ;;
    esac
  done
  return 1
}
require_pg_config() {
  pg_config=$(find_pg_config) ||
    fail "no pg_config of PostgreSQL $postgres_major found${PG_CONFIG:+ as $PG_CONFIG}" \
      "run: make setup (or set PG_CONFIG)"
  export bindir PGRX_PG_CONFIG_PATH
  bindir=$("$pg_config" --bindir)
  # pgrx generates its bindings again for each other path, and the copies of server_copy.sh have many.
  PGRX_PG_CONFIG_PATH=$pg_config
  case $pg_config in "$state"/*/*) PGRX_PG_CONFIG_PATH=/${pg_config#"$state"/*/} ;; esac
}

# Prints the directory of what `build.sh "$@"` builds.
package_directory() {
  local name=pg$postgres_major
  if [ "${1:-release}" != release ]; then name+=$(printf -- '-%s' "$@"); fi
  printf '%s\n' "${CARGO_TARGET_DIR:-target}/package/$name"
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
# Prints deb-src entries for a suite, made from the machine's own Debian entries.
debian_sources_for() {
  local file
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/*.sources; do
    if ! grep -qs '^Signed-By:.*debian-archive' "$file"; then continue; fi
    # The first stanza is the archive itself; security and updates have other suites.
    awk -v suite="$1" '
      /^#/ { next }
      /^[[:space:]]*$/ { if (stanza) exit; next }
      { stanza = 1 }
      /^Types:/ { $0 = "Types: deb-src" }
      /^Suites:/ { $0 = "Suites: " suite }
      { print }' "$file"
    return
  done
  # The one-line format of older installations.
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    sed -n -E "/^deb +(\[[^]]*\] +)?[^ ]+ +(bookworm|stable) /{
      s/^deb +(\[[^]]*\] +)?([^ ]+) +.*/deb-src \1\2 $1 main/p
      q
    }"
}
