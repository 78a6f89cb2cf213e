#!/usr/bin/env bash
# Prints the times of the stages of test runs, which stages.sh notes in target/stages.tsv: a line for each stage with
# when it began (seconds since 1970), the script that ran it, its name, its seconds, how it ended (passed, failed,
# skipped), and how many tests passed, failed and were skipped.
#   stage_times.sh [SINCE]      of the stages that began then or later; without it of all that are noted
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

since=${1:-0}
case $since in *[!0-9]*) fail "usage: stage_times.sh [SECONDS-SINCE-1970]" ;; esac
[ -f "$stages_file" ] || exit 0
# From the first begin to the last end: stages that run side by side are not added up.
awk -F '\t' -v since="$since" '
  $1 < since { next }
  !stages++ {
    printf "%9s  %-7s  %6s %6s %7s  %s\n", "seconds", "ended", "passed", "failed", "skipped", "stage"
    first = $1
  }
  {
    printf "%9.1f  %-7s  %6d %6d %7d  %s: %s\n", $4, $5, $6, $7, $8, $2, $3
    if ($1 < first) first = $1
    if ($1 + $4 > last) last = $1 + $4
  }
  END { if (stages) printf "%9.1f  from the first to the last\n", last - first }' "$stages_file"
