#!/usr/bin/env bash
# Tests the extension on the other supported versions of PostgreSQL, those that test.sh was not run on: the guard's
# corpus, the SQL tests and the adapters on each; the life cycle and a short proof of the guard on the oldest and the
# newest; pg_upgrade, and dump and restore, from the oldest to the newest. The last line shows how many passed, failed and were skipped;
# continues after a failure.
#   test_versions.sh                   what every commit is held to
#   test_versions.sh all               life cycle and proof on each of them, and upgrades between more of them
#   test_versions.sh VERSION ...       all of that but upgrades, on these
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/stages.sh
source scripts/stages.sh

read -r -a known <<<"${supported_versions//[!0-9]/ }"
oldest=${known[0]} newest=${known[-1]}
extent=some versions=() pairs=("$oldest $newest")
case ${1:-} in
  '') ;;
  all) extent=all pairs+=("15 17" "16 18") ;;
  *) extent=all versions=("$@") pairs=() ;;
esac
if [ ${#versions[@]} = 0 ]; then
  for version in "${known[@]}"; do
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
  local name="PostgreSQL $1" is_whole=no
  case $extent$1 in all* | *"$oldest" | *"$newest") is_whole=yes ;; esac
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
    run "$name: ring 3: the guard's corpus" guards_corpus || true
    run "$name: ring 3: SQL surface, pg_regress" scripts/regress.sh || true
    if [ "$is_whole" = yes ]; then run "$name: ring 4: life cycle" each_script tests/lifecycle || true; fi
    forget_callers_server
    if [ "$is_whole" = yes ]; then run "$name: a short proof of the guard" scripts/guard_proof.sh short || true; fi
  fi
  run "$name: ring 2: adapters, inside a server" scripts/adapter_tests.sh || true
  remove_server
  unset PG_CONFIG
}
for version in "${versions[@]}"; do test_version "$version"; done
unset PG
for pair in "${pairs[@]}"; do
  read -r -a pair <<<"$pair"
  run "from PostgreSQL ${pair[0]} to ${pair[1]}" scripts/test_upgrades.sh "${pair[@]}" || true
done
finish
