#!/usr/bin/env bash
# No name in the extension is resolved by another role's search_path, and its tables and functions are created safely.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

database=lifecycle_search_path
fresh_database "$database"
q() { query -d "$database" -c "SET client_min_messages = warning" "$@"; }
q -c "CREATE EXTENSION pg_text2sql CASCADE"
own="WITH own AS (SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
       AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pg_text2sql'))"

# These cannot set their own path: a procedure with settings may not commit, and questions, gold statements and the
# queries of kept answers are read with the path of the caller.
unpinned="_ablate _add_examples _add_feedback _add_lines _collect_opinions _resume add_case add_cases evaluate export_training tune"
found=$(q -c "$own SELECT string_agg(p.proname, ' ' ORDER BY p.proname) FROM own JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass
  JOIN pg_language l ON l.oid = prolang WHERE lanname IN ('sql', 'plpgsql') AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)")
same "functions in SQL and PL/pgSQL have a path of their own" "$unpinned" "$found"
found=$(q -c "$own SELECT p.oid::regprocedure FROM own JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass
  WHERE prosecdef AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)")
same "so has everything that runs with its owner's rights" "" "$found"
found=$(q -c "$own SELECT objid::regclass FROM own JOIN pg_class c ON c.oid = objid AND classid = 'pg_class'::regclass
  WHERE relkind = 'r' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary)")
same "every table has a primary key" "" "$found"
# Views, policies, defaults, constraints and indexes name their functions, operators and types by OID once they are created.
found=$(q -c "$own, parts AS (
    SELECT classid, objid FROM own
    UNION SELECT d.classid, d.objid FROM pg_depend d JOIN own o ON d.refclassid = o.classid AND d.refobjid = o.objid AND d.deptype IN ('a', 'i', 'n'))
  SELECT pg_describe_object(p.classid, p.objid, 0), pg_describe_object(d.refclassid, d.refobjid, 0) FROM parts p
    JOIN pg_depend d ON d.classid = p.classid AND d.objid = p.objid
    WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_opclass'::regclass, 'pg_cast'::regclass, 'pg_collation'::regclass)
      AND d.refobjid >= 16384 AND NOT EXISTS (SELECT FROM own o WHERE o.classid = d.refclassid AND o.objid = d.refobjid)
      AND NOT EXISTS (SELECT FROM pg_depend m JOIN pg_extension e ON e.oid = m.refobjid WHERE m.classid = d.refclassid AND m.objid = d.refobjid
                         AND m.deptype = 'e' AND e.extname IN ('vector', 'pg_trgm'))")
same "nothing stored refers to objects outside of PostgreSQL and the extensions" "" "$found"
script=$("$pg_config" --sharedir)/extension/pg_text2sql--$(q -c "SELECT extversion FROM pg_extension WHERE extname = 'pg_text2sql'").sql
found=$(grep -nEi '^[[:space:]]*CREATE[[:space:]]+(OR[[:space:]]+REPLACE|[A-Z ]+IF[[:space:]]+NOT[[:space:]]+EXISTS)' "$script" || true)
same "the install script takes over nothing that is there" "" "$found"

# Operators that precede PostgreSQL's own, for every pair of types in the functions without a path.
q -c "CREATE SCHEMA hostile" -c "CREATE TABLE public.customer (id int PRIMARY KEY)" -c "INSERT INTO public.customer VALUES (1), (2)" -c "DO \$\$
DECLARE a text; b text; o text; result text; types text[] := '{text,name,int2,int4,int8,numeric,float8,bool,json,jsonb,uuid,interval,timestamptz,text[],int8[]}';
BEGIN
  FOREACH a IN ARRAY types LOOP FOREACH b IN ARRAY types LOOP
    FOREACH o IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,||,->,->>,#>>,~~}'::text[] LOOP
      SELECT coalesce((SELECT oprresult::regtype::text FROM pg_operator WHERE oprname = o AND oprleft = a::regtype AND oprright = b::regtype
                          AND oprnamespace = 'pg_catalog'::regnamespace), 'bool') INTO result;
      EXECUTE format('CREATE FUNCTION hostile.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', 'f' || md5(o || a || b), a, b, result,
                     format('BEGIN RAISE EXCEPTION ''hostile operator %s for %s and %s''; END', o, a, b));
      EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.%I)', o, a, b, 'f' || md5(o || a || b));
    END LOOP;
  END LOOP; END LOOP;
END \$\$" -c "CREATE FUNCTION hostile.count(int8) RETURNS int8 LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION \$\$hostile function\$\$; END'" \
  -c "CREATE FUNCTION hostile.coalesce(text, text) RETURNS text LANGUAGE sql AS 'SELECT 1::text'" -c "CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (false)" \
  -c "CREATE DOMAIN hostile.int8 AS pg_catalog.int8 CHECK (false)" -c "CREATE DOMAIN hostile.jsonb AS pg_catalog.jsonb CHECK (false)"
found=$("$bindir/psql" -X -q -At -d "$database" 2>&1 <<'SQL' | grep -E 'ERROR|hostile' || true
SET client_min_messages = warning;
SELECT trace_id AS asked FROM text2sql.ask('How many customers are there?') \gset
SELECT text2sql.add_feedback(:'asked', 'right');
SELECT trace_id AS asked FROM text2sql.ask('What is the meaning of life?') \gset
SELECT text2sql.add_feedback(:'asked', 'wrong');
SELECT text2sql.accept('example', text2sql.add_example('How many customers?', 'SELECT count(*) FROM public.customer'));
SET search_path = hostile, pg_catalog, public;
SELECT text2sql_eval.add_case('s', 'How many customers are there?', 'SELECT pg_catalog.count(*) FROM public.customer');
SELECT text2sql_eval.add_cases('s', 'lines', lines => '{"question": "How many customers are there now?", "gold": "SELECT pg_catalog.count(*) FROM public.customer"}
{"question": "What?", "gold": "SELECT no FROM public.customer"}');
SELECT text2sql_eval.add_cases('s', 'examples'), text2sql_eval.add_cases('s', 'feedback', include_unverified => true);
CALL text2sql_eval.evaluate('s');
CALL text2sql_eval.evaluate('s', variants => '{"one": {"max_repairs": 0}}');
CALL text2sql_eval.tune('s', '{"max_repairs": [0, 1]}', hold_out => 0.5);
CALL text2sql_eval.evaluate(evaluation_id => 1, max_opinions => 1);
SQL
)
same "no hostile operator is called where the path is the caller's" "" "$found"

# pgspot checks the text of the script. Allowed findings:
#   the schema is made by CREATE EXTENSION, and install_check.sql sees that it is as good as new;
#   functions without a path of their own (PS005): those above; their content is checked.
if command -v pgspot >/dev/null; then
  found=$({ say "CREATE SCHEMA text2sql;"; cat "$script"; } >"${TMPDIR:-/tmp}/$database.sql"; pgspot "${TMPDIR:-/tmp}/$database.sql" | grep '^PS' | grep -Ev "^PS005: .*: text2sql_eval\.(${unpinned// /|})\(" || true)
  rm -f "${TMPDIR:-/tmp}/$database.sql"
  same "pgspot has nothing to say" "" "$found"
else
  say "note: pgspot is not installed (pip install pgspot): its check of the install script did not run"
fi

query -d postgres -c "DROP DATABASE $database"
exit "$failures"
