#!/usr/bin/env bash
# CREATE EXTENSION trusts no existing object: a schema of another role, planted objects, names that are taken.
set -euo pipefail
# shellcheck source=tests/lifecycle/check.sh
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

database=lifecycle_install
role=lifecycle_install_mallory
query -d postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" -c "DROP ROLE IF EXISTS $role" -c "CREATE ROLE $role"
drop_all() {
  query -d postgres -c "DROP DATABASE IF EXISTS $database" -c "DROP ROLE IF EXISTS $role"
}

# Recreates the database, runs the statements as the hostile role, then installs. Prints the error, or "installed".
install_after() {
  fresh_database "$database"
  query -d "$database" -c "GRANT CREATE ON DATABASE $database TO $role"
  "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d "$database" <<<"$1" >/dev/null
  "$bindir/psql" -X -At -q -d "$database" -c "SET client_min_messages = warning" \
    -c "CREATE EXTENSION pg_text2sql CASCADE" -c "SELECT 'installed' FROM pg_extension WHERE extname = 'pg_text2sql'" 2>&1 |
    sed -n 's/^ERROR:  //p; s/^HINT:  /hint: /p; /^installed$/p'
}

found=$(install_after "SET ROLE $role; CREATE SCHEMA text2sql")
same "a schema of another role" "schema text2sql belongs to role \"$role\", which is not a superuser
hint: If the schema is not needed, run DROP SCHEMA text2sql; otherwise, ALTER SCHEMA text2sql OWNER TO postgres;" "$found"
found=$(query -d "$database" -c "ALTER SCHEMA text2sql OWNER TO postgres" -c "SET client_min_messages = warning" \
  -c "CREATE EXTENSION pg_text2sql CASCADE" -c "SELECT 'installed'")
same "the hint can be pasted" installed "$found"

for planted in \
  "FUNCTION text2sql.ask(character varying)|CREATE FUNCTION text2sql.ask(varchar) RETURNS text LANGUAGE sql AS 'SELECT 1::text'" \
  "table text2sql.history|CREATE TABLE text2sql.history (trace_id uuid)" \
  "type text2sql.t|CREATE DOMAIN text2sql.t AS text" \
  "operator text2sql.=(name,text)|CREATE FUNCTION eq(name, text) RETURNS bool LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR text2sql.= (LEFTARG = name, RIGHTARG = text, FUNCTION = eq)" \
  "text search dictionary text2sql.d|CREATE TEXT SEARCH DICTIONARY text2sql.d (TEMPLATE = simple)" \
  "collation text2sql.c|CREATE COLLATION text2sql.c FROM \"C\""; do
  found=$(install_after "CREATE SCHEMA text2sql; GRANT ALL ON SCHEMA text2sql TO $role; SET search_path = public; GRANT ALL ON SCHEMA public TO $role; SET ROLE $role; ${planted#*|}")
  same "planted: ${planted%%|*}" "schema text2sql is not empty
hint: Move the objects to another schema, or, if they are not needed, run DROP SCHEMA text2sql CASCADE;" "$found"
done

found=$(install_after "CREATE FOREIGN DATA WRAPPER text2sql")
same "a foreign-data wrapper of the name" "foreign-data wrapper text2sql exists already
hint: ALTER FOREIGN DATA WRAPPER text2sql RENAME TO text2sql_of_others" "$found"
found=$(install_after "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; CREATE EVENT TRIGGER text2sql_note_ddl ON sql_drop EXECUTE FUNCTION f()")
same "an event trigger of the name" "event triggers with the names of the extension exist already: text2sql_note_ddl
hint: If they are not needed, run DROP EVENT TRIGGER text2sql_note_ddl" "$found"

for schema in text2sql_eval text2sql_perturbed; do
  found=$(install_after "SET ROLE $role; CREATE SCHEMA $schema")
  same "a schema $schema of another role" "schema \"$schema\" already exists" "$found"
done

# Harmless: an empty schema of a superuser with grants of any kind, other extensions, twice.
found=$(install_after "CREATE SCHEMA text2sql; GRANT ALL ON SCHEMA text2sql TO $role; GRANT USAGE ON SCHEMA text2sql TO PUBLIC;
  ALTER DEFAULT PRIVILEGES IN SCHEMA text2sql GRANT ALL ON TABLES TO $role")
same "an empty schema of a superuser" installed "$found"
found=$(query -d "$database" -c "SELECT has_schema_privilege('$role', 'text2sql', 'USAGE'), has_schema_privilege('$role', 'text2sql', 'CREATE'),
  has_schema_privilege('public', 'text2sql', 'USAGE'), has_table_privilege('$role', 'text2sql.history', 'SELECT')")
same "grants on the schema are taken back" "f|f|f|f" "$found"
found=$(install_after "CREATE SCHEMA text2sql; CREATE EXTENSION vector SCHEMA text2sql; CREATE SCHEMA \"Odd Place\"; CREATE EXTENSION pg_trgm SCHEMA \"Odd Place\"")
same "required extensions in the same schema, and in an odd one" installed "$found"
query -d "$database" -c "SELECT text2sql.grant_access('$role')" -c "SET client_min_messages = warning" -c "DROP EXTENSION pg_text2sql CASCADE" >/dev/null
found=$(query -d "$database" -c "CREATE EXTENSION pg_text2sql" -c "SELECT has_schema_privilege('$role', 'text2sql', 'USAGE')")
same "installed again where the schema has grants of the first time" "f" "$found"

# Hostile objects where the required extensions are, in a schema that all roles may write to.
found=$(install_after "GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE EXTENSION vector SCHEMA public; SET ROLE $role;
  CREATE TABLE public.called (by name); GRANT ALL ON public.called TO PUBLIC;
  CREATE FUNCTION public.noted(name) RETURNS bool LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.called VALUES (current_user); RETURN true; END';
  CREATE FUNCTION public.eq(name, text) RETURNS bool LANGUAGE sql AS 'SELECT public.noted(\$1)';
  CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = text, FUNCTION = public.eq);
  CREATE FUNCTION public.eq(text, name) RETURNS bool LANGUAGE sql AS 'SELECT public.noted(\$2)';
  CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = name, FUNCTION = public.eq);
  CREATE FUNCTION public.count(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
  CREATE FUNCTION public.count() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'")
same "beside hostile operators" installed "$found"
query -d "$database" -c "SET search_path = public, pg_catalog" -c "CREATE TABLE public.t (id int)" -c "SELECT text2sql.protect('public.t', 'private')" \
  -c "ALTER TABLE public.t RENAME TO u" -c "SELECT text2sql.grant_access('$role', 'evaluation')" -c "SELECT * FROM text2sql.protected" \
  -c "SELECT * FROM text2sql.permissions" -c "SELECT * FROM text2sql_eval.evaluations" -c "CALL text2sql.refresh()" >/dev/null
found=$(query -d "$database" -c "SELECT count(*) FROM public.called")
same "none of which is called by functions and views" 0 "$found"

drop_all
exit "$failures"
