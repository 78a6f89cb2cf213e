#!/usr/bin/env bash
# docs/reference matches the catalog, and every name in the schemas of the extension that a page writes is there, or
# in the dbt package.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lifecycle/check.sh"

generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
scripts/reference.sh "$generated"
for page in functions views settings; do
  written=$(cat "docs/reference/$page.md" 2>/dev/null || true)
  current=$(cat "$generated/$page.md")
  same "docs/reference/$page.md is up to date (else run: make install reference)" "$written" "$current"
done

fresh_database documented_names
query -d documented_names -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_text2sql CASCADE"
there=$(query -d documented_names <<'SQL'
LOAD 'pg_text2sql';
SELECT n.nspname || '.' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname LIKE 'text2sql%'
UNION SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname LIKE 'text2sql%'
UNION SELECT s.name FROM pg_settings s WHERE s.name LIKE 'text2sql.%';
SQL
)
macros=$(grep -rohE '\{% *(macro|test) +[a-z_]+' dbt/macros dbt/tests | sed 's/.* /text2sql./')
# The first column of renamed.md has the names that are gone.
renamed=docs/reference/renamed.md
written=$({
  git ls-files --cached --others --exclude-standard -- README.md CONTRIBUTING.md ARCHITECTURE.md docs demo/README.md ":!$renamed" |
    xargs cat
  sed -E 's/^\| `[^`]*` \|//' "$renamed"
} | grep -ohE '\btext2sql(_eval|_perturbed)?\.[a-z][a-z0-9_]*' | sort -u)
unknown=$(comm -23 <(LC_ALL=C sort -u <<<"$written") <(printf '%s\n' "$there" "$macros" | LC_ALL=C sort -u))
same "every name that a page writes is in the catalog" "" "$unknown"
query -d postgres -c "DROP DATABASE documented_names"
exit "$failures"
