#!/usr/bin/env bash
# The program text2sql-server, which is the same for all versions of PostgreSQL.
#   text2sql_server.sh build [release|debug]      builds it, in target/release (with the extension) or target/debug
#   text2sql_server.sh install [release|quick|debug]    copies it beside the programs of PG_CONFIG, below DESTDIR if that is set
#   text2sql_server.sh uninstall
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() { fail "usage: text2sql_server.sh build|install [release|quick|debug], or uninstall"; }
command=${1:-} profile=${2:-release}
case $command:$profile in *:release | *:debug | install:quick) ;; *) usage ;; esac
built=${CARGO_TARGET_DIR:-target}/$profile/$server_program

build() {
  if [ "$profile" = release ]; then
    scripts/build.sh release
  else
    debug_build --bin "$server_program"
  fi
}

# Sets the place of the program, and how files are put there.
find_place() {
  require_pg_config
  local root=${DESTDIR:-}
  place=$root$("$pg_config" --bindir)/$server_program
  privileged=()
  if [ -z "$root" ] && [ ! -w "$(dirname "$place")" ]; then
    can_be_root || fail "no permission to write to $(dirname "$place")" "run: make && sudo make install"
    privileged=(sudo)
  fi
}

install_it() {
  [ -x "$built" ] || fail "$server_program is not built" "run: scripts/text2sql_server.sh build $profile"
  find_place
  if cmp -s "$built" "$place"; then
    say "the installed $server_program is up to date"
    return
  fi
  # A new file, because the old one may run.
  "${privileged[@]}" install -D -m 755 "$built" "$place.new"
  "${privileged[@]}" mv -f "$place.new" "$place"
  say "installed $place"
}

case $command in
  build) build ;;
  install) install_it ;;
  uninstall)
    find_place
    "${privileged[@]}" rm -fv "$place"
    ;;
  *) usage ;;
esac
