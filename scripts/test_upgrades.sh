#!/usr/bin/env bash
# Moves a database with stored knowledge between two major versions of PostgreSQL, by pg_upgrade and by dump and
# restore: see tests/versions/between.sh. Builds the extension for both in debug mode.
#   test_upgrades.sh OLD NEW      as 15 18
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

[ $# = 2 ] || fail "usage: test_upgrades.sh OLD NEW" "for example: test_upgrades.sh 15 18"
unset PG_CONFIG
make_state_dir
trap 'rm -rf "${state:?}/old_server" "$state/new_server"; rmdir "$state" 2>/dev/null || true' EXIT
# install NAME VERSION: prints the pg_config of a copy of that server with the extension in it. The server is that of
# the registry, for all versions: a newer minor version may store what an older one of another major version cannot read
# (15.20 does: pg_upgrade to 17.11 fails at the column option pg_attver).
install() {
  local original copy
  PG=$2 scripts/build.sh debug >&2
  original=$(scripts/server_from_registry.sh "$2")
  copy=$(PG_CONFIG=$original scripts/server_copy.sh "$1")
  PG_CONFIG=$copy scripts/install.sh debug >/dev/null
  printf '%s\n' "$copy"
}
OLD_PG_CONFIG=$(install old_server "$1")
NEW_PG_CONFIG=$(install new_server "$2")
export OLD_PG_CONFIG NEW_PG_CONFIG
tests/versions/between.sh
