# shellcheck shell=bash
# Sourced by the life-cycle tests: they run against the server of PGHOST, PGPORT and PGUSER, in
# databases of their own, and print `ok - …` or `not ok - …` for each check.
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/environment.sh"
require_pg_config
failures=0

query() { "$bindir/psql" -X -At -q -v ON_ERROR_STOP=1 "$@"; }

# Without background workers, which would change the search index while it is compared.
fresh_database() {
  query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $1" \
    -c "CREATE DATABASE $1 TEMPLATE template0 ENCODING 'UTF8'" \
    -c "ALTER DATABASE $1 SET text2sql.maintenance_interval = 0"
}

# Compares two texts; a difference is printed. Assign them to variables first: the shell does not see
# that a command substitution inside an argument failed, and two failures look alike.
same() {
  local difference
  if difference=$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3")); then
    say "ok - $1"
  else
    printf '%s\n' "not ok - $1" "$difference"
    failures=$((failures + 1))
  fi
}
