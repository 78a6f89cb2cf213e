-- Update of the extension from 0.1.0 to 0.2.0, first part. It ends with no object of 0.1.0 left but the foreign-data
-- wrapper and its validator; the tables with content are in the schema text2sql_0_1_0, from which after.sql copies
-- it into the new ones. See sql/upgrade/README.md.

SET LOCAL search_path = pg_catalog, pg_temp;

-- New objects belong to the owner of the extension, also where another superuser runs the update.
DO $as_owner$
DECLARE
    owner_name name;
BEGIN
    SELECT r.rolname INTO owner_name
      FROM pg_extension e JOIN pg_roles r ON r.oid = e.extowner
     WHERE e.extname = 'pg_text2sql' AND r.rolsuper AND r.rolname <> current_user;
    IF FOUND THEN
        EXECUTE format('SET LOCAL ROLE %I', owner_name);
    END IF;
END
$as_owner$;

-- Objects of users that the update would drop, or that were added to the tables of the extension. None is dropped
-- silently: the update stops and names them.
DO $in_the_way$
DECLARE
    found text;
    number bigint;
BEGIN
    WITH RECURSIVE own (classid, objid) AS (
        SELECT d.classid, d.objid FROM pg_depend d
         WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.classid <> 'pg_foreign_data_wrapper'::regclass
           AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'pg_text2sql')
        UNION
        -- Row types, array types, TOAST tables, sequences, rules of views and what else is part of an object. An index,
        -- a trigger, a policy or a constraint is part of its table if 0.1.0 made it.
        SELECT d.classid, d.objid FROM own o
          JOIN pg_depend d ON d.refclassid = o.classid AND d.refobjid = o.objid
         WHERE d.deptype = 'i'
            OR (d.deptype = 'a' AND CASE d.classid
                WHEN 'pg_attrdef'::regclass THEN true
                WHEN 'pg_class'::regclass THEN (
                    SELECT c.relnamespace = 'pg_toast'::regnamespace
                           OR c.relkind = 'S' AND c.relname ~ '^budget_[0-9]+_(questions|tokens)$'
                           OR c.relname LIKE 'index\_%' OR c.relname LIKE '\_index\_%'
                           OR c.relname = ANY (ARRAY[
                               'conversation_turns_asked_by_conversation_turn_id_idx', 'conversation_turns_asked_at_idx',
                               'history_asked_at_idx', 'egress_log_sent_at_idx', 'annotations_by_object', 'annotations_by_table',
                               'definitions_by_term', 'definitions_by_object', 'examples_by_text', 'examples_verified', 'examples_by_object',
                               'joins_by_table', 'joins_by_object', 'suggestions_by_object', 'results_waiting', 'given_feedback_by_object'])
                      FROM pg_class c WHERE c.oid = d.objid)
                WHEN 'pg_constraint'::regclass THEN true
                WHEN 'pg_trigger'::regclass THEN (
                    SELECT t.tgisinternal OR t.tgname IN ('tell_sessions', 'note_teaching') FROM pg_trigger t WHERE t.oid = d.objid)
                WHEN 'pg_policy'::regclass THEN (
                    SELECT p.polname IN ('own', 'own_or_curated', 'about_visible_objects', 'own_runs', 'own_results', 'own_variants')
                      FROM pg_policy p WHERE p.oid = d.objid)
                ELSE false END)
    ), in_the_way AS (
        SELECT DISTINCT d.classid, d.objid FROM own o
          JOIN pg_depend d ON d.refclassid = o.classid AND d.refobjid = o.objid
         WHERE d.deptype IN ('n', 'a') AND (d.classid, d.objid) NOT IN (SELECT own.classid, own.objid FROM own)
           AND d.classid <> 'pg_foreign_data_wrapper'::regclass
        UNION
        -- Objects in the schema that belong to no extension.
        SELECT d.classid, d.objid FROM pg_depend d
         WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'text2sql'::regnamespace
           AND d.classid NOT IN ('pg_extension'::regclass, 'pg_default_acl'::regclass, 'pg_publication_namespace'::regclass)
           AND NOT EXISTS (SELECT FROM pg_depend m WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype IN ('e', 'i', 'a', 'I'))
           -- In a restored database the counters of budgets have lost their table.
           AND NOT EXISTS (SELECT FROM pg_class c WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid
                            AND c.relkind = 'S' AND c.relname ~ '^budget_[0-9]+_(questions|tokens)$')
    ), named AS (
        -- The rule of a view is named by its view.
        SELECT coalesce(pg_describe_object('pg_class'::regclass, r.ev_class, 0), pg_describe_object(w.classid, w.objid, 0)) AS object
          FROM in_the_way w LEFT JOIN pg_rewrite r ON w.classid = 'pg_rewrite'::regclass AND r.oid = w.objid
        UNION
        SELECT format('column %s of table text2sql.%s', a.attname, c.relname)
          FROM own o JOIN pg_class c ON c.oid = o.objid AND c.relkind = 'r' JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE o.classid = 'pg_class'::regclass AND c.relnamespace = 'text2sql'::regnamespace AND NOT a.attisdropped
           AND a.attnum > CASE c.relname
               WHEN 'budgets' THEN 4 WHEN 'conversation_turns' THEN 11 WHEN 'history' THEN 23 WHEN 'egress_log' THEN 16
               WHEN 'annotations' THEN 14 WHEN 'definitions' THEN 15 WHEN 'examples' THEN 17 WHEN 'joins' THEN 11
               WHEN 'suggestions' THEN 16 WHEN 'protections' THEN 10 WHEN 'suites' THEN 6 WHEN 'cases' THEN 16
               WHEN 'runs' THEN 13 WHEN 'results' THEN 50 WHEN 'given_feedback' THEN 18 WHEN 'variants' THEN 4
               WHEN 'proposals' THEN 13 WHEN 'confidence_fits' THEN 13 ELSE 32767 END
    )
    SELECT string_agg(n.object, ', ' ORDER BY n.object) FILTER (WHERE n.place <= 20), count(*) INTO found, number
      FROM (SELECT object, row_number() OVER (ORDER BY object) AS place FROM named) AS n;
    IF number > 0 THEN
        RAISE EXCEPTION 'objects of users use objects of version 0.1.0 of the extension, or are in its schema'
            USING ERRCODE = 'dependent_objects_still_exist',
                  DETAIL = format('They are %s%s.', found, CASE WHEN number > 20 THEN format(' and %s more', number - 20) ELSE '' END),
                  HINT = 'Keep their definitions, drop them, run ALTER EXTENSION pg_text2sql UPDATE again, and create them with the names of the new version: docs/upgrade.md lists these.';
    END IF;
END
$in_the_way$;

CREATE SCHEMA text2sql_0_1_0;

CREATE TABLE text2sql_0_1_0.own AS
SELECT d.classid, d.objid FROM pg_depend d
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.classid <> 'pg_namespace'::regclass
   AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'pg_text2sql');
DELETE FROM text2sql_0_1_0.own WHERE objid IN ('text2sql_0_1_0.own'::regclass, 'text2sql_0_1_0.own'::regtype);

-- The functions and relations of 0.1.0.
CREATE TABLE text2sql_0_1_0.members AS
SELECT 'routine' AS kind, p.proname AS name FROM text2sql_0_1_0.own o JOIN pg_proc p ON o.classid = 'pg_proc'::regclass AND p.oid = o.objid
UNION
SELECT 'relation', c.relname FROM text2sql_0_1_0.own o JOIN pg_class c ON o.classid = 'pg_class'::regclass AND c.oid = o.objid;

-- What roles hold now; after.sql grants it on the new objects.
CREATE TABLE text2sql_0_1_0.held AS
SELECT g.kind, g.name, a.grantee, a.privilege_type AS privilege, a.is_grantable
  FROM (SELECT 'routine' AS kind, p.proname AS name, p.proowner AS owner, p.proacl AS acl
          FROM text2sql_0_1_0.own o JOIN pg_proc p ON o.classid = 'pg_proc'::regclass AND p.oid = o.objid
        UNION ALL
        SELECT 'relation', c.relname, c.relowner, c.relacl
          FROM text2sql_0_1_0.own o JOIN pg_class c ON o.classid = 'pg_class'::regclass AND c.oid = o.objid
         WHERE c.relkind IN ('r', 'v')
        UNION ALL
        SELECT 'wrapper', w.fdwname, w.fdwowner, w.fdwacl
          FROM text2sql_0_1_0.own o JOIN pg_foreign_data_wrapper w ON o.classid = 'pg_foreign_data_wrapper'::regclass AND w.oid = o.objid
        UNION ALL
        SELECT 'schema', n.nspname, n.nspowner, n.nspacl FROM pg_namespace n WHERE n.nspname = 'text2sql') AS g,
       aclexplode(g.acl) AS a
 WHERE a.grantee <> g.owner
   -- Granted to PUBLIC by 0.1.0 itself.
   AND NOT (a.grantee = 0 AND g.kind = 'routine' AND g.name LIKE '\_%');

-- The wrapper stays: what the settling of privileges records of it are to be those of its owner alone.
DO $wrapper$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN
        SELECT DISTINCT CASE h.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(h.grantee)) END
          FROM text2sql_0_1_0.held h WHERE h.kind = 'wrapper'
    LOOP
        EXECUTE format('REVOKE ALL ON FOREIGN DATA WRAPPER text2sql FROM %s CASCADE', grantee);
    END LOOP;
END
$wrapper$;

-- Event triggers first, so that none runs at the commands below.
DO $event_triggers$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('DROP EVENT TRIGGER %I', t.evtname)
          FROM text2sql_0_1_0.own o JOIN pg_event_trigger t ON o.classid = 'pg_event_trigger'::regclass AND t.oid = o.objid
    LOOP
        EXECUTE command;
    END LOOP;
END
$event_triggers$;

-- Perturbed copies can be made again. Only tables in their schema: a role that evaluates could write to the list.
DO $perturbed$
DECLARE
    copy regclass;
    number integer := 0;
BEGIN
    IF to_regnamespace('text2sql_perturbed') IS NULL THEN
        RETURN;
    END IF;
    FOR copy IN SELECT c.oid FROM pg_class c
                 WHERE c.relnamespace = to_regnamespace('text2sql_perturbed') AND c.relkind = 'r'
                   AND c.oid IN (SELECT p.copy FROM text2sql.perturbed_tables p) LOOP
        EXECUTE format('DROP TABLE %s', copy);
        number := number + 1;
    END LOOP;
    DROP SCHEMA text2sql_perturbed;
    IF number > 0 THEN
        RAISE WARNING '% perturbed copies of tables were dropped', number
            USING HINT = 'To make them again, run SELECT * FROM text2sql_eval.perturb();';
    END IF;
EXCEPTION WHEN dependent_objects_still_exist THEN
    RAISE EXCEPTION 'schema text2sql_perturbed contains objects of users, or objects of users depend on copies in it'
        USING ERRCODE = 'dependent_objects_still_exist', DETAIL = SQLERRM,
              HINT = 'Move or drop them, and run ALTER EXTENSION pg_text2sql UPDATE again.';
END
$perturbed$;

DO $move$
DECLARE
    kept CONSTANT name[] := ARRAY[
        'budgets', 'conversation_turns', 'history', 'egress_log', 'annotations', 'definitions', 'examples', 'joins',
        'suggestions', 'protections', 'given_feedback', 'suites', 'cases', 'runs', 'results', 'variants', 'proposals', 'confidence_fits'];
    command text;
    commands text[];
BEGIN
    IF EXISTS (SELECT FROM text2sql.index_state) THEN
        RAISE WARNING 'the search index was dropped, because its format has changed'
            USING HINT = 'To build it again, run CALL text2sql.refresh();';
    END IF;

    -- Policies, triggers, defaults and views use functions that are dropped below.
    FOR command IN
        SELECT format('DROP POLICY %I ON %s', p.polname, p.polrelid::regclass)
          FROM pg_policy p JOIN text2sql_0_1_0.own o ON o.classid = 'pg_class'::regclass AND o.objid = p.polrelid
        UNION ALL
        SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
          FROM pg_trigger t JOIN text2sql_0_1_0.own o ON o.classid = 'pg_class'::regclass AND o.objid = t.tgrelid
         WHERE NOT t.tgisinternal
        UNION ALL
        SELECT format('ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT', a.attrelid::regclass, a.attname)
          FROM pg_attribute a JOIN text2sql_0_1_0.own o ON o.classid = 'pg_class'::regclass AND o.objid = a.attrelid
          JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
         WHERE a.atthasdef AND a.attgenerated = ''
    LOOP
        EXECUTE command;
    END LOOP;

    -- Each list in one command, because the objects depend on each other.
    SELECT ARRAY[
        'DROP VIEW ' || string_agg(c.oid::regclass::text, ', ') FILTER (WHERE c.relkind = 'v'),
        'DROP TABLE ' || string_agg(c.oid::regclass::text, ', ') FILTER (WHERE c.relkind = 'r' AND c.relname <> ALL (kept))] INTO commands
      FROM text2sql_0_1_0.own o JOIN pg_class c ON o.classid = 'pg_class'::regclass AND c.oid = o.objid;
    SELECT commands || ('DROP ROUTINE ' || string_agg(p.oid::regprocedure::text, ', ')) INTO commands
      FROM text2sql_0_1_0.own o JOIN pg_proc p ON o.classid = 'pg_proc'::regclass AND p.oid = o.objid
     WHERE p.oid <> (SELECT w.fdwvalidator FROM pg_foreign_data_wrapper w WHERE w.fdwname = 'text2sql');
    FOREACH command IN ARRAY commands LOOP
        EXECUTE command;
    END LOOP;

    -- What is left leaves the extension, and with it the list of what pg_dump keeps, and is moved with its indexes
    -- and sequences.
    FOR command IN
        SELECT format('ALTER EXTENSION pg_text2sql DROP %s %s', CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.oid::regclass)
          FROM text2sql_0_1_0.own o JOIN pg_class c ON o.classid = 'pg_class'::regclass AND c.oid = o.objid
    LOOP
        EXECUTE command;
    END LOOP;
    FOR command IN
        SELECT format('ALTER TABLE text2sql.%I SET SCHEMA text2sql_0_1_0', name) FROM unnest(kept) AS name
        UNION ALL
        SELECT format('ALTER SEQUENCE text2sql.%I SET SCHEMA text2sql_0_1_0', c.relname) FROM pg_class c
         WHERE c.relnamespace = 'text2sql'::regnamespace AND c.relkind = 'S' AND c.relname ~ '^budget_[0-9]+_(questions|tokens)$'
           AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'a')
    LOOP
        EXECUTE command;
    END LOOP;
END
$move$;
