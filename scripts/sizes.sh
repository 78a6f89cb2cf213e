#!/usr/bin/env bash
# The sizes of the release build, compared with packaging/sizes.tsv: the two files without symbols, and the machine code
# that each crate has in them. Fails where a file has grown by more than 3 %, with the crates that grew. The recorded
# library is that of one version of PostgreSQL; those of the others differ by less than that.
#   sizes.sh check      after `make`
#   sizes.sh update     records what was built
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

recorded=packaging/sizes.tsv
case ${1:-} in check | update) ;; *) fail "usage: sizes.sh check|update" ;; esac
for program in nm strip; do
  command -v "$program" >/dev/null || fail "$program not found" "install it first; on Debian it is in binutils"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME FILE: its size without symbols, then that of each crate of at least 20 kB.
measure() {
  [ -f "$2" ] || fail "$2 is not built" "run: make"
  strip --strip-unneeded -o "$work/stripped" "$2"
  printf '%s\tall\t%s\n' "$1" "$(stat -c %s "$work/stripped")"
  nm --print-size --radix=d --demangle --defined-only "$2" | awk -v file="$1" '
    $3 ~ /^[tTwW]$/ {
      name = $0
      sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name)
      while (sub(/^([<&*([ ]|mut |dyn |const )/, "", name)) { }
      if (match(name, /^[A-Za-z_][A-Za-z_0-9]*::/)) bytes[substr(name, 1, RLENGTH - 2)] += $2
      else bytes["other"] += $2
    }
    END { for (name in bytes) if (bytes[name] >= 20000) print file "\t" name "\t" bytes[name] }' | sort -t $'\t' -k3,3nr
}
{
  measure library "$(package_directory)/lib/$extension.so"
  measure "$server_program" "${CARGO_TARGET_DIR:-target}/release/$server_program"
} >"$work/now.tsv"

if [ "$1" = update ]; then
  cp "$work/now.tsv" "$recorded"
  grep $'\tall\t' "$recorded"
  exit
fi
awk -F '\t' '
  NR == FNR { before[$1 "\t" $2] = $3; next }
  { now[$1 "\t" $2] = $3; file[$1 "\t" $2] = $1; crate[$1 "\t" $2] = $2 }
  END {
    for (key in now) if (crate[key] == "all") {
      growth = 100 * (now[key] / before[key] - 1)
      verdict = (growth > 3) ? "not ok" : "ok"
      printf("%s - %s: %d bytes, %+.1f %%\n", verdict, file[key], now[key], growth)
      if (growth <= 3) continue
      failed = 1
      for (other in now) if (file[other] == file[key] && crate[other] != "all" && now[other] > 1.03 * before[other])
        printf "    %s: %d bytes, %+d\n", crate[other], now[other], now[other] - before[other]
    }
    exit failed
  }' "$recorded" "$work/now.tsv"
