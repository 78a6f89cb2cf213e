#!/usr/bin/env bash
# Builds the extension for the PostgreSQL of PG_CONFIG: its library, control file and SQL scripts, in
# target/package/pgNN. install.sh, with the same arguments, copies them into the server.
#   build.sh                         in release mode
#   build.sh debug [FEATURE ...]     in target/package/pgNN-debug…, for tests
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_headers
package=$(package_directory "$@")
profile=${1:-release}
[ $# -eq 0 ] || shift
case $profile in
  release) cargo_profile=release ;;
  debug) cargo_profile=dev ;;
  *) fail "usage: build.sh [release|debug [FEATURE ...]]" ;;
esac
target=${CARGO_TARGET_DIR:-target}
# In the debug profile, whatever that of the library is: it runs for a tenth of a second.
schema_tool=$target/debug/extension_schema

cargo=cargo
if [ "$profile" = release ]; then cargo=cargo_release; fi
"$cargo" build --profile "$cargo_profile" --lib --package "$extension" --no-default-features \
  --features "pg$postgres_major $*"
cargo build --quiet --package extension_schema

rm -rf "$package.new"
mkdir -p "$package.new/lib"
cp "$target/$profile/lib$extension.so" "$package.new/lib/$extension.so"
"$schema_tool" "$package.new/lib/$extension.so" "$extension.control" "$package.new/extension"
scripts/update_scripts.sh "$package.new/extension"
rm -rf "$package"
mv "$package.new" "$package"
