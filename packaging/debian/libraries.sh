# shellcheck shell=bash
# Sourced by the scripts that make Debian packages.

# Prints the packages of the libraries that a library or program is linked with, with the oldest version that has the
# symbols it uses.
library_packages() {
  local headers needed
  headers=$(objdump -p "$1")
  newest() { sed -n "s/^.* $1_\([0-9.]*\)\$/\1/p" <<<"$headers" | sort -V | tail -n 1; }
  while read -r needed; do
    case $needed in
      libc.so.6 | libm.so.6 | ld-linux*) printf 'libc6 (>= %s)\n' "$(newest GLIBC)" ;;
      libgcc_s.so.1) printf 'libgcc-s1 (>= %s)\n' "$(newest GCC | sed 's/^\([0-9]*\.[0-9]*\)\.0$/\1/')" ;;
      *) fail "$1 needs $needed, and the package that has it is not known" "add it to library_packages in packaging/debian/libraries.sh" ;;
    esac
  done < <(sed -n 's/^ *NEEDED *//p' <<<"$headers") | LC_ALL=C sort -u | paste -sd, | sed 's/,/, /g'
}
