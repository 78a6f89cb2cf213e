#!/usr/bin/env bash
# Copies the output of build.sh, and the file of the embedder that encoder.sh has made, into the PostgreSQL installation of PG_CONFIG, below DESTDIR if that is set.
# Unchanged files are not copied.
#   install.sh                         installs what build.sh built
#   install.sh quick                   installs what build_quick.sh built
#   install.sh debug                   installs what `build.sh debug` built
#   install.sh uninstall               removes the extension's files
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

require_pg_config
root=${DESTDIR:-}
library_dir=$root$("$pg_config" --pkglibdir)
script_dir=$root$("$pg_config" --sharedir)/extension
encoder_dir=$root$("$pg_config" --sharedir)/$encoder_directory

privileged=()
if [ -z "$root" ] && { [ ! -w "$library_dir" ] || [ ! -w "$script_dir" ]; }; then
  can_be_root ||
    fail "no permission to write to $library_dir and $script_dir" "run: make && sudo make install"
  privileged=(sudo)
fi

if [ "${1:-install}" = uninstall ]; then
  "${privileged[@]}" rm -fv "$library_dir/$extension.so" "$script_dir/$extension.control" \
    "$script_dir/$extension"--*.sql "$encoder_dir"/multilingual-*
  [ ! -d "$encoder_dir" ] || "${privileged[@]}" rmdir "$encoder_dir"
  exit
fi

package=$(package_directory "$@")
[ -d "$package" ] || fail "nothing is built for PostgreSQL $postgres_major" "run: scripts/build.sh${*:+ $*}"
changed=no
files=("$package")
if [ -f "$encoder_file" ]; then files+=("$encoder_file" packaging/multilingual-1.txt); fi
while IFS= read -r -d '' file; do
  case $file in
    *.so) destination=$library_dir mode=755 ;;
    *.encoder | packaging/*) destination=$encoder_dir mode=644 ;;
    *) destination=$script_dir mode=644 ;;
  esac
  destination=$destination/${file##*/}
  if cmp -s "$file" "$destination"; then continue; fi
  # A new file instead of overwriting the old one, which a running server has mapped: neither a library nor the
  # encoder may change or become shorter under it.
  "${privileged[@]}" install -D -m "$mode" "$file" "$destination.new"
  "${privileged[@]}" mv -f "$destination.new" "$destination"
  say "installed $destination"
  changed=yes
done < <(find "${files[@]}" -type f -print0)
[ -f "$encoder_dir/${encoder_file##*/}" ] ||
  say "the embedder multilingual is not among them, and hash is used: make setup fetches it"
[ "$changed" = yes ] || say "the installed files are up to date"
