#!/usr/bin/env bash
# Builds the extension for the PostgreSQL of PG_CONFIG: its library, control file and SQL scripts, in
# target/package/pgNN. install.sh, with the same arguments, copies them into the server.
#   build.sh [release [FEATURE ...]]  and text2sql-server in the same call of cargo, unless SERVER=no
#   build.sh debug                    in target/package/pgNN-debug, for tests: the library has the functions of ring 2
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_headers
profile=${1:-release}
[ $# -eq 0 ] || shift
case $profile in
  release)
    selection=(--package "$extension" --lib)
    # Always both, so that what they depend on has the same features, and is compiled once.
    if [ "${SERVER:-}" != no ]; then selection+=(--package text2sql_server --bin "$server_program"); fi
    features=("$extension/pg$postgres_major" "${@/#/$extension/}")
    cargo_release build --release "${selection[@]}" --no-default-features --features "${features[*]}"
    # In the debug profile: it runs for a tenth of a second.
    cargo build --quiet --package extension_schema
    ;;
  debug) debug_build --lib --bin extension_schema ;;
  *) fail "usage: build.sh [release [FEATURE ...]|debug]" ;;
esac
scripts/assemble.sh "$profile" "$@"
