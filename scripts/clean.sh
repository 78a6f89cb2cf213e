#!/usr/bin/env bash
# Removes build output and the clusters of this project. What setup.sh and `make install` installed on the
# machine is kept.
#   clean.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

if [ -d "$state" ]; then
  for directory in "$state"/*/data; do
    if [ -d "$directory" ]; then scripts/cluster.sh remove "$(basename "$(dirname "$directory")")"; fi
  done
  rm -rf "$state"
fi
rm -rf .cache
if command -v cargo >/dev/null; then cargo clean; else rm -rf target; fi
