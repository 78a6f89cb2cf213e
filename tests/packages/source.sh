#!/usr/bin/env bash
# The source archive builds and installs without a network, with an empty cargo home; the archives are the same
# each time, and name no directory of this machine. Takes some minutes: every crate is compiled.
#   source.sh
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/source.sh "$work/first" >/dev/null
packaging/source.sh "$work/second" >/dev/null
found=$(diff -rq "$work/first" "$work/second" || true)
same "source: the same commit gives the same archives" "" "$found"

tar -xzf "$work"/first/*.tar.gz -C "$work"
unpacked=("$work/$extension"-*/)
cd "${unpacked[0]}"
found=$(grep -rlF "$project/" --include=* . | head -n 5 || true)
same "source: it names no directory of this machine" "" "$found"
found=$(find . -perm /022 -o -path ./target -o -name .git | head -n 5)
same "source: nothing is writable for others, or left over" "" "$found"

# Without a network, where the kernel lets us.
offline=()
for command in "unshare -n" "unshare -rn"; do
  if $command true 2>/dev/null; then
    read -r -a offline <<<"$command"
    break
  fi
done
build() {
  # Whether it compiles is the question, not how fast it runs.
  local -x CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
  env -u CARGO_TARGET_DIR PG="$postgres_major" PG_CONFIG="$pg_config" CARGO_HOME="$work/cargo" CARGO_NET_OFFLINE=true \
    RUSTUP_DIST_SERVER=http://127.0.0.1:9 DESTDIR="$work/installed" "${offline[@]}" make "$@"
}
mkdir "$work/cargo"
if build >"$work/log" 2>&1 && build install >>"$work/log" 2>&1; then found=built; else found=$(tail -n 40 "$work/log"); fi
same "source: make and make install need no network (${offline[*]:-cargo offline})" built "$found"
found=$(cd "$work/installed" && find . -type f | sed 's/.*\///' | grep -cE "^$extension(\.so|\.control|--$(extension_version)\.sql)\$" || true)
same "source: it installs library, control file and script" 3 "$found"
exit "$failures"
