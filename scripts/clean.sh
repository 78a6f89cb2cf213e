#!/usr/bin/env bash
# Removes what was built and the clusters of this project. What setup.sh and `make install` put on the
# machine stays.
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
