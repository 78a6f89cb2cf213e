-- Refuses to install into a schema with foreign objects. Run first by CREATE EXTENSION.
--
-- A role that can create a schema could create text2sql before the extension does, and plant functions in it
-- that are called with the privileges of other roles. So the schema must be new, or empty and owned by a
-- superuser, as pg_restore leaves it. Its grants are revoked at the end (privileges.sql), where the contents
-- are checked again.

-- Names in this script refer to objects of PostgreSQL and of this script. CREATE EXTENSION puts the schemas of
-- the required extensions into the path as well; other roles may be able to create objects in those.
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
                  DETAIL = 'The owner of a schema can create functions in it.',
                  HINT = format('If the schema is not needed, run DROP SCHEMA text2sql; otherwise, ALTER SCHEMA text2sql OWNER TO %I;', current_user);
    END IF;
    -- A required extension may be here, too: CREATE EXTENSION … SCHEMA text2sql CASCADE puts it here.
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
                  DETAIL = format('It contains %s.', planted),
                  HINT = 'Move the objects to another schema, or, if they are not needed, run DROP SCHEMA text2sql CASCADE;';
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
                  HINT = format('If they are not needed, run %s', remedy);
    END IF;
    -- Names, comments and values are passed as UTF-8.
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'pg_text2sql requires a database with encoding UTF8, not %', current_setting('server_encoding')
            USING ERRCODE = 'feature_not_supported',
                  HINT = 'CREATE DATABASE … ENCODING ''UTF8'' TEMPLATE template0';
    END IF;
END
$install_check$;
