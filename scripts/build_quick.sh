#!/usr/bin/env bash
# Builds what `make demo` needs in one call of cargo, in the profile `quick`: the library with its SQL scripts, in
# target/package/pgNN-quick, the file of the embedder, and text2sql-server. What several of them use is compiled once.
#   build_quick.sh     prints `extension` when the first two can be installed and `page` when the last can; what is
#                      left, and errors, are on stderr
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_headers
target=${CARGO_TARGET_DIR:-target}
features=(--no-default-features --features "$extension/pg$postgres_major")
selection=(--package "$extension" --package extension_schema --package encoder_file --package text2sql_server)

# The seconds of processor time that the larger crates take to compile, on some machine: only their proportion counts.
# All others take about one.
declare -A seconds=([pg_text2sql]=30 [sqlparser]=40 [text2sql_analysis]=9 [text2sql_engine]=5 [text2sql_server]=24
  [text2sql_sql]=5 [text2sql_retrieval]=30 [text2sql_metrics]=7 [text2sql_builtin]=4 [text2sql_language]=12
  [text2sql_understanding]=15 [pgrx-pg-sys]=12 [pgrx]=8 [rmcp]=20 [axum]=6 [utoipa]=5 [reqwest]=8 [rustls]=5 [ring]=5
  [tokio]=5 [text2sql_sentence_encoder]=8)
cost() { printf -v "$2" '%s' "${seconds[$1]:-1}"; }

# Each package once, without its version.
mapfile -t packages < <(cargo tree --locked --edges normal,build --prefix none --format '{p}' "${selection[@]}" \
  "${features[@]}" | awk 'NF { print $1, $2 }' | sort -u)
total=${#packages[@]} all=0
for package in "${packages[@]}"; do cost "${package%% *}" one && all=$((all + one)); done

declare -A compiled=()
finished=0 done_cost=0 spent=0 shown=-30
# Once for each package: a build script and a library are two artifacts. `spent` counts what was compiled now.
take_artifact() {
  local id=${1#*'"package_id":"'} name one
  id=${id%%'"'*}
  [ -z "${compiled[$id]:-}" ] || return 0
  compiled[$id]=yes
  name=${id##*#}
  # A name that is also its directory's is left out: path+file:///…/name#version.
  case $name in *@*) name=${name%@*} ;; *) name=${id%#*} && name=${name##*/} ;; esac
  cost "$name" one
  finished=$((finished + 1)) done_cost=$((done_cost + one))
  case $1 in *'"fresh":true'*) ;; *) spent=$((spent + one)) ;; esac
}
say_progress() {
  local left=$((all - done_cost)) minutes
  # Without a terminal, a line in half a minute.
  if [ ! -t 2 ] && [ $((SECONDS - shown)) -lt 30 ]; then return; fi
  shown=$SECONDS
  if [ "$spent" -lt 20 ] || [ "$left" -le 0 ]; then return; fi
  minutes=$((SECONDS * left / spent / 60 + 1))
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  printf 'building: %s of %s crates, about %s minute%s left' "$finished" "$total" "$minutes" "$([ "$minutes" = 1 ] || echo s)" >&2
  if [ ! -t 2 ]; then printf '\n' >&2; fi
}
end_progress() { if [ -t 2 ]; then printf '\r\033[K' >&2; fi; }

# The file of the embedder is made beside compiling. Not having it is no error: the embedder is then `hash`.
encoder=
make_encoder() {
  local log
  log=$(scripts/encoder.sh "$target/quick/encoder_file" 2>&1 >/dev/null) ||
    say "the embedder is hash, which knows words and not what they mean: $(tail -n 2 <<<"$log" | sed -n 's/^error: //p')" >&2
}

library='' schema='' announced=''
announce_extension() {
  [ -n "$library" ] && [ -n "$schema" ] && [ -z "$announced" ] || return 0
  announced=yes
  scripts/assemble.sh quick
  if [ -n "$encoder" ]; then wait "$encoder" || true; fi
  say extension
}

status=1
while IFS= read -r line; do
  case $line in
    *'"reason":"compiler-artifact"'*)
      take_artifact "$line"
      case $line in
        *'"kind":["cdylib"]'*"\"name\":\"$extension\""*) library=yes ;;
        *'"kind":["bin"]'*'"name":"extension_schema"'*) schema=yes ;;
        *'"kind":["bin"]'*'"name":"encoder_file"'*)
          if [ ! -f "$encoder_file" ]; then make_encoder & encoder=$!; fi
          ;;
      esac
      announce_extension
      say_progress
      ;;
    *'"reason":"build-finished","success":true'*) status=0 ;;
  esac
done < <(cargo build --quiet --locked --profile quick --message-format json-render-diagnostics "${selection[@]}" "${features[@]}" \
  --lib --bin extension_schema --bin encoder_file --bin "$server_program")
end_progress
[ "$status" = 0 ] || fail "the build failed"
say page
