#!/usr/bin/env bash
# The Debian package of text2sql_eval: what is in it, that dpkg installs and removes it, and that its program runs.
#   eval.sh             made of the debug build
#   eval.sh release     made of the release build
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

if ! command -v dpkg-deb >/dev/null; then
  say "skipped: packages/eval needs dpkg"
  exit
fi
profile=${1:-debug}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
if [ "$profile" = release ]; then
  build=(scripts/eval_program.sh build)
else
  export DPKG_DEB_COMPRESSOR_LEVEL=0
  build=(cargo build "${research[@]}" -p text2sql_eval)
fi
"${build[@]}" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
version=$(extension_version)
deb=$(packaging/debian/eval.sh "${CARGO_TARGET_DIR:-target}/$profile/text2sql_eval" "$work/first")

contents=$(dpkg-deb --contents "$deb" | awk '{ print $1, $2, $6 }')
found=$(awk '$3 !~ /\/$/ && $3 !~ /^.\/usr\/share\// { print }' <<<"$contents")
same "eval deb: the program, which belongs to root" "-rwxr-xr-x root/root ./usr/bin/text2sql_eval" "$found"
found=$(awk '{ print $3 }' <<<"$contents" | grep -cE '/doc/text2sql-eval/(evaluation.md|copyright|third_party_licences.gz)$')
same "eval deb: its page, licence and those of its crates" 3 "$found"
dpkg-deb -x "$deb" "$work/unpacked"
dpkg-deb -e "$deb" "$work/control"
(cd "$work/unpacked" && md5sum --quiet -c "$work/control/md5sums") && found=fit || found="do not fit"
same "eval deb: the checksums fit" fit "$found"
found=$(gzip -dc "$work/unpacked/usr/share/doc/text2sql-eval/third_party_licences.gz" | grep -o '^  \(postgres\|serde_json\) ' | sort -u | wc -l)
same "eval deb: the licences are those of its own crates" 2 "$found"
if [ "$profile" = release ] && command -v lintian >/dev/null; then
  found=$(lintian "$deb" 2>&1 | grep -E '^[EW]:' || true)
  same "eval deb: lintian finds neither errors nor warnings" "" "$found"
fi

# dpkg installs it in an empty root.
root=$work/root
in_root() { dpkg --root="$root" --force-not-root --force-unsafe-io --force-depends --log=/dev/null "$@" 2>&1; }
mkdir -p "$root/var/lib/dpkg/"{info,updates}
touch "$root/var/lib/dpkg/status"
in_root -i "$deb" >"$work/log" || cat "$work/log"
found=$("$root/usr/bin/text2sql_eval" --version)
same "eval deb: the program says its version" "text2sql_eval $version" "$found"
in_root -P text2sql-eval >"$work/log" || cat "$work/log"
found=$(find "$root" -type f ! -path "$root/var/*")
same "eval deb: removed, nothing of it is left" "" "$found"
exit "$failures"
