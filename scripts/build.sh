#!/usr/bin/env bash
# Builds the release library and the extension's SQL script in target/package.
#   build.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
cargo pgrx --version >/dev/null 2>&1 || fail "cargo-pgrx not found" "run: make setup"
package=${CARGO_TARGET_DIR:-target}/package
rm -rf "$package"
# Two steps, to show cargo's progress without cargo-pgrx's output. The features are those that cargo-pgrx will
# request: with others the second step would compile the library again.
cargo build --release --lib --package "$extension" --no-default-features --features "pg$postgres_major"
cargo pgrx package --package "$extension" --pg-config "$pg_config" --out-dir "$package" \
  >"$package.log" 2>&1 || { cat "$package.log" >&2; fail "cargo pgrx package failed"; }
