#!/usr/bin/env bash
# Runs every test that there is, on every version of PostgreSQL: what every commit is held to, and what takes too long
# for that. CONTRIBUTING.md lists it. Not among them is what measures, and what runs on and on: make bench, make soak,
# make fuzz, make eval.
#   nightly.sh
set -uo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

begin=$EPOCHSECONDS
status=0
scripts/test.sh all || status=1
scripts/test_versions.sh all || status=1
say "" "all stages:"
scripts/stage_times.sh "$begin"
exit "$status"
