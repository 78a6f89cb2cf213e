#!/usr/bin/env bash
# Creates a copy of the PostgreSQL installation into which tests can install the extension without write access
# to the original installation and without replacing its library. PostgreSQL finds its directories relative to
# its programs, so programs are copied, the rest is linked.
#   server_copy.sh NAME    prints the pg_config of the copy
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

[ $# = 1 ] || fail "usage: server_copy.sh NAME"
require_server
make_state_dir
copy=$state/$1
libraries=$("$pg_config" --pkglibdir)
share=$("$pg_config" --sharedir)
headers=$("$pg_config" --includedir-server)

rm -rf "${copy:?}"
umask 022
mkdir -p "$copy$bindir" "$copy$libraries" "$copy$share/extension" "$copy$(dirname "$headers")"
cp -P "$bindir"/* "$copy$bindir"
ln -s "$libraries"/* "$copy$libraries"
for entry in "$share"/* "$share"/extension/*; do
  # The extension itself is omitted: installing would write through the link.
  case $entry in "$share/extension" | "$share/$encoder_directory" | */"$extension".control | */"$extension"--*) continue ;; esac
  ln -s "$entry" "$copy$entry"
done
ln -s "$headers" "$copy$headers"
rm -f "$copy$libraries/$extension.so"
printf '%s\n' "$PGRX_PG_CONFIG_PATH" >"$copy$bindir/$origin_file"
printf '%s\n' "$copy$bindir/pg_config"
