#!/usr/bin/env bash
# Makes the files of a release in target/packages: a Debian package for each PostgreSQL version, one
# of text2sql-server, one of text2sql_eval, one of the embedder multilingual if its file was fetched, the sources with
# all crates, the sources as PGXN wants them, and the checksums.
#   package.sh            for the PostgreSQL of PG or PG_CONFIG
#   package.sh 15 16 …    for these versions
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

version=$(extension_version)
versions=("$@")
[ $# -le 1 ] || [ -z "${PG_CONFIG:-}" ] ||
  fail "PG_CONFIG names one server, and $# versions are to be packed" "unset PG_CONFIG, or run: make package"
if [ ${#versions[@]} = 0 ]; then
  require_pg_config
  versions=("$postgres_major")
fi
# Before minutes of building.
for program in dpkg-deb git tar gzip; do
  command -v "$program" >/dev/null || fail "$program not found, which makes the packages" "install it first"
done
for major in "${versions[@]}"; do
  PG=$major bash -c 'source scripts/environment.sh && require_headers'
done

for major in "${versions[@]}"; do
  say "building for PostgreSQL $major"
  PG=$major scripts/build.sh
  PG=$major packaging/debian/build.sh
done
packaging/debian/server.sh
scripts/eval_program.sh build
packaging/debian/eval.sh
packaging/debian/encoder.sh
packaging/source.sh

cd target/packages
# Packages of other versions of the extension may be here too: the list is for this one.
sha256sum -- *"$version"[-.]* >SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
say "target/packages:"
sed 's/^/  /' SHA256SUMS
