#!/usr/bin/env bash
# Prints the licences of the crates whose code is in the library, or in another package of this workspace or of that of
# MANIFEST: each text once, below the names of the crates that came with it.
#   third_party_licences.sh [PACKAGE [MANIFEST]]
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/environment.sh"

package=${1:-$extension}
manifest=${2:-Cargo.toml}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
# Whatever the version of PostgreSQL, the crates are the same.
target=$(rustc -vV | sed -n 's/^host: //p')
cargo tree --quiet --locked --manifest-path "$manifest" --package "$package" --edges normal,no-proc-macro --prefix none --no-dedupe \
  --target "$target" --format '{p}|{l}' | grep -v " ($project" | sed -E 's/ v([^ |]*)[^|]*/ \1/' | sort -u -t "|" -k 1,1 >"$work/crates"
# The directory of each crate: in cargo's cache, or vendored.
cargo metadata --quiet --locked --manifest-path "$manifest" --format-version 1 --filter-platform "$target" |
  awk 'BEGIN { RS = "[{]\"name\":\"" }
    match($0, /^[^"]+","version":"[^"]+","id":/) { split($0, part, "\""); crate = part[1] " " part[5] }
    match($0, /"manifest_path":"[^"]*"/) { print crate "|" substr($0, RSTART + 17, RLENGTH - 29) }' |
  sort -u -t "|" -k 1,1 >"$work/directories"

mkdir "$work/texts"
while IFS='|' read -r crate licence directory; do
  found=no
  for file in "$directory"/{LICEN[CS]E,COPYING,COPYRIGHT,NOTICE,UNLICENSE,license,copying}*; do
    [ -f "$file" ] || continue
    found=yes
    text=$(sha256sum <"$file")
    text=$work/texts/${text%% *}
    [ -e "$text" ] || cp "$file" "$text"
    printf '%s\n' "$crate ($licence)" >>"$text.crates"
  done
  [ "$found" = yes ] || printf '%s\n' "$crate ($licence)" >>"$work/without"
done < <(join -t '|' "$work/crates" "$work/directories")

printf '%s\n' "$package contains code of Rust's standard library (MIT OR Apache-2.0) and of these crates:" ''
sed -E 's/^(.*)\|(.*)$/  \1 (\2)/' "$work/crates"
for crates in "$work"/texts/*.crates; do
  printf '%s\n' '' '-------------------------------------------------------------------------------' ''
  sort -u "$crates" | sed 's/^/  /'
  printf '\n'
  cat "${crates%.crates}"
done
if [ -f "$work/without" ]; then
  printf '%s\n' '' '-------------------------------------------------------------------------------' '' \
    'Published without a text of their licence, only with its name:' ''
  sed 's/^/  /' "$work/without"
fi
