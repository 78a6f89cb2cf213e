#!/usr/bin/env bash
# Fuzzes, guided by coverage, everything in the crates that reads a model's reply, SQL or a question.
#   fuzz.sh [SECONDS [TARGET ...]]    seconds for each target, 60 by default; all targets by default
# Findings are in fuzz/artifacts; `cargo fuzz tmin` minimizes one, which is then added to fuzz/seeds.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

seconds=${1:-60}
[ $# -eq 0 ] || shift
if [ $# -gt 0 ]; then
  targets=("$@")
else
  targets=()
  for seeds in fuzz/seeds/*/; do targets+=("$(basename "$seeds")"); done
fi

# Instrumentation for coverage is only in nightly compilers.
if ! cargo +nightly --version >/dev/null 2>&1; then
  command -v rustup >/dev/null || fail "fuzzing needs a nightly compiler" "install rustup first"
  say "installing a nightly compiler"
  rustup toolchain install nightly --profile minimal >/dev/null
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
  say "installing cargo-fuzz (a minute)"
  cargo +nightly install cargo-fuzz --locked --quiet
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$target"
  say "── $target: $seconds s"
  status=0
  # The crates forbid unsafe code: a sanitizer has nothing to find, and fuzzing without one is much faster.
  cargo +nightly fuzz run --sanitizer none "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -max_total_time="$seconds" -max_len=8192 -timeout=5 -rss_limit_mb=2048 -print_final_stats=1 >"$log" 2>&1 || status=$?
  grep -E "^stat::number_of|panicked|ERROR|Test unit|^#[0-9]+.*DONE" "$log" || true
  if [ "$status" != 0 ]; then
    tail -n 20 "$log" >&2
    fail "$target found something: see fuzz/artifacts/$target"
  fi
done
