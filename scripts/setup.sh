#!/usr/bin/env bash
# Installs missing build and test dependencies. Nothing is installed twice, and no database cluster is created,
# started or changed.
#   setup.sh
set -Eeuo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

packages=(
  "postgresql-$postgres_major" "postgresql-server-dev-$postgres_major"
  libclang-14-dev clang-14 # bindings to the server's headers are made at build time
  build-essential pkg-config libssl-dev git ca-certificates
  sqlsmith # its statements are tried on the guard
  "postgresql-$postgres_major-hypopg" # tests of text2sql.optimize imagine indexes
  sudo # cargo-pgrx uses it to become the server's user
)
pgvector_package=postgresql-$postgres_major-pgvector
apt_updated=
temporary=()

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
clean_up() {
  [ ${#temporary[@]} -eq 0 ] || as_root rm -rf "${temporary[@]}"
}
trap clean_up EXIT
trap 'echo "error: setup.sh failed in line $LINENO" >&2' ERR
require_root() {
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    fail "$1 must be installed, and this user is neither root nor has sudo" "run as root: $2"
  command -v apt-get >/dev/null || fail "$1 must be installed, and there is no apt-get to do it"
}
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" = 0 ] || tail -n 40 "$log" >&2
  rm -f "$log"
  return "$status"
}
apt_get() { quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q "$@"; }
apt_update() {
  [ -z "$apt_updated" ] || return 0
  say "updating the package lists"
  apt_get update || fail "apt-get update failed"
  apt_updated=yes
}
installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]; }
apt_install() {
  say "installing $*"
  apt_get install --no-install-recommends "$@" || fail "could not install $*"
}

install_packages() {
  local package missing=() present
  present=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    case $'\n'"$present"$'\n' in *$'\n'"ii $package"$'\n'*) ;; *) missing+=("$package") ;; esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  require_root "${missing[*]}" "apt-get install ${missing[*]}"
  apt_update
  if ! installed "postgresql-$postgres_major"; then
    # The package would create and start a cluster on the default port.
    as_root mkdir -p /etc/postgresql-common/createcluster.d
    local setting=/etc/postgresql-common/createcluster.d/$extension.conf
    temporary+=("$setting")
    echo 'create_main_cluster = false' | as_root tee "$setting" >/dev/null
  fi
  apt_install "${missing[@]}"
}

install_toolchain() {
  command -v cargo >/dev/null || fail "cargo not found" "install Rust first: see the page of rustup"
  cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1 && return
  command -v rustup >/dev/null || fail "cargo does not run: $(cargo --version 2>&1 | head -n 1)"
  local channel
  channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  say "installing Rust $channel"
  quietly rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy ||
    fail "could not install Rust $channel"
}

install_cargo_pgrx() {
  local version
  # The version is written once, in Cargo.toml: the tool must have the same version as the crate.
  version=$(sed -n 's/^pgrx = { version = "=\([^"]*\)".*/\1/p' Cargo.toml)
  [ -n "$version" ] || fail "no pinned version of pgrx in Cargo.toml"
  [ "$(cargo pgrx --version 2>/dev/null || true)" != "cargo-pgrx $version" ] || return 0
  say "installing cargo-pgrx $version (some minutes)"
  quietly cargo install cargo-pgrx --version "$version" --locked --force ||
    fail "could not install cargo-pgrx $version"
}

init_cargo_pgrx() {
  local config=${PGRX_HOME:-$HOME/.pgrx}/config.toml configured
  configured=$(sed -n "s/^pg$postgres_major = \"\(.*\)\"/\1/p" "$config" 2>/dev/null || true)
  # Another PostgreSQL of this version that a developer has chosen is kept.
  case $("${configured:-false}" --version 2>/dev/null || true) in
    "PostgreSQL $postgres_major"[.\ ]*) return ;;
  esac
  say "initialising cargo-pgrx for $pg_config"
  quietly cargo pgrx init "--pg$postgres_major" "$pg_config" || fail "cargo pgrx init failed"
}

# Debian 12 has no package of pgvector; the source package of the next release builds here unchanged.
build_pgvector() {
  local work source_file lists
  say "installing pgvector from the Debian trixie source package"
  command -v dpkg-source >/dev/null || apt_install dpkg-dev
  work=$(mktemp -d)
  temporary+=("$work")
  lists=$work/lists
  mkdir -p "$work/sources" "$lists/partial"
  source_file=$work/sources/trixie.sources
  debian_sources_for trixie >"$source_file"
  # The two formats are distinguished by the file's name.
  if grep -q '^deb-src ' "$source_file"; then
    mv "$source_file" "$work/sources/trixie.list"
    source_file=$work/sources/trixie.list
  fi
  [ -s "$source_file" ] || fail "no Debian source found in /etc/apt" \
    "install pgvector for PostgreSQL $postgres_major by hand: make PG_CONFIG=$pg_config install"
  local options=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources"
    -o Dir::State::Lists="$lists" -o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  quietly as_root apt-get -q "${options[@]}" update || fail "could not read the source packages of trixie"
  (cd "$work" && quietly as_root apt-get -q "${options[@]}" source pgvector) ||
    fail "could not fetch the source package pgvector"
  # A plain OPTFLAGS: the package must also run on other machines.
  (cd "$work"/pgvector-*/ && quietly as_root make OPTFLAGS="" PG_CONFIG="$pg_config" install) ||
    fail "could not build pgvector"
}
install_pgvector() {
  [ ! -f "$("$pg_config" --sharedir)/extension/vector.control" ] || return 0
  require_root pgvector "apt-get install $pgvector_package, or make install in its source"
  apt_update
  if apt-cache show "$pgvector_package" >/dev/null 2>&1; then
    apt_install "$pgvector_package"
  else
    build_pgvector
  fi
}

if command -v dpkg-query >/dev/null; then
  install_packages
else
  find_pg_config >/dev/null || fail "PostgreSQL $postgres_major is not installed, and this is not Debian" \
    "install its server, headers, libclang and pgvector by hand"
fi
install_toolchain
require_pg_config
install_cargo_pgrx
init_cargo_pgrx
install_pgvector
