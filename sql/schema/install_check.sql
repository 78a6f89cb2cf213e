-- Refuses to install among objects that somebody else made. Run first by CREATE EXTENSION.
--
-- Who may create a schema could make text2sql before the extension does, and plant functions in it that
-- are called with the rights of whoever asks. So the schema is new, or it is empty and belongs to a
-- superuser, as pg_restore leaves it. What its grants allow is taken back at the end (privileges.sql), which
-- also looks once more that nobody added anything in the meantime.

-- Names in this script mean objects of PostgreSQL and of this script. CREATE EXTENSION puts the schemas of
-- the required extensions into the path as well; others may be able to create objects in those.
SET LOCAL search_path = text2sql, pg_temp;

DO $install_check$
DECLARE
    owner_name name;
    planted text;
    remedy text;
BEGIN
    SELECT r.rolname INTO owner_name
      FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
     WHERE n.nspname = 'text2sql' AND NOT r.rolsuper;
    IF FOUND THEN
        RAISE EXCEPTION 'schema text2sql belongs to role "%", which is not a superuser', owner_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'the owner of a schema can put functions beside those of the extension',
                  HINT = format('if nobody needs the schema: DROP SCHEMA text2sql; else: ALTER SCHEMA text2sql OWNER TO %I', current_user);
    END IF;
    -- A required extension may lie here, too: CREATE EXTENSION … SCHEMA text2sql CASCADE puts it here.
    SELECT string_agg(found.object, ', ' ORDER BY found.object) INTO planted
      FROM (SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS object
              FROM pg_depend d
             WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'text2sql'::regnamespace
               AND d.classid NOT IN ('pg_extension'::regclass, 'pg_default_acl'::regclass, 'pg_publication_namespace'::regclass)
               AND NOT EXISTS (
                   SELECT FROM pg_depend m
                     JOIN pg_extension e ON e.oid = m.refobjid AND e.extname IN ('vector', 'pg_trgm')
                     JOIN pg_roles r ON r.oid = e.extowner AND r.rolsuper
                    WHERE m.classid = d.classid AND m.objid = d.objid
                      AND m.refclassid = 'pg_extension'::regclass AND m.deptype = 'e')
             ORDER BY 1 LIMIT 5) AS found;
    IF planted IS NOT NULL THEN
        RAISE EXCEPTION 'schema text2sql is not empty'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('it holds: %s', planted),
                  HINT = 'move the objects to another schema, or, if nobody needs them: DROP SCHEMA text2sql CASCADE';
    END IF;
    IF EXISTS (SELECT FROM pg_foreign_data_wrapper WHERE fdwname = 'text2sql') THEN
        RAISE EXCEPTION 'foreign-data wrapper text2sql exists already'
            USING ERRCODE = 'duplicate_object',
                  HINT = 'ALTER FOREIGN DATA WRAPPER text2sql RENAME TO text2sql_of_others';
    END IF;
    SELECT string_agg(quote_ident(evtname), ', ' ORDER BY evtname),
           string_agg(format('DROP EVENT TRIGGER %I', evtname), '; ' ORDER BY evtname) INTO planted, remedy
      FROM pg_event_trigger WHERE evtname LIKE 'text2sql\_%';
    IF planted IS NOT NULL THEN
        RAISE EXCEPTION 'event triggers with the names of the extension exist already: %', planted
            USING ERRCODE = 'duplicate_object',
                  HINT = format('if nobody needs them: %s', remedy);
    END IF;
    -- Names, comments and values go in and out as UTF-8.
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'pg_text2sql needs a database with encoding UTF8, not %', current_setting('server_encoding')
            USING ERRCODE = 'feature_not_supported',
                  HINT = 'CREATE DATABASE … ENCODING ''UTF8'' TEMPLATE template0';
    END IF;
END
$install_check$;
