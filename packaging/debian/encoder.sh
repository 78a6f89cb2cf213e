#!/usr/bin/env bash
# Makes the Debian package of the embedder `multilingual`, postgresql-text2sql-encoder: one for all versions of
# PostgreSQL and all machines. Its file is found by the servers through a link for each version. Prints the file's
# name; where the file was not fetched, says so and makes nothing.
#   encoder.sh [DIRECTORY]      in target/packages, if no directory is given
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"

output=${1:-target/packages}
name=${encoder_file##*/}
if [ ! -f "$encoder_file" ]; then
  say "no package of the embedder multilingual: make setup fetches its file" >&2
  exit
fi
version=$(extension_version)
package=postgresql-text2sql-encoder
maintainer="${DEBFULLNAME:-pg_text2sql contributors} <${DEBEMAIL:-pg_text2sql@localhost}>"
SOURCE_DATE_EPOCH=$(commit_time)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/root
documents=$root/usr/share/doc/$package
mkdir -p "$root/usr/share/$package" "$documents" "$root/DEBIAN"
install -m 644 "$encoder_file" "$root/usr/share/$package/$name"
for major in ${supported_versions//[!0-9]/ }; do
  links=$root/usr/share/postgresql/$major/$encoder_directory
  mkdir -p "$links"
  ln -s "../../../$package/$name" "$links/$name"
done
{
  cat packaging/debian/copyright
  printf '\nFiles: /usr/share/%s/%s\nCopyright: Google\nLicense: Apache-2.0\nComment:\n' "$package" "$name"
  sed 's/^$/./; s/^/ /' packaging/multilingual-1.txt
} >"$documents/copyright"
gzip -9n >"$documents/changelog.Debian.gz" <<TEXT
pg-text2sql ($version-1) stable; urgency=medium

  * Version $version.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT
cat >"$root/DEBIAN/control" <<TEXT
Package: $package
Source: pg-text2sql
Version: $version-1
Architecture: all
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Section: database
Priority: optional
Description: multilingual sentence encoder for pg_text2sql
 The embedder "multilingual" of pg_text2sql: the search index then knows what
 words and sentences mean, in 16 languages. It runs inside the server, without
 a network. Without this package, pg_text2sql compares words.
TEXT
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
mkdir -p "$output"
file=${package}_$version-1_all.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$file" >/dev/null
mv "$work/$file" "$output/$file"
printf '%s\n' "$output/$file"
