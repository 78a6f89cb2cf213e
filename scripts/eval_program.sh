#!/usr/bin/env bash
# The program text2sql_eval, which evaluates over several connections and databases, and imports public benchmarks.
#   eval_program.sh build       builds it in release mode
#   eval_program.sh install     the same, and copies it beside the programs of PG_CONFIG, below DESTDIR if that is set
#   eval_program.sh uninstall
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/programs.sh
source scripts/programs.sh

program=text2sql_eval
build() { cargo_release build "${research[@]}" --release -p "$program"; }
case ${1:-} in
  build) build ;;
  install)
    build
    find_place "$program" "make eval-program && sudo make eval-program"
    put_program "${CARGO_TARGET_DIR:-target}/release/$program"
    ;;
  uninstall)
    find_place "$program" "sudo scripts/eval_program.sh uninstall"
    remove_program
    ;;
  *) fail "usage: eval_program.sh build|install|uninstall" ;;
esac
