# shellcheck shell=bash
# Sourced by the scripts that make Debian packages: puts the symbols of a library or program into a package of their
# own, PACKAGE-dbgsym, where debuggers and profilers look for them. They name functions; lines of source files are not
# in them. Needs work, package, version, architecture and maintainer of the package.

# take_symbols FILE PATH: out of the file, which will be installed as PATH.
take_symbols() {
  local file=$1 root=$work/symbols place
  place=$root/usr/lib/debug$2.debug
  mkdir -p "$(dirname "$place")" "$root/DEBIAN" "$output"
  objcopy --only-keep-debug "$file" "$place"
  chmod 644 "$place"
  strip --strip-unneeded --remove-section=.comment "$file"
  objcopy --add-gnu-debuglink="$place" "$file"
  cat >"$root/DEBIAN/control" <<TEXT
Package: $package-dbgsym
Source: pg-text2sql
Version: $version-1
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $package (= $version-1)
Section: debug
Priority: optional
Description: symbols of $package
 Names of functions for backtraces and profiles.
TEXT
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$work/symbols.deb" >/dev/null
  mv "$work/symbols.deb" "$output/$package-dbgsym_$version-1_$architecture.deb"
}
