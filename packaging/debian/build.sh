#!/usr/bin/env bash
# Makes the Debian package for the PostgreSQL of PG or PG_CONFIG from what scripts/build.sh has built, with the name
# and the directories of PostgreSQL's own packages: postgresql-NN-text2sql, and its symbols beside it. Prints the name of
# the former.
#   build.sh                      from target/package/pgNN to target/packages
#   build.sh BUILT DIRECTORY      from BUILT/lib and BUILT/extension to DIRECTORY
# DEBFULLNAME and DEBEMAIL name who packs it.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"
# shellcheck source=packaging/debian/libraries.sh
source packaging/debian/libraries.sh
# shellcheck source=packaging/debian/symbols.sh
source packaging/debian/symbols.sh

built=${1:-$(package_directory)}
output=${2:-target/packages}
version=$(extension_version)
for program in dpkg-deb objcopy objdump strip; do
  command -v "$program" >/dev/null ||
    fail "$program not found, which makes a Debian package" "install it first; on Debian it is in dpkg or binutils"
done

library=$built/lib/$extension.so
[ -f "$library" ] || fail "nothing is built for PostgreSQL $postgres_major in $built" "run: PG=$postgres_major make"
[ -f "$built/extension/$extension--$version.sql" ] ||
  fail "what is built in $built is another version than $version, that of Cargo.toml" "run: PG=$postgres_major make"
# PostgreSQL's own mark in a library: its version in hundredths, and constants of the server.
printf -v mark '\\x%02x\\x%02x' $((postgres_major * 100 % 256)) $((postgres_major * 100 / 256))
LC_ALL=C grep -qaP "$mark\\x00\\x00\\x64\\x00\\x00\\x00\\x20\\x00\\x00\\x00\\x40\\x00\\x00\\x00" "$library" ||
  fail "$library was built for another PostgreSQL than $postgres_major" "run: PG=$postgres_major make"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
package=postgresql-$postgres_major-text2sql
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-pg_text2sql contributors} <${DEBEMAIL:-pg_text2sql@localhost}>"
# The same commit makes the same package.
SOURCE_DATE_EPOCH=$(commit_time)
export SOURCE_DATE_EPOCH
root=$work/root
libraries=$root/usr/lib/postgresql/$postgres_major/lib
scripts=$root/usr/share/postgresql/$postgres_major/extension
documents=$root/usr/share/doc/$package
mkdir -p "$libraries" "$scripts" "$documents" "$root/usr/share/lintian/overrides" "$root/DEBIAN"

install -m 644 "$library" "$libraries/"
take_symbols "$libraries/$extension.so" "/usr/lib/postgresql/$postgres_major/lib/$extension.so"
install -m 644 "$built/extension/$extension.control" "$built/extension/$extension"--*.sql "$scripts/"

fill_in() {
  sed -e "s/@MAJOR@/$postgres_major/g" -e "s/@VERSION@/$version-1/g" -e "s/@ARCHITECTURE@/$architecture/g" \
    -e "s/@MAINTAINER@/$maintainer/g" -e "s/@SIZE@/${size:-}/g" -e "s/@LIBRARIES@/${depends:-}/g" "$1"
}
install -m 644 packaging/debian/copyright "$documents/"
fill_in packaging/debian/README.Debian >"$documents/README.Debian"
fill_in packaging/debian/lintian-overrides.in >"$root/usr/share/lintian/overrides/$package"
# The commit's pages, not what else is in the directory.
install -m 644 README.md "$documents/"
cp -r --no-preserve=mode docs "$documents/"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
packaging/third_party_licences.sh | gzip -9n >"$documents/third_party_licences.gz"
gzip -9n >"$documents/changelog.Debian.gz" <<TEXT
pg-text2sql ($version-1) stable; urgency=medium

  * Version $version; its changes are in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT

depends=$(library_packages "$library")
size=$(du -sk --apparent-size "$root/usr" | cut -f1)
fill_in packaging/debian/control.in >"$root/DEBIAN/control"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

mkdir -p "$output"
file=${package}_$version-1_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$file" >/dev/null
mv "$work/$file" "$output/$file"
printf '%s\n' "$output/$file"
