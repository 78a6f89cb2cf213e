#!/usr/bin/env bash
# Fetches PostgreSQL's own regression suite from Debian's source package, unless it has been fetched, and prints
# its directory. Needs no root and does not change the system's package lists. Ends with status 3 where the
# archive has no source of this major version.
#   regression_suite.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/apt.sh
source scripts/apt.sh

suite=$state/regression_suite
if [ ! -f "$suite/parallel_schedule" ]; then
  make_state_dir
  work=$state/postgresql_source
  rm -rf "${work:?}"
  mkdir -p "$work/lists/partial" "$work/archives/partial"
  mkdir -p "$work/sources"
  source_file=$work/sources/bookworm.sources
  debian_sources_for bookworm >"$source_file"
  # The two formats are distinguished by the file's name.
  if grep -q '^deb-src ' "$source_file"; then mv "$source_file" "$work/sources/bookworm.list"; fi
  options=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/sources"
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" -qq update >&2
  # The newest version may not be on the mirror any more; the suite hardly differs between minor releases.
  mapfile -t versions < <(apt-cache "${options[@]}" showsrc "postgresql-$postgres_major" |
    sed -n 's/^Version: //p' | sort -Vur)
  [ ${#versions[@]} -gt 0 ] || exit 3
  for version in "${versions[@]}"; do
    if (cd "$work" && apt-get "${options[@]}" -qq source --download-only "postgresql-$postgres_major=$version") >&2; then
      break
    fi
  done
  archive=$(find "$work" -maxdepth 1 -name '*.orig.tar.*' -not -name '*.asc' | head -n 1)
  [ -n "$archive" ] || fail "no source package of PostgreSQL $postgres_major could be fetched"
  tar -xf "$archive" -C "$work" --strip-components=1 --wildcards '*/src/test/regress/*'
  rm -rf "${suite:?}"
  mv "$work/src/test/regress" "$suite"
  rm -rf "${work:?}"
  # The server reads the suite's data files.
  chmod -R a+rX "$suite"
fi
printf '%s\n' "$suite"
