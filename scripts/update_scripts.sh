#!/usr/bin/env bash
# Puts the released scripts of the extension beside the generated one, and assembles the update scripts to the
# version that is not released yet: before.sql, the generated script, after.sql. See sql/upgrade/README.md.
#   update_scripts.sh DIRECTORY    with pg_text2sql--VERSION.sql of the current version in it
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

[ $# = 1 ] || fail "usage: update_scripts.sh DIRECTORY"
directory=$1
version=$(extension_version)
generated=$directory/$extension--$version.sql
[ -f "$generated" ] || fail "$generated does not exist" "run: make"

# What an update does not repeat: the check of an empty schema, and the foreign-data wrapper, which foreign servers
# depend on. Its validator is replaced in place. Each must be found exactly once.
without_first_installation() {
  awk '
    /^DO \$install_check\$/ { skipping = 1; checks++ }
    skipping { if (/^\$install_check\$;/) skipping = 0; next }
    /^CREATE FOREIGN DATA WRAPPER text2sql VALIDATOR text2sql\._validate_options;$/ { wrappers++; next }
    /^CREATE +FUNCTION "_validate_options"\(/ { validators++; sub(/CREATE +FUNCTION/, "CREATE OR REPLACE FUNCTION") }
    { print }
    END {
      if (checks != 1 || wrappers != 1 || validators != 1 || skipping) {
        printf "error: %d checks of the schema, %d foreign-data wrappers, %d validators instead of one each\n",
          checks, wrappers, validators >"/dev/stderr"
        exit 1
      }
    }' "$generated"
}

for file in sql/"$extension"--*.sql; do
  [ "$file" -ef "$directory/${file##*/}" ] || install -m 644 "$file" "$directory/"
done
for source in sql/upgrade/*--"$version"; do
  [ -d "$source" ] || continue
  target=$directory/$extension--${source##*/}.sql
  rm -f "$target.new"
  {
    cat "$source/before.sql"
    without_first_installation
    cat "$source/after.sql"
  } >"$target.new" || { rm -f "$target.new"; fail "$target could not be assembled" "compare sql/upgrade/README.md with the generated script"; }
  mv -f "$target.new" "$target"
done
