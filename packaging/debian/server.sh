#!/usr/bin/env bash
# Makes the Debian package of text2sql-server from what scripts/text2sql_server.sh has built: the program, a service
# of systemd and its configuration. One for all versions of PostgreSQL. Prints the file's name.
#   server.sh                       from target/release to target/packages
#   server.sh PROGRAM DIRECTORY
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"
# shellcheck source=packaging/debian/libraries.sh
source packaging/debian/libraries.sh
# shellcheck source=packaging/debian/symbols.sh
source packaging/debian/symbols.sh

program=${1:-${CARGO_TARGET_DIR:-target}/release/$server_program}
output=${2:-target/packages}
[ -x "$program" ] || fail "$program is not built" "run: scripts/text2sql_server.sh build"
version=$(extension_version)
package=$server_program
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-pg_text2sql contributors} <${DEBEMAIL:-pg_text2sql@localhost}>"
SOURCE_DATE_EPOCH=$(commit_time)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/root
documents=$root/usr/share/doc/$package
mkdir -p "$root/DEBIAN" "$documents" "$root/usr/share/lintian/overrides"

install -D -m 755 "$program" "$root/usr/bin/$server_program"
take_symbols "$root/usr/bin/$server_program" "/usr/bin/$server_program"
install -D -m 644 packaging/server/text2sql-server.service "$root/usr/lib/systemd/system/text2sql-server.service"
install -D -m 644 packaging/server/text2sql-server.toml "$root/etc/text2sql-server.toml"
printf '/etc/text2sql-server.toml\n' >"$root/DEBIAN/conffiles"
install -m 644 packaging/debian/copyright docs/server.md "$documents/"
install -D -m 644 docs/reference/server.md "$documents/reference/server.md"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
packaging/third_party_licences.sh text2sql_server | gzip -9n >"$documents/third_party_licences.gz"
gzip -9n >"$documents/changelog.Debian.gz" <<TEXT
pg-text2sql ($version-1) stable; urgency=medium

  * Version $version; its changes are in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT
sed "s/postgresql-@MAJOR@-text2sql/$package/" packaging/debian/lintian-overrides.in | grep -v -B 1 'repeated-path' |
  sed '$d' >"$root/usr/share/lintian/overrides/$package"
printf '%s\n' "$package: no-manual-page [usr/bin/$server_program]" >>"$root/usr/share/lintian/overrides/$package"
cat >"$root/DEBIAN/control" <<TEXT
Package: $package
Source: pg-text2sql
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $(library_packages "$program")
Recommends: ca-certificates
Section: database
Priority: optional
Description: page and HTTP in front of a database with pg_text2sql
 People who know no SQL ask a PostgreSQL database in plain language, in a
 browser; programs do it over HTTP. People log in with their own name and
 password of PostgreSQL, which decides what they may see.
 .
 The database needs the extension pg_text2sql, and may be on another machine.
TEXT
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
mkdir -p "$output"
file=${package}_$version-1_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$file" >/dev/null
mv "$work/$file" "$output/$file"
printf '%s\n' "$output/$file"
