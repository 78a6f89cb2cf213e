#!/usr/bin/env bash
# Lints and tests the workspace `research`: the instruments that measure and compare, which no user needs. Tests that
# load published benchmarks use the server of PGHOST, PGPORT and PGUSER.
#   research.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

[ -n "${PGHOST:-}" ] || fail "PGHOST is not set" "run: eval \"\$(scripts/cluster.sh env NAME)\""
cargo clippy "${research[@]}" --workspace --bins --lib --tests -- -D warnings
cargo test "${research[@]}" --workspace --no-fail-fast
