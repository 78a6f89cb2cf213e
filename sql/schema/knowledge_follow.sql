-- Keeps the rows of knowledge.sql up to date when objects are renamed or replaced. Run once by CREATE EXTENSION, after
-- knowledge.sql.
--
-- An event trigger writes new names into the rows about an object that is renamed or moved, so that a later
-- dump contains the current name. It finds rows by index and writes only changes: DDL on other objects costs
-- nine look-ups.

-- All stored rows that are about objects, but annotations, which are about one each: what follows objects reads the
-- tables from here.
CREATE VIEW text2sql._rows_about_objects AS
          SELECT '_definitions'::name AS stored_in, catalog, object_oids FROM text2sql._definitions
UNION ALL SELECT '_examples', catalog, object_oids FROM text2sql._examples
UNION ALL SELECT '_joins', catalog, object_oids FROM text2sql._joins
UNION ALL SELECT '_suggestions', catalog, object_oids FROM text2sql._suggestions
UNION ALL SELECT '_instructions', catalog, object_oids FROM text2sql._instructions
UNION ALL SELECT '_samples', catalog, object_oids FROM text2sql._samples
UNION ALL SELECT '_text_sources', catalog, object_oids FROM text2sql._text_sources
UNION ALL SELECT '_feedback', catalog, object_oids FROM text2sql._feedback;

-- SECURITY DEFINER: a role that renames a table need not be a curator. It takes no argument and writes only the
-- names of the objects.
CREATE FUNCTION text2sql._follow_objects() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
-- For EXISTS the planner expects a scan to find a row soon; here it almost never finds one.
SET enable_seqscan = off
AS $follow$
DECLARE
    touched oid[];
BEGIN
    IF tg_event = 'sql_drop' THEN
        SELECT array_agg(DISTINCT d.objid) INTO touched
        FROM pg_event_trigger_dropped_objects() d
        WHERE d.classid = 'pg_class'::regclass AND d.objsubid = 0
          AND d.object_type IN ('table', 'view', 'materialized view', 'foreign table');
    ELSIF tg_tag = 'ALTER SCHEMA' THEN
        SELECT array_agg(s.oid) INTO touched
        FROM (SELECT c.objid AS oid FROM pg_event_trigger_ddl_commands() c
              WHERE c.classid = 'pg_namespace'::regclass
              UNION ALL
              SELECT r.oid FROM pg_event_trigger_ddl_commands() c JOIN pg_class r ON r.relnamespace = c.objid
              WHERE c.classid = 'pg_namespace'::regclass) AS s;
    ELSE
        SELECT array_agg(DISTINCT c.objid) INTO touched
        FROM pg_event_trigger_ddl_commands() c
        WHERE c.classid = 'pg_class'::regclass;
    END IF;
    -- Nearly all DDL is about objects without such rows. The plans are cached.
    IF touched IS NULL OR NOT (
        EXISTS (SELECT FROM text2sql._annotations t WHERE t.object_oid = ANY (touched))
        OR EXISTS (SELECT FROM text2sql._rows_about_objects t WHERE t.object_oids && touched))
    THEN
        RETURN;
    END IF;
    IF tg_event = 'sql_drop' THEN
        PERFORM text2sql._follow_drop(text2sql._catalog_stamp(), touched);
    ELSE
        PERFORM text2sql._follow_rename(text2sql._catalog_stamp(), touched);
    END IF;
-- See search_index.sql: no event trigger of the extension makes a command fail. The rows keep the OIDs.
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'could not update text2sql knowledge after %: %', TG_TAG, SQLERRM
        USING DETAIL = format('SQLSTATE is %s. The command itself is not affected.', SQLSTATE),
              HINT = 'Run CALL text2sql.refresh() to update it.';
END
$follow$;

-- Does what the event trigger missed: for rows whose objects were renamed or dropped. Called by
-- _rebind_knowledge().
CREATE FUNCTION text2sql._follow_missed() RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $follow_missed$
DECLARE
    here constant text := text2sql._catalog_stamp();
    known oid[];
BEGIN
    SELECT array_agg(DISTINCT o.oid) INTO known
      FROM (SELECT t.object_oid AS oid FROM text2sql._annotations t WHERE t.catalog = here
            UNION ALL SELECT unnest(t.object_oids) FROM text2sql._rows_about_objects t WHERE t.catalog = here) AS o;
    PERFORM text2sql._follow_rename(here, known);
    PERFORM text2sql._follow_drop(here, ARRAY(
        SELECT o FROM unnest(known) AS o
         WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = o)
           AND NOT EXISTS (SELECT FROM pg_namespace n WHERE n.oid = o)));
END
$follow_missed$;

-- Updates the names in the rows about these objects.
CREATE FUNCTION text2sql._follow_rename(here text, touched oid[]) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $follow_rename$
DECLARE
    kept text;
BEGIN
    UPDATE text2sql._annotations a
    SET former_name = a.object_name,
        object_name = text2sql._object_name(a.object_oid, a.column_number),
        table_name = CASE WHEN a.column_number >= 0 THEN text2sql._object_name(a.object_oid, 0::int2) END
    WHERE a.object_oid = ANY (touched) AND a.catalog = here
      AND text2sql._object_name(a.object_oid, a.column_number) <> a.object_name;
    FOR kept IN
        SELECT DISTINCT t.stored_in FROM text2sql._rows_about_objects t WHERE t.object_oids && touched AND t.catalog = here
    LOOP
        EXECUTE format($update$
            UPDATE text2sql.%I t
            SET former_names = t.object_names, object_names = present.names
            FROM (
                SELECT k.id, ARRAY(
                    SELECT coalesce(text2sql._object_name(o.oid, o.number), o.name)
                    FROM unnest(k.object_oids, k.column_numbers, k.object_names)
                         WITH ORDINALITY AS o(oid, number, name, place)
                    ORDER BY o.place) AS names
                FROM text2sql.%I k
                WHERE k.object_oids && $1 AND k.catalog = $2
            ) AS present
            WHERE present.id = t.id AND present.names <> t.object_names
            $update$, kept, kept)
        USING touched, here;
    END LOOP;
END
$follow_rename$;

-- Rows about a dropped table are moved to the one that now has its former name: that is how dbt and others
-- replace a table.
CREATE FUNCTION text2sql._follow_drop(here text, touched oid[]) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $follow_drop$
DECLARE
    kept text;
BEGIN
    UPDATE text2sql._annotations a
    SET object_oid = successor.object_oid,
        column_number = successor.column_number,
        object_name = a.former_name,
        table_name = text2sql._object_name(successor.object_oid, 0::int2),
        former_name = NULL
    FROM text2sql._annotations b
    CROSS JOIN LATERAL text2sql._resolve_objects('', ARRAY[b.former_name], ARRAY[0::oid], ARRAY[b.column_number]) AS successor
    WHERE b.id = a.id
      AND b.object_oid = ANY (touched) AND b.catalog = here AND b.column_number >= 0
      AND b.former_name IS NOT NULL AND successor.object_oid IS NOT NULL
      AND NOT EXISTS (
          SELECT FROM text2sql._annotations own
          WHERE own.object_oid = successor.object_oid AND own.column_number = successor.column_number
            AND own.catalog = here);
    FOR kept IN
        SELECT DISTINCT t.stored_in FROM text2sql._rows_about_objects t WHERE t.object_oids && touched AND t.catalog = here
    LOOP
        EXECUTE format($update$
            UPDATE text2sql.%I t
            SET object_oids = successor.oids, column_numbers = successor.numbers,
                object_names = successor.names, former_names = NULL
            FROM (
                SELECT k.id,
                       array_agg(CASE WHEN moves.ever THEN found.object_oid ELSE o.oid END ORDER BY o.place) AS oids,
                       array_agg(CASE WHEN moves.ever THEN found.column_number ELSE o.number END ORDER BY o.place) AS numbers,
                       array_agg(CASE WHEN moves.ever THEN o.former ELSE o.name END ORDER BY o.place) AS names,
                       bool_and(NOT moves.ever OR found.object_oid IS NOT NULL) AS is_whole
                FROM text2sql.%I k
                CROSS JOIN LATERAL unnest(k.object_oids, k.column_numbers, k.object_names, k.former_names)
                     WITH ORDINALITY AS o(oid, number, name, former, place)
                CROSS JOIN LATERAL (SELECT o.oid = ANY ($1) AND o.former IS NOT NULL AS ever) AS moves
                CROSS JOIN LATERAL text2sql._resolve_objects('', ARRAY[coalesce(o.former, '')], ARRAY[0::oid], ARRAY[o.number]) AS found
                WHERE k.object_oids && $1 AND k.catalog = $2 AND k.former_names IS NOT NULL
                GROUP BY k.id
            ) AS successor
            WHERE successor.id = t.id AND successor.is_whole
            $update$, kept, kept)
        USING touched, here;
    END LOOP;
END
$follow_drop$;

CREATE EVENT TRIGGER text2sql_follow_renames ON ddl_command_end
    WHEN TAG IN ('ALTER TABLE', 'ALTER VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER FOREIGN TABLE', 'ALTER SCHEMA')
    EXECUTE FUNCTION text2sql._follow_objects();
CREATE EVENT TRIGGER text2sql_follow_drops ON sql_drop
    WHEN TAG IN ('DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW', 'DROP FOREIGN TABLE', 'DROP OWNED')
    EXECUTE FUNCTION text2sql._follow_objects();

-- Binds rows from a dump, and rows about objects that were dropped and created again, to the objects that now
-- have their names; returns their number. Called by refresh() and import_knowledge(); until then such rows are
-- found by name, which is slightly slower.
CREATE FUNCTION text2sql._rebind_knowledge() RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $rebind$
DECLARE
    here constant text := text2sql._catalog_stamp();
    kept text;
    bound bigint;
    total bigint := 0;
BEGIN
    PERFORM text2sql._follow_protections();
    PERFORM text2sql._follow_missed();
    UPDATE text2sql._annotations a
    SET catalog = here, object_oid = n.object_oid, column_number = n.column_number
    FROM text2sql._annotations b
    CROSS JOIN LATERAL text2sql._resolve_objects(b.catalog, ARRAY[b.object_name], ARRAY[b.object_oid], ARRAY[b.column_number]) AS n
    WHERE b.id = a.id AND n.object_oid IS NOT NULL
      AND (b.catalog, b.object_oid, b.column_number) IS DISTINCT FROM (here, n.object_oid, n.column_number)
      AND NOT EXISTS (
          SELECT FROM text2sql._annotations own
          WHERE own.object_oid = n.object_oid AND own.column_number = n.column_number AND own.catalog = here);
    GET DIAGNOSTICS total = ROW_COUNT;
    -- Feedback is about the objects of its time.
    FOR kept IN SELECT DISTINCT t.stored_in FROM text2sql._rows_about_objects t WHERE t.stored_in <> '_feedback' LOOP
        EXECUTE format($update$
            UPDATE text2sql.%I t
            SET catalog = $1, object_oids = present.oids, column_numbers = present.numbers
            FROM (
                SELECT k.id,
                       array_agg(n.object_oid ORDER BY n.place) AS oids,
                       array_agg(n.column_number ORDER BY n.place) AS numbers
                FROM text2sql.%I k
                CROSS JOIN LATERAL text2sql._resolve_objects(k.catalog, k.object_names, k.object_oids, k.column_numbers)
                     WITH ORDINALITY AS n(object_oid, column_number, place)
                GROUP BY k.id
                HAVING bool_and(n.object_oid IS NOT NULL)
            ) AS present
            WHERE present.id = t.id
              AND (t.catalog, t.object_oids, t.column_numbers) IS DISTINCT FROM ($1, present.oids, present.numbers)
            $update$, kept, kept)
        USING here;
        GET DIAGNOSTICS bound = ROW_COUNT;
        total := total + bound;
    END LOOP;
    RETURN total;
END
$rebind$;
