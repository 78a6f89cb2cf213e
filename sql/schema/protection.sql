-- Objects that questions cannot use, and whose values are never sent to a model. Run once by CREATE EXTENSION,
-- after the C functions.

-- Stored by name and by OID: the OID survives a rename; the name survives dump and restore, a table that is
-- dropped and created again, and one that replaces another. The OIDs of a row are valid only in the catalog
-- identified by its stamp. '' means "no table" and "no column".
CREATE TABLE text2sql._protections (
    schema_name    text NOT NULL,
    table_name     text NOT NULL DEFAULT '',
    column_name    text NOT NULL DEFAULT '',
    level          text NOT NULL CHECK (level IN ('sample', 'open', 'private', 'hidden')),
    catalog_stamp  text NOT NULL,
    schema_oid     oid NOT NULL,
    relation_oid   oid NOT NULL DEFAULT 0,
    column_number  smallint NOT NULL DEFAULT 0,
    set_by         text NOT NULL,
    set_at         timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (schema_name, table_name, column_name),
    CHECK (schema_name <> '' AND (table_name <> '' OR column_name = ''))
);
-- Only the functions of the extension read it, and the view `protected`.
ALTER TABLE text2sql._protections ENABLE ROW LEVEL SECURITY;
SELECT pg_catalog.pg_extension_config_dump('text2sql._protections', '');

CREATE TRIGGER tell_sessions
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._protections
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
ALTER TABLE text2sql._protections ENABLE ALWAYS TRIGGER tell_sessions;

-- Reconciles names and OIDs: an object that is protected by its OID gets a row under its current name, and a
-- row whose name now refers to another object gets that object's OIDs. The former name remains protected until
-- it is unprotected.
-- SECURITY DEFINER: a role that renames a protected table has no privilege to write the table of protections,
-- but the protection must follow. It takes no argument and runs no text.
CREATE FUNCTION text2sql._follow_protections() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
-- It runs at every ALTER TABLE: by index in a catalog of any size, and planned once in a session.
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $follow$
DECLARE
    stamp constant text := text2sql._catalog_stamp();
    strictness constant text[] := ARRAY['hidden', 'private', 'open', 'sample'];
    found record;
BEGIN
    IF NOT EXISTS (SELECT FROM text2sql._protections) THEN
        RETURN;
    END IF;
    -- Loops, because a statement that changes nothing would make every session read the table again.
    -- Renamed or moved objects:
    FOR found IN
        SELECT DISTINCT ON (1, 2, 3)
               n.nspname::text AS schema_name, coalesce(c.relname::text, '') AS table_name,
               coalesce(a.attname::text, '') AS column_name, n.oid AS schema_oid,
               p.relation_oid, p.column_number, p.level, p.set_by, p.set_at
        FROM text2sql._protections p
        LEFT JOIN pg_class c ON c.oid = p.relation_oid
        LEFT JOIN pg_attribute a ON a.attrelid = p.relation_oid AND a.attnum = p.column_number AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_namespace n ON n.oid = coalesce(c.relnamespace, p.schema_oid)
        WHERE p.catalog_stamp = stamp
          AND (p.relation_oid = 0 OR c.oid IS NOT NULL)
          AND (p.column_number = 0 OR a.attnum IS NOT NULL)
          AND NOT EXISTS (
              SELECT FROM text2sql._protections known
              WHERE (known.schema_name, known.table_name, known.column_name)
                    = (n.nspname::text, coalesce(c.relname::text, ''), coalesce(a.attname::text, ''))
                AND array_position(strictness, known.level) <= array_position(strictness, p.level))
        ORDER BY 1, 2, 3, array_position(strictness, p.level)
    LOOP
        INSERT INTO text2sql._protections AS kept
               (schema_name, table_name, column_name, level, catalog_stamp, schema_oid, relation_oid, column_number, set_by, set_at)
        VALUES (found.schema_name, found.table_name, found.column_name, found.level, stamp,
                found.schema_oid, found.relation_oid, found.column_number, found.set_by, found.set_at)
        ON CONFLICT (schema_name, table_name, column_name) DO UPDATE SET level = EXCLUDED.level
        WHERE array_position(strictness, EXCLUDED.level) < array_position(strictness, kept.level);
    END LOOP;
    -- Objects that were restored, created again, or replaced another one. A published object's level is not
    -- passed on while that object still exists.
    FOR found IN
        SELECT p.schema_name, p.table_name, p.column_name, n.oid AS schema_oid,
               coalesce(c.oid, 0) AS relation_oid, coalesce(a.attnum, 0::smallint) AS column_number
        FROM text2sql._protections p
        JOIN pg_namespace n ON n.nspname = p.schema_name
        LEFT JOIN pg_class c ON c.relname = p.table_name AND c.relnamespace = n.oid
                            AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = p.column_name
                                AND a.attnum > 0 AND NOT a.attisdropped
        WHERE (p.table_name = '' OR c.oid IS NOT NULL)
          AND (p.column_name = '' OR a.attnum IS NOT NULL)
          AND (p.catalog_stamp, p.schema_oid, p.relation_oid, p.column_number)
              IS DISTINCT FROM (stamp, n.oid, coalesce(c.oid, 0), coalesce(a.attnum, 0::smallint))
          AND NOT (p.level IN ('open', 'sample') AND p.catalog_stamp = stamp
                   AND CASE WHEN p.relation_oid = 0
                            THEN EXISTS (SELECT FROM pg_namespace o WHERE o.oid = p.schema_oid AND o.oid <> n.oid)
                            ELSE EXISTS (SELECT FROM pg_class o WHERE o.oid = p.relation_oid AND o.oid <> c.oid) END)
    LOOP
        UPDATE text2sql._protections AS p
           SET catalog_stamp = stamp, schema_oid = found.schema_oid,
               relation_oid = found.relation_oid, column_number = found.column_number
         WHERE (p.schema_name, p.table_name, p.column_name)
               = (found.schema_name, found.table_name, found.column_name);
    END LOOP;
END
$follow$;

-- SECURITY DEFINER: as above. What is missed here is done at the next of these commands, and by refresh().
CREATE FUNCTION text2sql._follow_renames() RETURNS event_trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
AS $renames$
BEGIN
    PERFORM text2sql._follow_protections();
-- See search_index.sql: no event trigger of the extension makes a command fail.
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'could not update text2sql protection after %: %', TG_TAG, SQLERRM
        USING DETAIL = format('SQLSTATE is %s. The command itself is not affected.', SQLSTATE),
              HINT = 'Check that the renamed object is still listed: SELECT * FROM text2sql.protected;';
END
$renames$;

-- Before, so that a row from a restore gets the OID of the object to be renamed; after, so that it gets the new
-- name. (ALTER INDEX … RENAME accepts tables too.)
CREATE EVENT TRIGGER text2sql_before_renames ON ddl_command_start
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX')
    EXECUTE FUNCTION text2sql._follow_renames();
CREATE EVENT TRIGGER text2sql_after_renames ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA', 'ALTER INDEX')
    EXECUTE FUNCTION text2sql._follow_renames();

-- Protected objects, for roles that could change the protection: the owner of the object and roles with the
-- privileges of the database's owner. A row under a former name of an object is not listed.
CREATE VIEW text2sql.protected AS
SELECT listed.kind, listed.object, listed.level, listed.set_by, listed.set_at
FROM (
    SELECT CASE WHEN p.column_name <> '' THEN 'column' WHEN p.table_name <> '' THEN 'table' ELSE 'schema' END AS kind,
           pg_catalog.concat_ws('.', pg_catalog.quote_ident(p.schema_name),
               pg_catalog.quote_ident(nullif(p.table_name, '')),
               pg_catalog.quote_ident(nullif(p.column_name, ''))) AS object,
           p.level, p.set_by, p.set_at, coalesce(c.relowner, n.nspowner) AS owner
    FROM text2sql._protections p
    JOIN pg_catalog.pg_namespace n ON n.nspname = p.schema_name
    LEFT JOIN pg_catalog.pg_class c
           ON p.table_name <> '' AND c.relnamespace = n.oid AND c.relname = p.table_name
          AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    LEFT JOIN pg_catalog.pg_attribute a
           ON p.column_name <> '' AND a.attrelid = c.oid AND a.attname = p.column_name AND a.attnum > 0
    WHERE (p.table_name = '' OR c.oid IS NOT NULL) AND (p.column_name = '' OR a.attnum IS NOT NULL)
) AS listed
WHERE pg_catalog.pg_has_role(listed.owner, 'USAGE')
   OR pg_catalog.pg_has_role((SELECT d.datdba FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()), 'USAGE');
