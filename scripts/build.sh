#!/usr/bin/env bash
# Builds the extension for the PostgreSQL of PG_CONFIG: its library, control file and SQL scripts, in
# target/package/pgNN. install.sh, with the same arguments, copies them into the server.
#   build.sh [release [FEATURE ...]]  and text2sql-server in the same call of cargo, unless SERVER=no
#   build.sh debug [FEATURE ...]      in target/package/pgNN-debug…, for tests
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_headers
profile=${1:-release}
[ $# -eq 0 ] || shift
cargo=cargo selection=(--package "$extension" --lib)
case $profile in
  release)
    cargo=cargo_release cargo_profile=release
    # Always both, so that what they depend on has the same features, and is compiled once.
    if [ "${SERVER:-}" != no ]; then selection+=(--package text2sql_server --bin "$server_program"); fi
    ;;
  debug) cargo_profile=dev ;;
  *) fail "usage: build.sh [release|debug [FEATURE ...]]" ;;
esac
features=("$extension/pg$postgres_major" "${@/#/$extension/}")
"$cargo" build --profile "$cargo_profile" "${selection[@]}" --no-default-features --features "${features[*]}"
# In the debug profile, whatever that of the library is.
cargo build --quiet --package extension_schema
scripts/assemble.sh "$profile" "$@"
