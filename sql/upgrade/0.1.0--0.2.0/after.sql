-- Update of the extension from 0.1.0 to 0.2.0, last part: the new objects are there and empty. Copies the content,
-- grants what roles held, and renames settings. See sql/upgrade/README.md.

SET LOCAL search_path = pg_catalog, pg_temp;

-- 1. Content

INSERT INTO text2sql._budgets (budget_id, role_name, questions_per_day, tokens_per_day) OVERRIDING SYSTEM VALUE
SELECT b.budget_id, pg_get_userbyid(b.role), b.questions_per_day, b.tokens_per_day FROM text2sql_0_1_0.budgets b;

INSERT INTO text2sql._conversation_turns (turn_id, asked_by, conversation, asked_at, trace_id, question, standalone, status, sql, readings, egress)
    OVERRIDING SYSTEM VALUE
SELECT t.turn_id, pg_get_userbyid(t.asked_by), t.conversation, t.asked_at, t.trace_id, t.question, t.standalone, t.status, t.sql, t.readings, t.egress
  FROM text2sql_0_1_0.conversation_turns t;

INSERT INTO text2sql.history (trace_id, asked_at, asked_by, session_role, function, conversation, question, status, sqlstate, sql, row_count,
    truncated, confidence, verified_by, model, model_calls, requests, input_tokens, output_tokens, prompt_chars, milliseconds, settings, stages)
SELECT h.trace_id, h.asked_at, pg_get_userbyid(h.asked_by), h.session_role, h.function, h.conversation, h.question, h.status, h.sqlstate, h.sql, h.row_count,
       h.truncated, h.confidence, h.verified_by, h.model, h.model_calls, h.requests, h.input_tokens, h.output_tokens, h.prompt_chars, h.milliseconds, h.settings, h.stages
  FROM text2sql_0_1_0.history h;

INSERT INTO text2sql.egress_log (egress_id, trace_id, sent_at, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns,
    result_rows, input_tokens, output_tokens, milliseconds, prompt, reply) OVERRIDING SYSTEM VALUE
SELECT l.egress_id, l.trace_id, l.sent_at, pg_get_userbyid(l.asked_by), l.endpoint, l.purpose, l.characters, l.prompt_sha256, l.tables, l.value_columns,
       l.result_rows, l.input_tokens, l.output_tokens, l.milliseconds, l.prompt, l.reply
  FROM text2sql_0_1_0.egress_log l;

-- At most 100 synonyms, none of them NULL, in one dimension.
CREATE FUNCTION text2sql_0_1_0.synonyms(of_object text, given text[]) RETURNS text[]
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $synonyms$
DECLARE
    valid text[] := ARRAY(SELECT s.one FROM unnest(given) WITH ORDINALITY AS s(one, place) WHERE s.one IS NOT NULL ORDER BY s.place);
BEGIN
    IF cardinality(valid) > 100 THEN
        RAISE WARNING '% has more than 100 synonyms: only the first 100 were kept', of_object
            USING DETAIL = format('The others were: %s.', array_to_string(valid[101:], ', '));
    END IF;
    RETURN valid[1:100];
END
$synonyms$;

INSERT INTO text2sql._annotations (id, catalog, object_oid, column_number, object_name, table_name, former_name, description, description_origin,
    value_meanings, synonyms, priority, taught_by, taught_at)
SELECT a.id, a.catalog, a.object_oid, a.column_number, a.object_name, a.table_name, a.former_name, a.description, a.description_origin,
       -- A meaning that is no text is written as one.
       CASE WHEN a.value_meanings IS NOT NULL
            THEN (SELECT coalesce(jsonb_object_agg(m.key, m.value), '{}') FROM jsonb_each_text(a.value_meanings) AS m WHERE m.value IS NOT NULL) END,
       text2sql_0_1_0.synonyms(a.object_name, a.synonyms), CASE WHEN a.rarely_useful THEN 'low' END, a.taught_by, a.taught_at
  FROM text2sql_0_1_0.annotations a;

INSERT INTO text2sql._definitions (id, term, meaning, synonyms, sql_expression, expression_kind, catalog, object_oids, column_numbers,
    object_names, former_names, origin, taught_by, taught_at)
SELECT d.id, d.term, d.meaning, text2sql_0_1_0.synonyms(d.term, d.synonyms), d.sql_expression, d.expression_kind, d.catalog, d.object_oids, d.column_numbers,
       d.object_names, d.former_names, d.origin, d.taught_by, d.taught_at
  FROM text2sql_0_1_0.definitions d;

INSERT INTO text2sql._examples (id, question, sql, verified_by, verified_at, intent, intent_reason, intent_model, intent_checked_at, origin,
    catalog, object_oids, column_numbers, object_names, former_names, taught_by, taught_at)
SELECT e.id, e.question, e.sql, e.verified_by, e.verified_at, e.intent, e.intent_reason, e.intent_model, e.intent_checked_at, e.origin,
       e.catalog, e.object_oids, e.column_numbers, e.object_names, e.former_names, e.taught_by, e.taught_at
  FROM text2sql_0_1_0.examples e;

INSERT INTO text2sql._joins (id, catalog, object_oids, column_numbers, object_names, former_names, origin, evidence, status, taught_by, taught_at)
SELECT j.id, j.catalog, j.object_oids, j.column_numbers, j.object_names, j.former_names, j.origin, j.evidence, j.status, j.taught_by, j.taught_at
  FROM text2sql_0_1_0.joins j;

INSERT INTO text2sql._suggestions (id, kind, catalog, object_oids, column_numbers, object_names, former_names, suggestion, term, sql_expression,
    model, status, suggested_by, suggested_at, decided_by, decided_at)
SELECT s.id, s.kind, s.catalog, s.object_oids, s.column_numbers, s.object_names, s.former_names, s.suggestion, s.term, s.sql_expression,
       s.model, CASE s.status WHEN 'applied' THEN 'accepted' ELSE s.status END, s.suggested_by, s.suggested_at, s.decided_by, s.decided_at
  FROM text2sql_0_1_0.suggestions s;

INSERT INTO text2sql._feedback (id, trace_id, given_by, given_at, verdict, corrected_sql, comment, question, status, sql, answer_verified_by,
    example_id, suggestion_id, catalog, object_oids, column_numbers, object_names, former_names)
SELECT f.id, f.trace_id, f.given_by, f.given_at, f.verdict, f.corrected_sql, f.comment, f.question, f.status, f.sql, f.answer_verified_by,
       f.example_id, f.suggestion_id, f.catalog, f.object_oids, f.column_numbers, f.object_names, f.former_names
  FROM text2sql_0_1_0.given_feedback f;

INSERT INTO text2sql._protections (schema_name, table_name, column_name, level, catalog_stamp, schema_oid, relation_oid, column_number, set_by, set_at)
SELECT p.schema_name, p.table_name, p.column_name, p.level, p.catalog_stamp, p.schema_oid, p.relation_oid, p.column_number, p.set_by, p.set_at
  FROM text2sql_0_1_0.protections p;

INSERT INTO text2sql_eval.suites (suite, clock, comparison, comment, created_by, created_at)
SELECT s.suite, s.clock, s.comparison, s.comment, s.created_by, s.created_at FROM text2sql_0_1_0.suites s;

INSERT INTO text2sql_eval.cases (case_id, suite, key, question, gold, ordered, expected_status, evidence, level, style, tags, previous, comparison,
    problem, added_by, added_at)
SELECT c.case_id, c.suite, c.key, c.question, c.gold, c.ordered, c.expected_status, c.evidence, c.level, c.style, c.tags, c.previous, c.comparison,
       c.problem, c.added_by, c.added_at
  FROM text2sql_0_1_0.cases c;

-- A setting of 0.1.0 as members of a JSON object of settings: one member, or none where it is gone.
CREATE FUNCTION text2sql_0_1_0.converted(name text, value jsonb) RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $converted$
DECLARE
    plain CONSTANT text := value #>> '{}';
    renamed CONSTANT jsonb := '{
        "repair": "repair_on", "ambiguity": "on_ambiguity", "progress": "enable_progress",
        "max_rows": "max_result_rows", "max_bytes": "max_result_size",
        "statement_limit": "query_timeout",
        "work_mem_ceiling": "max_work_mem", "temp_file_ceiling": "max_temp_file_size", "parallel_workers_ceiling": "max_parallel_workers",
        "allow_catalogs": "allow_system_catalogs", "schemas": "allowed_schemas", "registered_functions": "allowed_functions",
        "local_model_dir": "local_model_directory"}';
BEGIN
    RETURN CASE
        WHEN name IN ('max_rows_ceiling', 'max_bytes_ceiling', 'max_cost_ceiling', 'statement_limit_ceiling', 'memory_limit_ceiling') THEN '{}'::jsonb
        WHEN name = 'history_days' THEN jsonb_build_object('history_retention', plain::integer || 'd')
        WHEN name = 'stages_off' THEN jsonb_build_object('without', (
            SELECT coalesce(jsonb_agg(CASE btrim(n) WHEN 'rewrite' THEN 'interpret' ELSE btrim(n) END), '[]')
              FROM unnest(string_to_array(plain, ',')) AS n WHERE btrim(n) <> ''))
        WHEN name = 'score_weights' AND jsonb_typeof(value) = 'string' THEN jsonb_build_object('score_weights', (
            SELECT coalesce(jsonb_object_agg(w.part[1], w.part[2]::numeric), '{}')
              FROM regexp_matches(plain, '(\w+)[ =:]+([0-9.]+)', 'g') AS w(part)))
        WHEN name IN ('candidates', 'max_steps', 'max_repairs', 'score_threshold', 'relevance_share') THEN jsonb_build_object(name, plain::numeric)
        WHEN name = 'context_chars' THEN jsonb_build_object('max_schema_chars', plain::numeric)
        WHEN name = 'conversation_turns' THEN jsonb_build_object('max_conversation_turns', plain::numeric)
        WHEN name = 'narrate' THEN jsonb_build_object('enable_narration', plain::boolean)
        WHEN name = 'history' THEN jsonb_build_object('enable_history', CASE WHEN plain::boolean THEN 'on' ELSE 'off' END)
        WHEN name = 'history_prompts' THEN jsonb_build_object('enable_history', CASE WHEN plain::boolean THEN 'prompts' ELSE 'on' END)
        WHEN name = 'enable_maintenance' AND plain::boolean THEN '{}'::jsonb
        WHEN name = 'enable_maintenance' THEN '{"maintenance_interval": "0"}'::jsonb
        WHEN name = 'relevance' THEN jsonb_build_object('enable_relevance_check', plain::boolean)
        WHEN name IN ('rewrite', 'route') AND plain::boolean THEN '{}'::jsonb
        WHEN name IN ('rewrite', 'route') THEN jsonb_build_object('without', jsonb_build_array(CASE name WHEN 'rewrite' THEN 'interpret' ELSE name END))
        ELSE jsonb_build_object(coalesce(renamed ->> name, name), value) END;
END
$converted$;

-- Both: what one was without and what the other was without are left out. Where nothing was recorded, prompts were not.
CREATE FUNCTION text2sql_0_1_0.joined(one jsonb, other jsonb) RETURNS jsonb
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$ SELECT one || other || CASE WHEN one ? 'without' AND other ? 'without' THEN jsonb_build_object('without', (one -> 'without') || (other -> 'without')) ELSE '{}' END
           || CASE WHEN 'off' IN (one ->> 'enable_history', other ->> 'enable_history') THEN '{"enable_history": "off"}'::jsonb ELSE '{}' END $$;

-- The settings of an evaluation or proposal.
CREATE FUNCTION text2sql_0_1_0.converted(settings jsonb) RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $converted$
DECLARE
    new jsonb := '{}';
    given record;
BEGIN
    FOR given IN SELECT s.key, s.value FROM jsonb_each(settings) AS s LOOP
        BEGIN
            new := text2sql_0_1_0.joined(new, text2sql_0_1_0.converted(regexp_replace(given.key, '^text2sql\.', ''), given.value));
        EXCEPTION WHEN data_exception THEN
            -- Shown as it was written.
            new := new || jsonb_build_object(given.key, given.value);
        END;
    END LOOP;
    RETURN new;
END
$converted$;

INSERT INTO text2sql_eval._evaluations (evaluation_id, suite, name, state, started_at, finished_at, evaluated_by, repeats, max_calls, clock,
    comparison, settings, configured)
SELECT r.run_id, r.suite, r.name, r.state, r.started_at, r.finished_at, r.run_by, r.repeats, r.max_calls, r.clock,
       r.comparison, text2sql_0_1_0.converted(r.settings), r.configured
  FROM text2sql_0_1_0.runs r;

INSERT INTO text2sql_eval.results (evaluation_id, case_id, attempt, state, key, question, gold, ordered, expected_status, evidence, level, style,
    tags, previous, comparison, status, verdict, sql, message, reasons, valid, ex, robust, copies, ea_matching, ea_expected, ea_share, em, em_share,
    similarity, columns_identified, context_tables, context_columns, lexical_relevancy, lexical_faithfulness, confidence, score, agreement, fingerprint,
    row_count, gold_row_count, gold_number, model_calls, input_tokens, output_tokens, prompt_chars, stages, milliseconds, opinion, finished_at)
SELECT r.run_id, r.case_id, r.attempt, r.state, r.key, r.question, r.gold, r.ordered, r.expected_status, r.evidence, r.level, r.style,
       r.tags, r.previous, r.comparison, r.status, r.verdict, r.sql, r.message, r.reasons, r.valid, r.ex, r.robust, r.copies, r.ea_matching, r.ea_expected, r.ea_share, r.em, r.em_share,
       r.similarity, r.columns_identified, r.context_tables, r.context_columns, r.answer_relevancy, r.faithfulness, r.confidence, r.score, r.agreement, r.fingerprint,
       r.row_count, r.gold_row_count, r.gold_number, r.model_calls, r.input_tokens, r.output_tokens, r.prompt_chars, r.stages, r.milliseconds, r.opinion, r.finished_at
  FROM text2sql_0_1_0.results r;

INSERT INTO text2sql_eval._variants (evaluation_id, baseline, variant, part)
SELECT v.run_id, v.baseline, v.variant, v.part FROM text2sql_0_1_0.variants v;

INSERT INTO text2sql_eval.proposals (proposal_id, suite, settings, cases, accuracy_now, accuracy, p_mid, verdict, statements, baseline_evaluation,
    proposal_evaluation, made_by, made_at)
SELECT p.proposal_id, p.suite, c.settings, p.cases, p.accuracy_now, p.accuracy, p.p_mid, p.verdict,
       (SELECT coalesce(array_agg(format('ALTER DATABASE %I SET %s = %L', current_database(), s.name, s.value)), '{}')
          FROM text2sql_eval._settings_of(c.settings) AS s),
       p.baseline_run, p.proposal_run, p.made_by, p.made_at
  FROM text2sql_0_1_0.proposals p, LATERAL (SELECT text2sql_0_1_0.converted(p.settings) AS settings) AS c;

INSERT INTO text2sql_eval._confidence_fits (model, endpoint_model, intercept, by_score, by_agreement, answers, right_answers, expected_error, brier,
    baseline_brier, evaluation_ids, fitted_by, fitted_at)
SELECT f.model, f.endpoint_model, f.intercept, f.by_score, f.by_agreement, f.answers, f."right", f.expected_error, f.brier,
       f.brier_of_share, f.run_ids, f.fitted_by, f.fitted_at
  FROM text2sql_0_1_0.confidence_fits f;

-- New ids follow the old ones.
DO $sequences$
DECLARE
    pair record;
BEGIN
    FOR pair IN
        SELECT * FROM (VALUES
            ('budgets_budget_id_seq', 'text2sql._budgets_budget_id_seq'),
            ('conversation_turns_turn_id_seq', 'text2sql._conversation_turns_turn_id_seq'),
            ('egress_log_egress_id_seq', 'text2sql.egress_log_egress_id_seq'),
            ('annotations_id_seq', 'text2sql._annotations_id_seq'),
            ('definitions_id_seq', 'text2sql._definitions_id_seq'),
            ('examples_id_seq', 'text2sql._examples_id_seq'),
            ('joins_id_seq', 'text2sql._joins_id_seq'),
            ('suggestions_id_seq', 'text2sql._suggestions_id_seq'),
            ('given_feedback_id_seq', 'text2sql._feedback_id_seq'),
            ('cases_case_id_seq', 'text2sql_eval.cases_case_id_seq'),
            ('runs_run_id_seq', 'text2sql_eval._evaluations_evaluation_id_seq'),
            ('proposals_proposal_id_seq', 'text2sql_eval.proposals_proposal_id_seq')) AS pairs(old, new)
    LOOP
        EXECUTE format('SELECT setval(%L, s.last_value, s.is_called) FROM text2sql_0_1_0.%I AS s', pair.new, pair.old);
    END LOOP;
END
$sequences$;

-- The counters of budgets keep what was used today.
DO $counters$
DECLARE
    budget record;
    kind text;
    old text;
    new text;
    grantee text;
BEGIN
    FOR budget IN SELECT b.budget_id, c.relowner::regrole AS owner FROM text2sql._budgets b, pg_class c WHERE c.oid = 'text2sql._budgets'::regclass LOOP
        FOREACH kind IN ARRAY ARRAY['questions', 'tokens'] LOOP
            old := format('budget_%s_%s', budget.budget_id, kind);
            new := '_' || old;
            CONTINUE WHEN to_regclass('text2sql_0_1_0.' || old) IS NULL;
            EXECUTE format('ALTER SEQUENCE text2sql_0_1_0.%I OWNED BY NONE', old);
            EXECUTE format('ALTER SEQUENCE text2sql_0_1_0.%I OWNER TO %s', old, budget.owner);
            EXECUTE format('ALTER SEQUENCE text2sql_0_1_0.%I RENAME TO %I', old, new);
            EXECUTE format('ALTER SEQUENCE text2sql_0_1_0.%I SET SCHEMA text2sql', new);
            EXECUTE format('ALTER SEQUENCE text2sql.%I OWNED BY text2sql._budgets.budget_id', new);
            -- Granted by ALTER DEFAULT PRIVILEGES: a role that can set a counter would have no limit.
            FOR grantee IN
                SELECT CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(held.grantee)) END
                  FROM pg_class c, aclexplode(c.relacl) AS held
                 WHERE c.oid = to_regclass('text2sql.' || new) AND held.grantee <> c.relowner
            LOOP
                EXECUTE format('REVOKE ALL ON SEQUENCE text2sql.%I FROM %s CASCADE', new, grantee);
            END LOOP;
        END LOOP;
    END LOOP;
END
$counters$;

-- 2. Privileges

-- The names of objects that roles had privileges on. A routine that became several is listed several times.
CREATE TABLE text2sql_0_1_0.renamed (kind text, old name, schema_name name, new name);
INSERT INTO text2sql_0_1_0.renamed VALUES
    ('routine', 'mark_rarely_useful', 'text2sql', 'describe'),
    ('routine', 'describe', 'text2sql', 'describe'),
    ('routine', 'describe_values', 'text2sql', 'describe'),
    ('routine', 'add_synonyms', 'text2sql', 'describe'),
    ('routine', 'suggest_descriptions', 'text2sql', 'suggest'),
    ('routine', 'suggest_joins', 'text2sql', 'suggest'),
    ('routine', 'decide_join', 'text2sql', 'accept'),
    ('routine', 'decide_join', 'text2sql', 'reject'),
    ('routine', 'apply_descriptions', 'text2sql', 'accept'),
    ('routine', 'reject_descriptions', 'text2sql', 'reject'),
    ('routine', 'feedback', 'text2sql', 'add_feedback'),
    ('routine', 'withdraw_feedback', 'text2sql', 'forget'),
    ('routine', 'verify_example', 'text2sql', 'accept'),
    ('routine', 'verify_example', 'text2sql', 'reject'),
    ('routine', 'purge_history', 'text2sql', 'drop_history'),
    ('routine', 'import_dbt', 'text2sql', 'import_knowledge'),
    ('routine', 'import_examples', 'text2sql', 'import_knowledge'),
    ('routine', 'import_knowledge', 'text2sql', 'import_knowledge'),
    ('routine', 'create_suite', 'text2sql_eval', 'add_suite'),
    ('routine', 'ask_cursor', 'text2sql', 'ask_into'),
    ('routine', 'ask_into', 'text2sql', 'ask_into'),
    ('routine', 'lineage', 'text2sql', 'validate'),
    ('routine', 'validate', 'text2sql', 'validate'),
    ('routine', 'compare_runs', 'text2sql_eval', 'compare'),
    ('routine', 'ablate', 'text2sql_eval', 'evaluate'),
    ('routine', 'evaluate', 'text2sql_eval', 'evaluate'),
    ('routine', 'import_cases', 'text2sql_eval', 'add_cases'),
    -- text2sql.grade is another function: it marks an exercise.
    ('routine', 'grade', 'text2sql_eval', 'grade'),
    ('relation', 'runs', 'text2sql_eval', '_evaluations'),
    ('relation', 'run_summary', 'text2sql_eval', 'evaluations'),
    ('relation', 'run_groups', 'text2sql_eval', 'groups'),
    ('relation', 'case_results', 'text2sql_eval', '_case_results'),
    ('relation', 'variants', 'text2sql_eval', '_variants'),
    ('relation', 'perturbed_tables', 'text2sql_eval', '_perturbed_tables'),
    ('relation', 'confidence_fits', 'text2sql_eval', '_confidence_fits');
-- All others keep their name.
INSERT INTO text2sql_0_1_0.renamed
SELECT DISTINCT o.kind, o.object_name, o.schema_name, o.object_name
  FROM text2sql._own_objects() o
 WHERE o.kind IN ('routine', 'relation') AND o.schema_name IN ('text2sql', 'text2sql_eval')
   AND NOT EXISTS (SELECT FROM text2sql_0_1_0.renamed r WHERE r.kind = o.kind AND o.object_name IN (r.old, r.new));

DO $privileges$
DECLARE
    use text;
    role_name name;
    grantee text;
    given record;
    -- A function that the role could call and a relation that it could use, which grant_…() granted together.
    typical CONSTANT jsonb := '{"usage": ["ask", "conversation_turns", "SELECT"],
                                "curator": ["define", "definitions", "INSERT"],
                                "evaluation": ["evaluate", "runs", "INSERT"]}';
BEGIN
    FOREACH use IN ARRAY ARRAY['usage', 'curator', 'evaluation'] LOOP
        FOR role_name IN
            SELECT r.rolname FROM pg_roles r
             WHERE EXISTS (SELECT FROM text2sql_0_1_0.held h
                            WHERE h.grantee = r.oid AND h.kind = 'routine' AND h.name = typical -> use ->> 0)
               AND EXISTS (SELECT FROM text2sql_0_1_0.held h
                            WHERE h.grantee = r.oid AND h.kind = 'relation' AND h.name = typical -> use ->> 1
                              AND h.privilege = typical -> use ->> 2)
        LOOP
            PERFORM text2sql._give(use, role_name);
            -- What an administrator revoked from the role stays revoked.
            FOR given IN
                SELECT o.target, o.kind
                  FROM text2sql._privileges() p
                  JOIN text2sql._own_objects() o USING (kind, schema_name, object_name)
                  JOIN text2sql_0_1_0.renamed n ON (n.kind, n.schema_name, n.new) = (o.kind, o.schema_name, o.object_name)
                 WHERE p.audience = use AND o.object_name NOT LIKE '\_%'
                   -- 0.1.0 granted it, too, and the role does not hold it.
                   AND (n.kind, n.old) <> ('relation', 'budgets')
                   -- In 0.1.0 evaluators decided about nothing.
                   AND (use, n.new) <> ('evaluation', 'accept')
                   AND n.old IN (SELECT m.name FROM text2sql_0_1_0.members m WHERE m.kind = n.kind)
                   AND NOT EXISTS (SELECT FROM text2sql_0_1_0.held h JOIN pg_roles r ON r.oid = h.grantee
                                    WHERE r.rolname = role_name AND h.kind = n.kind AND h.name = n.old)
            LOOP
                PERFORM text2sql._run_unrecorded(format('REVOKE ALL ON %s FROM %I', given.target, role_name));
            END LOOP;
        END LOOP;
    END LOOP;

    -- What was granted on single objects, as far as any role may hold it, except on functions that are now a part of one
    -- that does more.
    FOR given IN
        SELECT DISTINCT h.grantee, h.privilege, h.is_grantable, o.target, o.schema_name
          FROM text2sql_0_1_0.held h
          JOIN text2sql_0_1_0.renamed n ON n.kind = h.kind AND n.old = h.name
          JOIN text2sql._own_objects() o ON (o.kind, o.schema_name, o.object_name) = (n.kind, n.schema_name, n.new)
         WHERE (h.grantee = 0 OR EXISTS (SELECT FROM pg_roles r WHERE r.oid = h.grantee))
           -- 0.1.0 granted it to all who ask; now they need it no longer.
           AND (h.kind, h.name) <> ('relation', 'confidence_fits')
           AND NOT (o.kind = 'routine' AND o.object_name IN ('accept', 'reject', 'forget', 'import_knowledge', 'describe', 'suggest'))
           AND ((o.kind = 'routine' AND o.object_name NOT LIKE '\_%')
                OR EXISTS (SELECT FROM text2sql._privileges() p
                            WHERE (p.kind, p.schema_name, p.object_name) = (o.kind, o.schema_name, o.object_name)
                              AND o.kind = 'relation' AND h.privilege = ANY (p.privileges)))
        UNION ALL
        SELECT h.grantee, h.privilege, h.is_grantable, 'SCHEMA text2sql', 'text2sql'
          FROM text2sql_0_1_0.held h
         WHERE h.kind = 'schema' AND h.privilege = 'USAGE' AND (h.grantee = 0 OR EXISTS (SELECT FROM pg_roles r WHERE r.oid = h.grantee))
        UNION ALL
        SELECT h.grantee, h.privilege, h.is_grantable, 'FOREIGN DATA WRAPPER text2sql', NULL
          FROM text2sql_0_1_0.held h
         WHERE h.kind = 'wrapper' AND (h.grantee = 0 OR EXISTS (SELECT FROM pg_roles r WHERE r.oid = h.grantee))
    LOOP
        grantee := CASE given.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(given.grantee)) END;
        PERFORM text2sql._run_unrecorded(format('GRANT %s ON %s TO %s%s', given.privilege, given.target, grantee,
            CASE WHEN given.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END));
        -- In 0.1.0 these objects were in the schema text2sql.
        IF given.schema_name = 'text2sql_eval' THEN
            PERFORM text2sql._run_unrecorded(format('GRANT USAGE ON SCHEMA text2sql_eval TO %s', grantee));
        END IF;
    END LOOP;
END
$privileges$;

-- 3. Settings of roles and of this database. ALTER ROLE and ALTER DATABASE refuse names that the library does not
-- know, also in order to remove them: the rows are changed in the catalog.

-- The number of kilobytes or milliseconds of a value with or without a unit.
CREATE FUNCTION text2sql_0_1_0.amount(value text, unit text) RETURNS numeric
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $amount$
    SELECT CASE WHEN value ~ '^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*$' THEN value::numeric
                WHEN unit = 'kB' THEN pg_size_bytes(value) / 1024.0
                WHEN unit = 'ms' THEN extract(epoch FROM value::interval) * 1000 END
$amount$;

DO $settings$
DECLARE
    -- Limits that a role could raise up to a ceiling, and that superusers set now: name in 0.1.0, its ceiling, the unit,
    -- the default, and the default of the ceiling.
    limits CONSTANT jsonb := '[["max_cost", "max_cost_ceiling", null, 5e6, 5e8],
                               ["statement_limit", "statement_limit_ceiling", "ms", 30000, 300000],
                               ["memory_limit", "memory_limit_ceiling", "kB", 524288, 2097152],
                               ["max_rows", "max_rows_ceiling", null, 1000, 100000],
                               ["max_bytes", "max_bytes_ceiling", "kB", 4096, 65536]]';
    tuned CONSTANT text[] := ARRAY['on_ambiguity', 'on_truncation', 'enable_narration', 'max_conversation_turns', 'suggestion_model', 'rerank_model', 'max_repairs', 'repair_on', 'enable_relevance_check', 'max_schema_chars', 'candidates', 'strategy', 'max_steps', 'without',
                                   'score_weights', 'score_threshold', 'relevance_share'];
    -- The lowest ceiling for everybody: in the configuration files, or the default.
    ceilings jsonb := '{}';
    found record;
    old jsonb;
    new jsonb;
    kept text[];
    tuning jsonb;
    item record;
    bound jsonb;
    ceiling numeric;
    value numeric;
    place text;
    lost text[] := '{}';
    changed text[] := '{}';
BEGIN
    FOR bound IN SELECT * FROM jsonb_array_elements(limits) LOOP
        BEGIN
            SELECT min(text2sql_0_1_0.amount(f.setting, bound ->> 2)) INTO ceiling
              FROM pg_file_settings f WHERE f.name = 'text2sql.' || (bound ->> 1);
        EXCEPTION WHEN data_exception OR insufficient_privilege THEN
            ceiling := NULL;
        END;
        ceilings := ceilings || jsonb_build_object(bound ->> 1, coalesce(ceiling, (bound ->> 4)::numeric));
    END LOOP;

    FOR found IN
        SELECT s.setdatabase, s.setrole, s.setconfig,
               CASE WHEN s.setrole = 0 THEN format('ALTER DATABASE %I', d.datname)
                    WHEN s.setdatabase = 0 THEN format('ALTER ROLE %I', r.rolname)
                    ELSE format('ALTER ROLE %I IN DATABASE %I', r.rolname, d.datname) END AS command
          FROM pg_db_role_setting s LEFT JOIN pg_database d ON d.oid = s.setdatabase LEFT JOIN pg_roles r ON r.oid = s.setrole
         WHERE s.setdatabase IN (0, (SELECT c.oid FROM pg_database c WHERE c.datname = current_database()))
           AND EXISTS (SELECT FROM unnest(s.setconfig) AS c WHERE lower(c) LIKE 'text2sql.%')
    LOOP
        SELECT coalesce(jsonb_object_agg(substr(lower(split_part(c, '=', 1)), 10), substr(c, strpos(c, '=') + 1)), '{}') INTO old
          FROM unnest(found.setconfig) AS c WHERE lower(c) LIKE 'text2sql.%';
        kept := ARRAY(SELECT c FROM unnest(found.setconfig) WITH ORDINALITY AS s(c, n) WHERE lower(c) NOT LIKE 'text2sql.%' ORDER BY n);
        new := '{}';
        FOR item IN SELECT o.key AS name, o.value FROM jsonb_each_text(old) AS o LOOP
            place := found.command || format(' SET text2sql.%s = %L', item.name, item.value);
            BEGIN
                IF item.name = 'max_concurrency' THEN
                    lost := lost || (place || ' (it is set in the configuration file now)');
                ELSE
                    new := text2sql_0_1_0.joined(new, text2sql_0_1_0.converted(item.name, to_jsonb(item.value)));
                END IF;
            EXCEPTION WHEN data_exception THEN
                lost := lost || place;
            END;
        END LOOP;
        FOR bound IN SELECT * FROM jsonb_array_elements(limits) LOOP
            CONTINUE WHEN NOT (old ? (bound ->> 0) OR old ? (bound ->> 1));
            SELECT k INTO place FROM jsonb_object_keys(text2sql_0_1_0.converted(bound ->> 0, '1')) AS k;
            BEGIN
                ceiling := coalesce(text2sql_0_1_0.amount(old ->> (bound ->> 1), bound ->> 2), (ceilings ->> (bound ->> 1))::numeric);
                value := coalesce(text2sql_0_1_0.amount(old ->> (bound ->> 0), bound ->> 2), (bound ->> 3)::numeric);
                -- 0 meant the ceiling, and of the ceilings of cost and memory it meant no limit, as it does now.
                value := CASE WHEN ceiling = 0 THEN value WHEN value = 0 THEN ceiling ELSE least(value, ceiling) END;
                IF old ? (bound ->> 0) AND value <> text2sql_0_1_0.amount(old ->> (bound ->> 0), bound ->> 2) THEN
                    changed := changed || format('%s SET text2sql.%s = %L became %s', found.command, bound ->> 0, old ->> (bound ->> 0), value || coalesce(bound ->> 2, ''));
                END IF;
                IF old ? (bound ->> 0) OR value < (bound ->> 3)::numeric THEN
                    new := new || jsonb_build_object(place, CASE WHEN bound ->> 2 IS NULL THEN value::text
                                                                 ELSE ceil(value)::text || (bound ->> 2) END);
                END IF;
            EXCEPTION WHEN data_exception THEN
                new := new - place;
                lost := lost || concat(found.command, ' SET text2sql.', bound ->> 0, ' = ', quote_literal(old ->> (bound ->> 0)));
            END;
        END LOOP;
        SELECT jsonb_object_agg(n.key, n.value) INTO tuning FROM jsonb_each(new) AS n WHERE n.key = ANY (tuned);
        IF tuning IS NOT NULL THEN
            new := new - tuned;
            -- A wrong value of one key leaves the others.
            FOR item IN SELECT t.key AS name, t.value FROM jsonb_each(tuning) AS t LOOP
                BEGIN
                    PERFORM set_config('text2sql.tuning', jsonb_build_object(item.name, item.value)::text, true);
                EXCEPTION WHEN OTHERS THEN
                    tuning := tuning - item.name;
                    lost := lost || format('%s SET text2sql.tuning = %L', found.command, jsonb_build_object(item.name, item.value));
                END;
            END LOOP;
            IF tuning <> '{}' THEN
                new := new || jsonb_build_object('tuning', tuning::text);
            END IF;
        END IF;
        -- The library, which the functions above have loaded, refuses wrong values.
        FOR item IN SELECT n.key AS name, n.value FROM jsonb_each_text(new) AS n LOOP
            BEGIN
                PERFORM set_config('text2sql.' || item.name, item.value, true);
                kept := kept || format('text2sql.%s=%s', item.name, item.value);
            EXCEPTION WHEN OTHERS THEN
                lost := lost || format('%s SET text2sql.%s = %L', found.command, item.name, item.value);
            END;
        END LOOP;
        IF kept = '{}' THEN
            DELETE FROM pg_db_role_setting s WHERE s.setdatabase = found.setdatabase AND s.setrole = found.setrole;
        ELSE
            UPDATE pg_db_role_setting s SET setconfig = kept WHERE s.setdatabase = found.setdatabase AND s.setrole = found.setrole;
        END IF;
    END LOOP;

    -- Privileges on parameters.
    FOR item IN
        SELECT p.parname, n.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee,
               a.privilege_type AS privilege, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
          FROM pg_parameter_acl p CROSS JOIN LATERAL aclexplode(p.paracl) AS a
          LEFT JOIN LATERAL jsonb_object_keys(text2sql_0_1_0.converted(substr(p.parname, 10), '1')) AS n(name) ON true
         WHERE p.parname ~ '^text2sql\.[a-z0-9_]+$' AND (n.name IS DISTINCT FROM substr(p.parname, 10) OR n.name = ANY (tuned)) AND a.grantee <> 10
    LOOP
        -- A role that could decide about prompts could not decide about questions.
        IF NOT item.name = ANY (tuned) AND item.parname <> 'text2sql.history_prompts' THEN
            PERFORM text2sql._run_unrecorded(format('GRANT %s ON PARAMETER text2sql.%s TO %s%s', item.privilege, item.name, item.grantee, item.option));
        END IF;
        PERFORM text2sql._run_unrecorded(format('REVOKE %s ON PARAMETER %s FROM %s CASCADE', item.privilege, item.parname, item.grantee));
    END LOOP;

    IF changed <> '{}' THEN
        RAISE WARNING 'limits above the ceilings of 0.1.0 were lowered to them: %', (SELECT pg_catalog.string_agg(line, '; ' ORDER BY line COLLATE "C") FROM pg_catalog.unnest(changed) AS line)
            USING HINT = 'Ceilings are gone: set a limit with ALTER ROLE or ALTER DATABASE, or with GRANT SET ON PARAMETER let a role choose.';
    END IF;
    IF lost <> '{}' THEN
        RAISE WARNING 'settings could not be converted: %', (SELECT pg_catalog.string_agg(line, '; ' ORDER BY line COLLATE "C") FROM pg_catalog.unnest(lost) AS line)
            USING HINT = 'docs/upgrade.md lists the new settings.';
    END IF;
END
$settings$;

-- 4. The old tables go. Not with CASCADE: what another session may have built on them meanwhile is an error.
DO $drop_old$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT 'DROP TABLE ' || string_agg(c.oid::regclass::text, ', ') FROM pg_class c
         WHERE c.relnamespace = 'text2sql_0_1_0'::regnamespace AND c.relkind = 'r'
        UNION ALL
        SELECT 'DROP FUNCTION ' || string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p WHERE p.pronamespace = 'text2sql_0_1_0'::regnamespace
        UNION ALL
        -- Counters of budgets that are gone.
        SELECT format('DROP SEQUENCE %s', c.oid::regclass) FROM pg_class c
         WHERE c.relnamespace = 'text2sql_0_1_0'::regnamespace AND c.relkind = 'S'
           AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    LOOP
        EXECUTE command;
    END LOOP;
END
$drop_old$;
DROP SCHEMA text2sql_0_1_0;
