#!/usr/bin/env bash
# The program text2sql-server, which is the same for all versions of PostgreSQL.
#   text2sql_server.sh build [release|debug]      builds it, in target/release (with the extension) or target/debug
#   text2sql_server.sh install [release|quick|debug]    copies it beside the programs of PG_CONFIG, below DESTDIR if that is set
#   text2sql_server.sh uninstall
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/programs.sh
source scripts/programs.sh

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

install_it() {
  [ -x "$built" ] || fail "$server_program is not built" "run: scripts/text2sql_server.sh build $profile"
  find_place "$server_program" "make && sudo make install"
  put_program "$built"
}

case $command in
  build) build ;;
  install) install_it ;;
  uninstall)
    find_place "$server_program" "sudo make uninstall"
    remove_program
    ;;
  *) usage ;;
esac
