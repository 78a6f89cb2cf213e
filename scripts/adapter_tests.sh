#!/usr/bin/env bash
# Ring 2: runs the functions that `#[pg_test]` makes, which test the library from inside a server. The debug library has
# them; a script of its own declares them in the schema `tests`. Each runs in a session and a
# transaction of its own, which is rolled back. In a copy of the PostgreSQL installation and a cluster of its own.
#   adapter_tests.sh [PATTERN]     only those whose name contains PATTERN
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

pattern=${1:-}
require_pg_config
forget_callers_server
copy=adapter_server
cluster=adapter_cluster
database=adapter_tests
clean_up() {
  scripts/cluster.sh remove "$cluster" || true
  rm -rf "${state:?}/$copy"
  rmdir "$state" 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

scripts/build.sh debug
scripts/cluster.sh remove "$cluster"
PG_CONFIG=$(PG_CONFIG=$PGRX_PG_CONFIG_PATH scripts/server_copy.sh "$copy")
export PG_CONFIG
scripts/install.sh debug >/dev/null
scripts/cluster.sh start "$cluster"
eval "$(scripts/cluster.sh env "$cluster")"
query() { "$bindir/psql" -X -At -q -v ON_ERROR_STOP=1 "$@"; }
query -d postgres -c "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
query -d postgres -c "ALTER DATABASE $database SET text2sql.maintenance_interval = 0"
query -d "$database" -c "SET client_min_messages = warning" -c "CREATE EXTENSION $extension CASCADE"
target=${CARGO_TARGET_DIR:-target}
{
  # Each module declares the schema.
  say "SET client_min_messages = warning;"
  "$target/debug/extension_schema" tests "$target/debug/lib$extension.so" "$extension.control"
} | query -d "$database"
names=$(query -d "$database" -v pattern="$pattern" <<'SQL'
SELECT proname FROM pg_proc
WHERE pronamespace = 'tests'::regnamespace AND pronargs = 0 AND strpos(proname, :'pattern') > 0 ORDER BY 1
SQL
)
[ -n "$names" ] || fail "no test has a name with $pattern"

failures=0
while IFS= read -r name; do
  if said=$(query -d "$database" -v VERBOSITY=verbose -c "BEGIN" -c "SELECT tests.\"$name\"()" -c "ROLLBACK" 2>&1); then
    say "ok - $name"
  else
    say "not ok - $name"
    printf '%s\n' "$said" | sed 's/^/    /'
    failures=$((failures + 1))
    # After a crash the server starts again; the other tests are not to blame.
    for ((attempt = 0; attempt < 60; attempt++)); do
      if query -d postgres -c "SELECT" >/dev/null 2>&1; then break; fi
      sleep 0.5
    done
  fi
done <<<"$names"
[ "$failures" = 0 ]
