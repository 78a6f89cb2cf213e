#!/usr/bin/env bash
# The Debian package of text2sql-server: what is in it, that dpkg installs and removes it, that its service is one
# that systemd takes, and that its program works with its configuration.
#   server.sh             made of the debug build
#   server.sh release     made of the release build
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

if ! command -v dpkg-deb >/dev/null; then
  say "skipped: packages/server needs dpkg"
  exit
fi
profile=${1:-debug}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
if [ "$profile" != release ]; then export DPKG_DEB_COMPRESSOR_LEVEL=0; fi
scripts/text2sql_server.sh build "$profile" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
program=${CARGO_TARGET_DIR:-target}/$profile/$server_program
version=$(extension_version)
deb=$(packaging/debian/server.sh "$program" "$work/first")

contents=$(dpkg-deb --contents "$deb" | awk '{ print $1, $2, $6 }')
expected="-rw-r--r-- ./etc/text2sql-server.toml
-rw-r--r-- ./usr/lib/systemd/system/text2sql-server.service
-rwxr-xr-x ./usr/bin/text2sql-server"
found=$(awk '$3 !~ /\/$/ && $3 !~ /^.\/usr\/share\// { print $1, $3 }' <<<"$contents" | sort)
same "server deb: program, service and configuration" "$expected" "$found"
found=$(awk '$2 != "root/root"' <<<"$contents")
same "server deb: everything belongs to root" "" "$found"
found=$(awk '{ print $3 }' <<<"$contents" | grep -cE '/doc/text2sql-server/(server.md|copyright|third_party_licences.gz)$')
same "server deb: its page, licence and those of its crates" 3 "$found"
packaging/debian/server.sh "$program" "$work/second" >/dev/null
cmp -s "$deb" "$work/second/${deb##*/}" && found=same || found=different
same "server deb: the same build gives the same file" same "$found"
dpkg-deb -x "$deb" "$work/unpacked"
dpkg-deb -e "$deb" "$work/control"
(cd "$work/unpacked" && md5sum --quiet -c "$work/control/md5sums") && found=fit || found="do not fit"
same "server deb: the checksums fit" fit "$found"
if [ "$profile" = release ]; then
  found=$(for path in "$project" "$HOME" "${CARGO_HOME:-$HOME/.cargo}"; do
    grep -raoF -m 1 "$path/" "$work/unpacked/usr/bin" || true
  done)
  same "server deb: the program names no directory of this machine" "" "$found"
  if command -v lintian >/dev/null; then
    found=$(lintian "$deb" 2>&1 | grep -E '^[EW]:' || true)
    same "server deb: lintian finds neither errors nor warnings" "" "$found"
  fi
fi

# dpkg installs it in an empty root.
root=$work/root
in_root() { dpkg --root="$root" --force-not-root --force-unsafe-io --force-depends --log=/dev/null "$@" 2>&1; }
mkdir -p "$root/var/lib/dpkg/"{info,updates}
touch "$root/var/lib/dpkg/status"
in_root -i "$deb" >"$work/log" || cat "$work/log"
installed=$root/usr/bin/$server_program
found=$("$installed" --version)
same "server deb: the program says its version" "$server_program $version" "$found"
found=$("$installed" serve --config "$root/etc/text2sql-server.toml" --check | grep -E '^(listen|database) ' | sed 's/ *#.*//')
same "server deb: its configuration is valid and safe" 'listen = "127.0.0.1:8432"
database = "host=127.0.0.1 dbname=postgres"' "$found"
if command -v systemd-analyze >/dev/null; then
  # The program is where the service looks for it only where the package is installed.
  sed "s#/usr/bin/text2sql-server#$installed#" "$root/usr/lib/systemd/system/text2sql-server.service" >"$work/text2sql-server.service"
  found=$(systemd-analyze verify "$work/text2sql-server.service" 2>&1 | grep -F text2sql-server || true)
  same "server deb: systemd has nothing to say against its service" "" "$found"
else
  say "skipped: packages/server needs systemd-analyze"
fi
in_root -P "$server_program" >"$work/log" || cat "$work/log"
found=$(find "$root" -type f ! -path "$root/var/*")
same "server deb: removed, nothing of it is left" "" "$found"
exit "$failures"
