#!/usr/bin/env bash
# The program text2sql-model, which answers from a model file on the server's own disk. llama.cpp is compiled with it,
# which takes some minutes, so no other command builds it.
#   model_program.sh build      builds it for this machine's processor, in model/target
#   model_program.sh install    builds it where that is needed, and copies it beside the programs of PG_CONFIG, below DESTDIR
#   model_program.sh test       its own tests and lints
#   model_program.sh uninstall
# PORTABLE=yes builds for every x86-64 processor of the last ten years instead.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/apt.sh
source scripts/apt.sh
# shellcheck source=scripts/programs.sh
source scripts/programs.sh

program=text2sql-model
case ${1:-} in build | install | test | uninstall) ;; *) fail "usage: model_program.sh build|install|test|uninstall" ;; esac
unset CARGO_TARGET_DIR
built=model/target/debug/$program

# compile COMMAND…: llama.cpp itself is optimised.
compile() {
  if ! command -v cmake >/dev/null || ! command -v clang >/dev/null; then apt_install cmake clang libclang-dev; fi
  local processor=native
  if [ "${PORTABLE:-}" = yes ] && [ "$(uname -m)" = x86_64 ]; then processor=x86-64-v3; fi
  RUSTFLAGS="-C target-cpu=$processor" LLAMA_LIB_PROFILE=Release nice -n 10 \
    cargo "$1" --manifest-path model/Cargo.toml --locked "${@:2}"
}

case $1 in
  build) compile build ;;
  install)
    [ -x "$built" ] || compile build
    find_place "$program" "make model-program && sudo make model-install"
    put_program "$built"
    ;;
  test)
    cargo fmt --manifest-path model/Cargo.toml --check
    compile clippy --all-targets -- -D warnings
    compile test
    ;;
  uninstall)
    find_place "$program" "sudo scripts/model_program.sh uninstall"
    remove_program
    ;;
esac
