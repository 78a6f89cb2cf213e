#!/usr/bin/env bash
# Tests the extension on the other supported versions of PostgreSQL, those that test.sh was not run on: the guard's
# corpus, a short proof of the guard, the SQL tests, the life cycle, the adapters; without arguments also pg_upgrade,
# and dump and restore, between versions. The last line shows how many
# passed, failed and were skipped; continues after a failure.
#   test_versions.sh [VERSION ...]     by default all but that of PG or PG_CONFIG
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/stages.sh
source scripts/stages.sh

versions=("$@")
if [ ${#versions[@]} = 0 ]; then
  for version in ${supported_versions//[!0-9]/ }; do
    [ "$version" = "$postgres_major" ] || versions+=("$version")
  done
fi
for version in "${versions[@]}"; do
  supported "$version" || fail "PostgreSQL $version is not supported" "use $supported_versions"
done
forget_callers_server
# A server of one's own is of one version only.
unset PG_CONFIG
begin test_cluster test_server

# Tests the version $1.
test_version() {
  local name="PostgreSQL $1"
  export PG=$1
  run "$name: server" scripts/setup.sh test || return 0
  if ! PG_CONFIG=$(scripts/server_copy.sh "$stages_copy"); then
    failed=$((failed + 1))
    broken+=("$name: server")
    unset PG_CONFIG
    return
  fi
  export PG_CONFIG
  if run "$name: install" install_extension; then
    eval "$(scripts/cluster.sh env "$stages_cluster")"
    run "$name: ring 3: the guard's corpus" server_tests guard || true
    run "$name: ring 3: SQL surface, pg_regress" scripts/regress.sh || true
    run "$name: ring 4: life cycle" each_script tests/lifecycle || true
    forget_callers_server
    run "$name: a short proof of the guard" scripts/guard_proof.sh short || true
  fi
  run "$name: ring 2: adapters, inside a server" scripts/adapter_tests.sh || true
  remove_server
  unset PG_CONFIG
}
for version in "${versions[@]}"; do test_version "$version"; done
if [ $# = 0 ]; then
  unset PG
  for pair in "15 17" "15 18" "16 18"; do
    read -r -a pair <<<"$pair"
    run "from PostgreSQL ${pair[0]} to ${pair[1]}" scripts/test_upgrades.sh "${pair[@]}" || true
  done
fi
finish
