-- Privileges on the objects of the extension: one list, by which privileges are granted, revoked and checked. Run once by CREATE EXTENSION.

-- The list. `audience` names the grantees: 'public' is every role; 'usage', 'curator', 'approver' and
-- 'evaluation' are the roles that grant_access() was called for with that level; the last three include the first. A routine name covers all its overloads. Only the owner can use what is not listed, unless an
-- administrator grants it manually.
CREATE FUNCTION text2sql._privileges()
    RETURNS TABLE (audience text, privileges text[], kind text, schema_name name, object_name name)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $privileges$
    SELECT listed.audience, listed.privileges, listed.kind,
           CASE listed.kind WHEN 'schema' THEN names.one ELSE listed.schema_name END::name, names.one::name
      FROM (
        SELECT 'text2sql' AS schema_name, listed.* FROM (VALUES
        -- Policies and views are evaluated as the calling role, so every role must be able to call these. They
        -- reveal no more than the catalog does: a name, or whether the caller can see an object.
        ('public', ARRAY['EXECUTE'], 'routine', ARRAY[
            '_may_see', '_may_read_document', '_resolve_objects', '_object_name', '_catalog_stamp', '_protection', '_is_shown',
            '_is_loaded']),
        -- A coordinator of Citus calls these on its workers, as the role that reads there. They return what that role may
        -- read of the tables anyway.
        ('public', ARRAY['EXECUTE'], 'routine', ARRAY['_shards', '_shard_statistics', '_shard_values']),

        ('usage', ARRAY['USAGE'], 'schema', ARRAY['text2sql']),
        ('usage', ARRAY['EXECUTE'], 'routine', ARRAY[
            'search_text', 'show', 'ask', 'ask_rows', 'ask_into', 'ask_view', 'to_sql', 'generate_sql', 'plan', 'teach_me', 'exercise', 'grade', 'preview_prompt', 'retrieve',
            'load_file',
            '_questions', 'ask_batch', 'submit', 'cancel', 'work',
            'answer', 'run', 'run_json', '_run_for_primary', 'validate', 'impact', 'explain', 'status', 'test_model', '_version', 'revise',
            -- The views call these for each listed row, as the calling role.
            '_problem_of_sql', '_problem_of_definition', '_parts_of_definition', '_default_prompts', '_problem_of_prompt', '_model_state', '_budget_usage',
            'trust_report', 'score', 'why_empty', 'explain_plan', 'optimize', 'trace',
            '_relations_of', '_keep', 'add_feedback', 'forget', '_drop_model', '_require_writable', '_vectors_of']),
        -- Row-level security shows rows about objects that the role can see, and the questions that it asked.
        ('usage', ARRAY['SELECT'], 'relation', ARRAY[
            'documents', '_documents', '_text_sources', 'descriptions', 'definitions', 'examples', 'joins', 'instructions', 'prompts', 'models', 'budgets', 'samples', 'access', 'imports', '_import_outcomes',
            'permissions', 'roles', 'protected',
            'history', 'egress_log', 'feedback', 'conversation_turns', 'approvals',
            -- Views are read with the privileges of the caller, who must therefore be able to read the tables
            -- behind them.
            '_annotations', '_definitions', '_examples', '_joins', '_instructions', '_samples', '_prompts', '_feedback', '_conversation_turns', '_kept_answers', '_pinned_answers', '_import_lines',
            '_approvals', 'answers', '_submitted', '_answers']),

        ('curator', ARRAY['EXECUTE'], 'routine', ARRAY[
            'add_document', 'index_text',
            'describe', 'define', 'add_instruction', 'suggest',
            'accept', 'reject', 'add_example',
            'check_examples',
            'add_join',
            'export_knowledge', 'import_knowledge',
            'refresh']),
        ('curator', ARRAY['SELECT'], 'relation', ARRAY['suggestions', '_suggestions']),

        ('approver', ARRAY['EXECUTE'], 'routine', ARRAY['accept', 'reject']),
        ('approver', ARRAY['SELECT'], 'relation', ARRAY['_approval_rules']),

        ('evaluation', ARRAY['EXECUTE'], 'routine', ARRAY['accept'])
      ) AS listed(audience, privileges, kind, names)
        UNION ALL
        SELECT 'text2sql_eval', * FROM (VALUES
        -- Every question reads the fits as their owner: no role needs a privilege on them.
        ('curator', ARRAY['USAGE'], 'schema', ARRAY['text2sql_eval']),
        ('curator', ARRAY['EXECUTE'], 'routine', ARRAY['fit_confidence', '_fit_to', '_fit_confidence', '_forget']),
        ('curator', ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'], 'relation', ARRAY['_confidence_fits']),

        ('evaluation', ARRAY['USAGE'], 'schema', ARRAY['text2sql_eval']),
        ('evaluation', ARRAY['USAGE', 'CREATE'], 'schema', ARRAY['text2sql_perturbed']),
        ('evaluation', ARRAY['EXECUTE'], 'routine', ARRAY[
            'add_suite', '_forget', 'add_case',
            'add_cases', '_add_examples', '_add_feedback', '_add_lines', 'export_training', '_training_line', '_choose_training',
            'evaluate', '_resume', 'grade',
            'statistic', '_wilson', '_mcnemar', '_reliability', '_kappa', 'compare', '_compare', 'perturb', '_drop_copies',
            '_ablate', 'tune', '_apply_proposal', 'report', '_collect_opinions', '_attempt', '_check_gold', '_read_cases',
            '_microseconds', '_store_case', '_suite_clock', '_require_own_suite', '_problem', '_settings_of',
            '_begin_evaluation', '_configuration', '_claim', '_record', '_finish_evaluation',
            '_evaluation_data', '_agrees_everywhere', '_render_report', '_opinion', '_chosen_cases', '_basis', '_confidence_drift', '_refit_after',
            'measures', 'element_errors', 'label',
            '_named_evaluations', '_variants_of', '_measure_table', '_element_errors', '_significance',
            '_perturb_table', '_repair_references', '_shuffle_table', '_add_boundary_values', '_boundaries',
            '_fill_copy', '_forget_copies', '_is_plain_type', '_is_generated',
            '_held_out', '_begin_variant', '_propose', '_next_judged', '_judge_proposal', '_add_attempts',
            '_index_setting_names', '_tunable', '_check_space', '_index_settings', '_index_settings_of', '_second_embedder', '_set_index_settings', '_tuning_space', '_vectors_to_build', '_drop_made_vectors',
            '_begin_tuning', '_tuning_outcomes', '_tuning_search', '_tuning_step', '_search_step', '_ask_trial', '_decide_tuning', '_judge_tuning']),
        -- Row-level security shows and changes only a role's own rows; suites are readable by all.
        ('evaluation', ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'], 'relation', ARRAY[
            'suites', 'cases', '_evaluations', 'results', '_variants', 'proposals', '_tuning_runs', '_tuning_trials', '_labels']),
        ('evaluation', ARRAY['SELECT'], 'relation', ARRAY[
            '_case_results', 'evaluations', 'groups', 'confidence_fits', '_confidence_fits', 'trials', 'labels', 'judge_agreement',
            -- Only functions of the extension write this table.
            '_perturbed_tables'])
      ) AS listed(audience, privileges, kind, names)) AS listed,
      unnest(listed.names) AS names(one)
$privileges$;

-- The objects of the extension that have privileges, and its schemas. `target` is the object's name in GRANT
-- and REVOKE. `is_new` means that this transaction made the object; `is_recorded`, that a script of the extension has
-- granted or revoked a privilege on it, which PostgreSQL records in pg_init_privs. After pg_upgrade only those objects
-- have a record whose privileges differ from PostgreSQL's defaults.
CREATE FUNCTION text2sql._own_objects()
    RETURNS TABLE (kind text, schema_name name, object_name name, target text, owner oid, acl aclitem[], is_new boolean, is_recorded boolean)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $own_objects$
    WITH own AS (
        SELECT d.classid, d.objid
          FROM pg_depend d
         WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
           AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'pg_text2sql')
    ), having_privileges AS (
        SELECT o.classid, o.objid, p.xmin, 'routine' AS kind, p.pronamespace AS schema_oid, p.proname AS object_name, format('ROUTINE %s', p.oid::regprocedure) AS target,
               p.proowner AS owner, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl
          FROM own o JOIN pg_proc p ON p.oid = o.objid
         WHERE o.classid = 'pg_proc'::regclass
        UNION ALL
        -- With privileges on single columns.
        SELECT o.classid, o.objid, c.xmin, 'relation', c.relnamespace, c.relname,
               format('%s %s', CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.oid::regclass), c.relowner,
               c.relacl || (SELECT array_agg(item) FROM pg_attribute a, unnest(a.attacl) AS item WHERE a.attrelid = c.oid)
          FROM own o JOIN pg_class c ON c.oid = o.objid
         WHERE o.classid = 'pg_class'::regclass AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        UNION ALL
        SELECT o.classid, o.objid, t.xmin, 'type', t.typnamespace, t.typname, format('TYPE %s', t.oid::regtype), t.typowner,
               coalesce(t.typacl, acldefault('T', t.typowner))
          FROM own o JOIN pg_type t ON t.oid = o.objid
         -- Row types and array types have the privileges of their table or element type.
         WHERE o.classid = 'pg_type'::regclass AND t.typcategory <> 'A'
           AND (t.typrelid = 0 OR t.typacl IS NOT NULL
                OR EXISTS (SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
        UNION ALL
        SELECT o.classid, o.objid, w.xmin, 'wrapper', NULL, w.fdwname, format('FOREIGN DATA WRAPPER %I', w.fdwname), w.fdwowner,
               w.fdwacl
          FROM own o JOIN pg_foreign_data_wrapper w ON w.oid = o.objid
         WHERE o.classid = 'pg_foreign_data_wrapper'::regclass
        UNION ALL
        SELECT 'pg_namespace'::regclass, n.oid, n.xmin, 'schema', n.oid, n.nspname, format('SCHEMA %I', n.nspname), n.nspowner, n.nspacl
          FROM pg_namespace n
         WHERE n.nspname = 'text2sql' OR n.oid IN (SELECT o.objid FROM own o WHERE o.classid = 'pg_namespace'::regclass)
    )
    SELECT h.kind, n.nspname, h.object_name, h.target, h.owner, h.acl,
           h.xmin = pg_current_xact_id_if_assigned()::xid AND NOT recorded.is_so, recorded.is_so
      FROM having_privileges h
     CROSS JOIN LATERAL (
           SELECT EXISTS (SELECT FROM pg_init_privs i WHERE i.classoid = h.classid AND i.objoid = h.objid AND i.objsubid = 0) AS is_so) AS recorded
      LEFT JOIN pg_namespace n ON n.oid = h.schema_oid
$own_objects$;

-- The roles that grant_access() was called for with a level. They are not recorded but
-- derived from their privileges, so that the result is correct after a rename, a restore and DROP ROLE: a role
-- has a privilege on one typical table, which is rarely granted manually and which no update drops, and on any
-- function for the audience.
CREATE FUNCTION text2sql._granted_roles(audience text) RETURNS SETOF name
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $granted_roles$
    WITH held AS MATERIALIZED (
        SELECT o.kind, o.schema_name, o.object_name, a.privilege_type, a.grantee
          FROM text2sql._own_objects() o, aclexplode(o.acl) AS a
         -- What ALTER DEFAULT PRIVILEGES gave on new objects does not count.
         WHERE a.grantee <> o.owner AND NOT o.is_new
    )
    SELECT DISTINCT r.rolname
      FROM (VALUES ('usage', 'text2sql', '_conversation_turns', 'SELECT'),
                   ('curator', 'text2sql', '_suggestions', 'SELECT'),
                   ('approver', 'text2sql', '_approval_rules', 'SELECT'),
                   ('evaluation', 'text2sql_eval', 'cases', 'INSERT')) AS typical(audience, schema_name, relation, privilege)
      JOIN held t ON t.kind = 'relation' AND (t.schema_name, t.object_name, t.privilege_type) = (typical.schema_name, typical.relation, typical.privilege)
      JOIN pg_roles r ON r.oid = t.grantee
     WHERE typical.audience = _granted_roles.audience
       AND EXISTS (
           SELECT FROM held f JOIN text2sql._privileges() p USING (kind, schema_name, object_name)
            WHERE f.grantee = r.oid AND f.kind = 'routine' AND p.audience = _granted_roles.audience)
$granted_roles$;

-- Runs a GRANT or REVOKE that PostgreSQL does not record in pg_init_privs although a script of the extension runs
-- it: pg_dump omits recorded privileges, and those of a role must be in a dump.
CREATE FUNCTION text2sql._run_unrecorded(statement text) RETURNS void
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'text2sql_run_unrecorded';

-- Grants a role the privileges of an audience.
CREATE FUNCTION text2sql._give(audience text, role_name name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $give$
DECLARE
    given record;
BEGIN
    FOR given IN SELECT array_to_string(p.privileges, ', ') AS privileges, o.target
                   FROM text2sql._privileges() p
                   JOIN text2sql._own_objects() o USING (kind, schema_name, object_name)
                  WHERE p.audience = _give.audience LOOP
        PERFORM text2sql._run_unrecorded(format('GRANT %s ON %s TO %I', given.privileges, given.target, role_name));
    END LOOP;
END
$give$;

-- Sets the privileges to those of the list. Every script of the extension that creates objects, those of CREATE
-- EXTENSION and of ALTER EXTENSION … UPDATE, calls this last, and neither grants nor revokes itself. New
-- objects lose all privileges granted by ALTER DEFAULT PRIVILEGES. Older objects keep manually granted
-- privileges only if the list grants the same privilege to some audience: no role may write the history, read
-- the search index or call a function whose name begins with an underscore. Finally, roles of an audience get
-- the new objects, too. Privileges of roles are granted unrecorded, so that they are in a dump.
CREATE FUNCTION text2sql._settle_privileges() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $settle_privileges$
DECLARE
    object record;
    statements text[];
    statement text;
    -- Before anything is revoked.
    granted CONSTANT jsonb := (
        SELECT coalesce(jsonb_agg(jsonb_build_array(use, role_name)), '[]')
          FROM unnest(ARRAY['usage', 'curator', 'approver', 'evaluation']) AS use, text2sql._granted_roles(use) AS role_name);
BEGIN
    FOR object IN
        SELECT o.*, excess.statements AS revocations, excess.leaves_others, privileges.of_public
          FROM text2sql._own_objects() o
         CROSS JOIN LATERAL (
               SELECT ARRAY(SELECT p FROM text2sql._privileges() l, unnest(l.privileges) AS p
                             WHERE l.audience = 'public' AND (l.kind, l.schema_name, l.object_name) = (o.kind, o.schema_name, o.object_name)) AS of_public,
                      ARRAY(SELECT p FROM text2sql._privileges() l, unnest(l.privileges) AS p
                             WHERE (l.kind, l.schema_name, l.object_name) = (o.kind, o.schema_name, o.object_name)
                             UNION SELECT 'EXECUTE' WHERE o.kind = 'routine' AND o.object_name NOT LIKE '\_%'
                             UNION SELECT 'USAGE' WHERE o.kind IN ('wrapper', 'type')) AS of_any) AS privileges
         CROSS JOIN LATERAL (
               SELECT array_agg(format('REVOKE %s ON %s FROM %s CASCADE', held.revoked, o.target, held.grantee)) FILTER (WHERE held.revoked IS NOT NULL) AS statements,
                      coalesce(bool_or(held.is_kept), false) AS leaves_others
                 FROM (SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee,
                              string_agg(DISTINCT a.privilege_type, ', ') FILTER (WHERE NOT kept.is_so) AS revoked, bool_or(kept.is_so) AS is_kept
                         FROM aclexplode(o.acl) AS a
                        CROSS JOIN LATERAL (
                              SELECT (NOT o.is_new AND a.privilege_type = ANY (privileges.of_any))
                                     OR (a.grantee = 0 AND a.privilege_type = ANY (privileges.of_public)) AS is_so) AS kept
                        WHERE a.grantee <> o.owner
                        GROUP BY a.grantee) AS held) AS excess
    LOOP
        -- Default privileges may exclude the owner, too.
        statements := object.revocations || format('GRANT ALL ON %s TO %I', object.target, pg_get_userbyid(object.owner));
        IF cardinality(object.of_public) > 0 THEN
            statements := statements || format('GRANT %s ON %s TO PUBLIC', array_to_string(object.of_public, ', '), object.target);
        END IF;
        FOREACH statement IN ARRAY statements LOOP
            -- PostgreSQL would record all privileges that the object then has, those of roles, too.
            IF object.is_new OR NOT (object.is_recorded OR object.leaves_others) THEN
                EXECUTE statement;
            ELSE
                PERFORM text2sql._run_unrecorded(statement);
            END IF;
        END LOOP;
    END LOOP;
    PERFORM text2sql._give(g ->> 0, (g ->> 1)::name) FROM jsonb_array_elements(granted) AS g;
END
$settle_privileges$;

-- Raises an error unless the role exists and its privileges can be changed; `example` is a correct call.
CREATE FUNCTION text2sql._require_role(role_name text, example text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $require_role$
BEGIN
    IF role_name IS NULL THEN
        RAISE EXCEPTION 'role must not be null' USING ERRCODE = 'null_value_not_allowed', HINT = 'Name a role: ' || example || ';';
    ELSIF NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = role_name) THEN
        RAISE EXCEPTION 'role "%" does not exist', role_name
            USING ERRCODE = 'undefined_object', HINT = 'Give the name without quotes: ' || example || ';';
    END IF;
    PERFORM text2sql._require_writable('privileges cannot be changed');
END
$require_role$;

-- Raises an error unless there is such a level of access.
CREATE FUNCTION text2sql._require_level(level text, example text) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $require_level$
BEGIN
    IF level IS NULL OR level <> ALL (ARRAY['usage', 'curator', 'approver', 'evaluation']) THEN
        RAISE EXCEPTION '%', CASE WHEN level IS NULL THEN 'level must not be null' ELSE format('"%s" is not a level of access', level) END
            USING ERRCODE = CASE WHEN level IS NULL THEN 'null_value_not_allowed' ELSE 'invalid_parameter_value' END,
                  DETAIL = 'The levels are usage, curator, approver and evaluation.',
                  HINT = format('For example: %s;', example);
    END IF;
END
$require_level$;

-- Lets a role ask questions with its own privileges, and what the level adds to that: teach (curator), decide about the
-- queries that wait for approval (approver), keep and evaluate suites (evaluation).
CREATE FUNCTION text2sql.grant_access(role_name text, level text DEFAULT 'usage') RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $grant_access$
BEGIN
    PERFORM text2sql._require_role(role_name, 'SELECT text2sql.grant_access(''analyst'')');
    PERFORM text2sql._require_level(level, format('SELECT text2sql.grant_access(%L, ''curator'')', role_name));
    PERFORM text2sql._give('usage', role_name::name);
    IF level <> 'usage' THEN
        PERFORM text2sql._give(level, role_name::name);
    END IF;
END
$grant_access$;

-- Revokes from a role the privileges of an audience, except those of its other audiences.
CREATE FUNCTION text2sql._take_back(audience text, role_name name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $take_back$
DECLARE
    target text;
    kept text[] := ARRAY(SELECT other FROM unnest(ARRAY['usage', 'curator', 'approver', 'evaluation']) AS other
                          WHERE other <> audience AND role_name IN (SELECT * FROM text2sql._granted_roles(other)));
    still_held text;
BEGIN
    FOR target IN
        SELECT o.target
          FROM text2sql._privileges() p
          JOIN text2sql._own_objects() o USING (kind, schema_name, object_name)
         WHERE p.audience = _take_back.audience AND pg_get_userbyid(o.owner) <> role_name
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %I CASCADE', target, role_name);
    END LOOP;
    FOREACH still_held IN ARRAY kept LOOP
        PERFORM text2sql._give(still_held, role_name);
    END LOOP;
END
$take_back$;

-- Revokes what a level adds to the right to ask. Without a level all privileges of a role on objects of the extension,
-- granted by any role, so that DROP ROLE finds none. USAGE on models (foreign servers) remains.
CREATE FUNCTION text2sql.revoke_access(role_name text, level text DEFAULT 'usage') RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $revoke_access$
DECLARE
    target text;
BEGIN
    PERFORM text2sql._require_role(role_name, 'SELECT text2sql.revoke_access(''analyst'')');
    PERFORM text2sql._require_level(level, format('SELECT text2sql.revoke_access(%L, ''curator'')', role_name));
    IF level <> 'usage' THEN
        PERFORM text2sql._take_back(level, role_name::name);
        RETURN;
    END IF;
    FOR target IN
        SELECT DISTINCT o.target
          FROM text2sql._own_objects() o, aclexplode(o.acl) AS held, pg_roles r
         WHERE r.rolname = role_name AND held.grantee = r.oid AND o.owner <> r.oid
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %I CASCADE', target, role_name);
    END LOOP;
END
$revoke_access$;
