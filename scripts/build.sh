#!/usr/bin/env bash
# Builds the release library and the extension's SQL script and lays them out, ready to be copied, in
# target/package.
#   build.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
cargo pgrx --version >/dev/null 2>&1 || fail "cargo-pgrx not found" "run: make setup"
package=${CARGO_TARGET_DIR:-target}/package
rm -rf "$package"
# cargo writes its progress to stderr; what cargo-pgrx adds on stdout helps nobody.
cargo pgrx package --package "$extension" --pg-config "$pg_config" --out-dir "$package" >/dev/null
