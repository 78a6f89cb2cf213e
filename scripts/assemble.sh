#!/usr/bin/env bash
# Puts together what belongs into a server, from the library that was built: library, control file and SQL scripts, in
# target/package/pgNN. install.sh, with the same arguments, copies them into the server.
#   assemble.sh                               of the release build
#   assemble.sh quick|debug                   in target/package/pgNN-quick or -debug
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
package=$(package_directory "$@")
profile=${1:-release}
target=${CARGO_TARGET_DIR:-target}
# Compiled in the debug profile for a release too: it runs for a tenth of a second.
schema_tool=$target/debug/extension_schema
if [ "$profile" = quick ]; then schema_tool=$target/quick/extension_schema; fi

rm -rf "$package.new"
mkdir -p "$package.new/lib"
cp "$target/$profile/lib$extension.so" "$package.new/lib/$extension.so"
"$schema_tool" "$package.new/lib/$extension.so" "$extension.control" "$package.new/extension"
# The SQL scripts have been made from it, and no server reads it.
if [ "$profile" = release ] && command -v objcopy >/dev/null; then
  objcopy --remove-section .pgrxsc "$package.new/lib/$extension.so"
fi
scripts/update_scripts.sh "$package.new/extension"
rm -rf "$package"
mv "$package.new" "$package"
