#!/usr/bin/env bash
# PUBLIC may execute the functions listed in public_functions.txt, and no other.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

fresh_database lifecycle_public
query -d lifecycle_public -c "SET client_min_messages = warning" \
  -c "CREATE EXTENSION pg_text2sql CASCADE"
executable=$(query -d lifecycle_public <<'SQL'
SELECT p.oid::regprocedure
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
  AND d.refclassid = 'pg_extension'::regclass
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_text2sql')
  AND has_function_privilege('public', p.oid, 'EXECUTE')
ORDER BY p.oid::regprocedure::text COLLATE "C";
SQL
)
listed=$({ grep -v '^#' tests/lifecycle/public_functions.txt || true; } | LC_ALL=C sort)
same "PUBLIC may execute the listed functions only" "$listed" "$executable"
query -d postgres -c "DROP DATABASE lifecycle_public"
exit "$failures"
