# shellcheck shell=bash
# Sourced, after scripts/environment.sh, by the scripts that make the Debian package of one program: one for all versions
# of PostgreSQL.
# shellcheck source=packaging/debian/libraries.sh
source packaging/debian/libraries.sh
# shellcheck source=packaging/debian/symbols.sh
source packaging/debian/symbols.sh

# begin_program PACKAGE PROGRAM DIRECTORY: begins in $root the package of a built program, which goes to the directory.
# What else is in it is put into $root and $documents.
begin_program() {
  package=$1 program=$2 output=$3
  version=$(extension_version)
  architecture=$(dpkg --print-architecture)
  maintainer="${DEBFULLNAME:-pg_text2sql contributors} <${DEBEMAIL:-pg_text2sql@localhost}>"
  SOURCE_DATE_EPOCH=$(commit_time)
  export SOURCE_DATE_EPOCH
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  umask 022
  root=$work/root
  documents=$root/usr/share/doc/$package
  local name=${program##*/}
  mkdir -p "$root/DEBIAN" "$documents" "$root/usr/share/lintian/overrides"
  install -D -m 755 "$program" "$root/usr/bin/$name"
  take_symbols "$root/usr/bin/$name" "/usr/bin/$name"
  install -m 644 packaging/debian/copyright "$documents/"
  gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
  gzip -9n >"$documents/changelog.Debian.gz" <<TEXT
pg-text2sql ($version-1) stable; urgency=medium

  * Version $version; its changes are in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT
  sed "s/postgresql-@MAJOR@-text2sql/$package/" packaging/debian/lintian-overrides.in | grep -v -B 1 'repeated-path' |
    sed '$d' >"$root/usr/share/lintian/overrides/$package"
  printf '%s\n' "$package: no-manual-page [usr/bin/$name]" >>"$root/usr/share/lintian/overrides/$package"
}

# end_program: makes the package, with what is read as its description, and prints the file's name.
end_program() {
  {
    cat <<TEXT
Package: $package
Source: pg-text2sql
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $(library_packages "$program")
Section: database
Priority: optional
TEXT
    cat
  } >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  local file=${package}_$version-1_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$file" >/dev/null
  mv "$work/$file" "$output/$file"
  printf '%s\n' "$output/$file"
}
