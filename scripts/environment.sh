# shellcheck shell=bash
# Sourced by the other scripts: paths, the server, its user, messages. Sets project, state, server_user,
# postgres_major and, where that server is installed, pg_config; changes into the project's directory.

extension=pg_text2sql
# The program that offers the page and HTTP.
server_program=text2sql-server

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$project" || exit

# rustup writes to a shell profile that `make` in the same session has not read.
if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
  PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
fi

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then server_user=postgres; else server_user=$(id -un); fi
as_server_user() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u "$server_user" -- "$@"); else "$@"; fi
}

# Settings for the caller's own server must not reach the private clusters.
forget_callers_server() {
  unset PGDATA PGHOST PGHOSTADDR PGPORT PGUSER PGPASSWORD PGDATABASE PGOPTIONS PGSERVICE PGSSLMODE
}

can_be_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || return
  id -nG | grep -qwE 'sudo|wheel|admin' || sudo -n true 2>/dev/null
}

# Prints the directory of what `build.sh "$@"` builds.
package_directory() {
  local name=pg$postgres_major
  if [ "${1:-release}" != release ]; then name+=$(printf -- '-%s' "$@"); fi
  printf '%s\n' "${CARGO_TARGET_DIR:-target}/package/$name"
}

# The times of stages of tests, which stage_times.sh prints.
stages_file=${CARGO_TARGET_DIR:-target}/stages.tsv

# The file of the embedder `multilingual`, made by encoder.sh, and where a server looks for it, below its share
# directory.
encoder_file=${CARGO_TARGET_DIR:-target}/encoder/multilingual-1.encoder
encoder_directory=$extension

# Clusters and test files are outside the project: the server's user may have no access to it, and a socket's
# path must be shorter than 100 characters.
state_dir() {
  local base=${TEXT2SQL_STATE_BASE:-${TMPDIR:-/tmp}} hash
  hash=$(printf '%s' "$project" | cksum | cut -d' ' -f1)
  if [ ${#base} -gt 40 ] || { id "$server_user" >/dev/null 2>&1 && ! as_server_user test -x "$base"; }; then
    base=/tmp
  fi
  printf '%s/%s-%s-%s\n' "${base%/}" "$extension" "$(id -un)" "$hash"
}
make_state_dir() {
  mkdir -m 755 "$state" 2>/dev/null || true
  # The name is predictable, and the directory above is writable by all users.
  if [ ! -d "$state" ] || [ -L "$state" ] || [ ! -O "$state" ]; then
    fail "$state exists and is not a directory of user $(id -un)"
  fi
}
state=$(state_dir)

# The version of the extension, which is written once.
extension_version() { sed -n '/^\[workspace\.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml; }
# When this commit was made, in seconds: what is packed must not depend on when that is done. In an unpacked
# archive all files have the time of its commit.
commit_time() { git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.toml; }
# Runs cargo for a release build: messages of panics and errors name source files, and those of a released library
# must not name directories of the machine that built it. (With other flags every crate is compiled again.)
cargo_release() {
  local rust flags=() separator=$'\x1f'
  rust=$(rustc --print sysroot)
  read -r -a flags <<<"${RUSTFLAGS:-}" || true
  flags+=("--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" "--remap-path-prefix=$rust=/rust"
    "--remap-path-prefix=$project=.")
  # Functions of equal code become one, which Rust's own linker can do; it is the default on this platform only.
  case "$(rustc -vV | sed -n 's/^host: //p') ${RUSTFLAGS:-}" in
    *linker* | *fuse-ld*) ;;
    x86_64-unknown-linux-gnu\ *) flags+=("-Clink-arg=-Wl,--icf=all") ;;
  esac
  # Addresses that the loader fills in take a tenth of both files; in their newer form, next to nothing. What is built
  # with this C library needs it anyway.
  case "$(getconf GNU_LIBC_VERSION 2>/dev/null || true)" in
    'glibc 2.'[0-9] | 'glibc 2.'[12][0-9] | 'glibc 2.3'[0-5]) ;;
    'glibc '*) flags+=("-Clink-arg=-Wl,-z,pack-relative-relocs") ;;
  esac
  CARGO_ENCODED_RUSTFLAGS=$(IFS=$separator && printf '%s' "${flags[*]}") CC_SHELL_ESCAPED_FLAGS=1 \
    CFLAGS="${CFLAGS:-} '-ffile-prefix-map=$project=.'" cargo "$@"
}

# shellcheck source=scripts/choose_server.sh
source scripts/choose_server.sh
choose_server
# Selects what debug builds and tests are made of: all packages, and the extension for this server with the functions
# of ring 2. Commands select all of it and then a target, because for another selection cargo unites other features, and
# compiles everything again.
everything=(--workspace --no-default-features --features "$extension/pg$postgres_major,$extension/pg_test")
# debug_build TARGET…: with a small test, because without any cargo leaves out what dev-dependencies want of features.
debug_build() { cargo build "${everything[@]}" --test packaging "$@"; }

# The workspace of instruments, in the same target directory.
research=(--manifest-path research/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}")

# setup.sh fetches libclang where the system has none.
if [ -z "${LIBCLANG_PATH:-}" ] && [ -d "$registry_dir/libclang" ]; then
  export LIBCLANG_PATH=$registry_dir/libclang/lib
fi
