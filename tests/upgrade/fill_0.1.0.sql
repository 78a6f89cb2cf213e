-- A used database of version 0.1.0: a row in each table as its library wrote them, with a value in every column, and
-- what an administrator set up. With psql variables: analyst, curator, evaluator, single and less are roles.
CREATE SCHEMA shop;
CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, country text, email text);
CREATE TABLE shop.orders (id int PRIMARY KEY, customer_id int REFERENCES shop.customers, status text, amount numeric);
CREATE SCHEMA hr;
CREATE TABLE hr.wages (id int PRIMARY KEY, paid numeric);
INSERT INTO shop.customers SELECT n, 'customer ' || n, (ARRAY['Austria', 'Germany'])[n % 2 + 1], n || '@example.com' FROM generate_series(1, 10) AS n;
INSERT INTO shop.orders SELECT n, n % 10 + 1, (ARRAY['paid', 'open'])[n % 2 + 1], n FROM generate_series(1, 100) AS n;
ANALYZE;
GRANT USAGE ON SCHEMA shop, hr TO :"analyst", :"curator", :"evaluator";
GRANT SELECT ON ALL TABLES IN SCHEMA shop, hr TO :"analyst", :"curator", :"evaluator";

SELECT text2sql.grant_usage(:'analyst'), text2sql.grant_curator(:'curator'), text2sql.grant_evaluation(:'evaluator'), text2sql.grant_usage(:'less');
-- An administrator's own decisions.
REVOKE EXECUTE ON FUNCTION text2sql.ask_view FROM :"less";
REVOKE SELECT ON text2sql.egress_log FROM :"less";
GRANT USAGE ON SCHEMA text2sql TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.purge_history TO :"single" WITH GRANT OPTION;
GRANT EXECUTE ON FUNCTION text2sql.decide_join, text2sql._count_today TO :"single";
GRANT SELECT ON text2sql.history, text2sql.run_summary TO :"single";
GRANT SELECT, INSERT ON text2sql.index_values TO :"single";
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.status TO PUBLIC;

CREATE SERVER upgrade_model FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url 'https://model.example/v1', model 'none');
CREATE USER MAPPING FOR :"analyst" SERVER upgrade_model OPTIONS (api_key_file '/nowhere/key');
GRANT USAGE ON FOREIGN SERVER upgrade_model TO :"analyst";

CREATE FUNCTION pg_temp.oids(names text[]) RETURNS oid[] LANGUAGE sql AS $$
    SELECT array_agg(split_part(n, '.', 1) || '.' || split_part(n, '.', 2) ORDER BY place)::regclass[]::oid[] FROM unnest(names) WITH ORDINALITY AS s(n, place) $$;
INSERT INTO text2sql.annotations (id, object_oid, column_number, object_name, table_name, former_name, description, description_origin, value_meanings, synonyms, rarely_useful, taught_by, taught_at) VALUES
    (7, 'shop.customers'::regclass, 0, 'shop.customers', 'shop.customers', 'shop.clients', 'everybody who bought', 'dbt', NULL, '{clients,Kunden}', false, :'curator', '2026-01-02'),
    (8, 'shop.orders'::regclass, 3, 'shop.orders.status', 'shop.orders', NULL, NULL, 'taught', '{"paid": "money came", "open": 1}', '{state,NULL}', true, :'curator', '2026-01-03'),
    (9, 'shop.orders'::regclass, 4, 'shop.orders.amount', 'shop.orders', NULL, 'in euros', 'taught', '{}', ARRAY(SELECT 'word ' || n FROM generate_series(1, 101) AS n), false, :'curator', '2026-01-03');
INSERT INTO text2sql.definitions (id, term, meaning, synonyms, sql_expression, expression_kind, object_oids, column_numbers, object_names, former_names, origin, taught_by, taught_at) VALUES
    (5, 'revenue', 'what was paid', '{turnover}', 'sum(amount)', 'aggregate', pg_temp.oids('{shop.orders,shop.orders.amount}'), '{0,4}', '{shop.orders,shop.orders.amount}', NULL, 'suggested', :'curator', '2026-01-04');
INSERT INTO text2sql.examples (id, question, sql, verified_by, verified_at, intent, intent_reason, intent_model, intent_checked_at, origin, object_oids, column_numbers, object_names, former_names, taught_by, taught_at) VALUES
    (11, 'How many customers are there?', 'SELECT count(*) FROM shop.customers', :'curator', '2026-01-05', 'yes', 'it does', 'gpt', '2026-01-06', 'feedback', pg_temp.oids('{shop.customers}'), '{0}', '{shop.customers}', NULL, :'analyst', '2026-01-05'),
    (12, 'Orders?', 'SELECT count(*) FROM shop.orders', NULL, NULL, NULL, NULL, NULL, NULL, 'import', pg_temp.oids('{shop.orders}'), '{0}', '{shop.orders}', '{shop.purchases}', :'analyst', '2026-01-05');
INSERT INTO text2sql.joins (id, object_oids, column_numbers, object_names, former_names, origin, evidence, status, taught_by, taught_at) VALUES
    (3, pg_temp.oids('{shop.orders.customer_id,shop.customers.id}'), '{2,1}', '{shop.orders.customer_id,shop.customers.id}', NULL, 'statements', 'twice', 'rejected', :'curator', '2026-01-07');
INSERT INTO text2sql.suggestions (id, kind, object_oids, column_numbers, object_names, former_names, suggestion, term, sql_expression, model, status, suggested_by, suggested_at, decided_by, decided_at) VALUES
    (1, 'definition', pg_temp.oids('{shop.orders}'), '{0}', '{shop.orders}', NULL, 'what is open', 'open', 'status = ''open''', 'gpt', 'applied', :'curator', '2026-01-08', :'curator', '2026-01-09'),
    (2, 'description', pg_temp.oids('{shop.orders}'), '{0}', '{shop.orders}', NULL, 'orders', NULL, NULL, 'gpt', 'open', :'curator', '2026-01-08', NULL, NULL);
INSERT INTO text2sql.given_feedback (id, trace_id, given_by, given_at, verdict, corrected_sql, comment, question, status, sql, answer_verified_by, example_id, suggestion_id, object_oids, column_numbers, object_names, former_names) VALUES
    (4, '11111111-1111-1111-1111-111111111111', :'analyst', '2026-01-10', 'wrong', 'SELECT 2', 'no', 'How many?', 'ok', 'SELECT 1', :'curator', 11, 2, pg_temp.oids('{shop.orders}'), '{0}', '{shop.orders}', NULL);
INSERT INTO text2sql.protections (schema_name, table_name, column_name, level, catalog_stamp, schema_oid, relation_oid, column_number, set_by, set_at) VALUES
    ('shop', 'customers', 'email', 'private', text2sql._catalog_stamp(), 'shop'::regnamespace, 'shop.customers'::regclass, 4, 'postgres', '2026-01-11'),
    ('hr', '', '', 'hidden', text2sql._catalog_stamp(), 'hr'::regnamespace, 0, 0, 'postgres', '2026-01-11');

INSERT INTO text2sql.history (trace_id, asked_at, asked_by, session_role, function, conversation, question, status, sqlstate, sql, row_count, truncated, confidence, verified_by, model, model_calls, requests, input_tokens, output_tokens, prompt_chars, milliseconds, settings, stages) VALUES
    ('11111111-1111-1111-1111-111111111111', '2026-11-01', :'analyst', :'curator', 'ask', 'monday', 'How many?', 'ok', '00000', 'SELECT 1', 1, false, 0.5, :'curator', 'gpt', 2, 3, 4, 5, 6, 7.5, '{"a": 1}', '[{"stage": "read"}]'),
    ('22222222-2222-2222-2222-222222222222', '2026-11-02', 4000000000::oid::regrole, 'gone', 'show', NULL, 'Who?', 'failed', '42601', NULL, NULL, NULL, NULL, NULL, 'builtin', 0, 0, 0, 0, 0, 1, '{}', '[]');
INSERT INTO text2sql.egress_log (egress_id, trace_id, sent_at, asked_by, endpoint, purpose, characters, prompt_sha256, tables, value_columns, result_rows, input_tokens, output_tokens, milliseconds, prompt, reply) OVERRIDING SYSTEM VALUE VALUES
    (21, '11111111-1111-1111-1111-111111111111', '2026-11-01', :'analyst', 'upgrade_model', 'generate', 100, 'abc', '{shop.orders}', '{shop.orders.status}', 3, 4, 5, 6.5, 'prompt', 'reply');
INSERT INTO text2sql.conversation_turns (turn_id, asked_by, conversation, asked_at, trace_id, question, standalone, status, sql, readings, egress) OVERRIDING SYSTEM VALUE VALUES
    (31, :'analyst', 'monday', '2026-11-01', '11111111-1111-1111-1111-111111111111', 'How many?', 'How many orders?', 'ok', 'SELECT 1', '{one,two}', 'values'),
    (32, :'analyst', 'monday', '2026-11-01', '33333333-3333-3333-3333-333333333333', 'And open ones?', NULL, 'ok', 'SELECT 2', '{}', 'schema');
SELECT text2sql.set_budget(:'analyst', questions_per_day => 500), text2sql.set_budget(:'curator', tokens_per_day => 1000);
-- 17 questions today, as the library counts them.
SELECT text2sql._count_today(b.budget_id, 'questions', 17, ((clock_timestamp() AT TIME ZONE 'UTC')::date - DATE '2000-01-01')::bigint) FROM text2sql.budgets b WHERE b.questions_per_day = 500;

INSERT INTO text2sql.suites (suite, clock, comparison, comment, created_by, created_at) VALUES ('sales', '2026-02-01', '{"ordered": true}', 'ours', :'evaluator', '2026-02-02');
INSERT INTO text2sql.cases (case_id, suite, key, question, gold, ordered, expected_status, evidence, level, style, tags, previous, comparison, problem, added_by, added_at) VALUES
    (41, 'sales', 'k1', 'How many orders?', '{SELECT count(*) FROM shop.orders}', true, 'ok', 'evidence', 'easy', 'short', '{a,b}', '{before}', '{"x": 1}', NULL, :'evaluator', '2026-02-03'),
    (42, 'sales', 'k2', 'The weather?', '{}', NULL, 'unanswerable', NULL, NULL, NULL, '{}', '{}', NULL, 'none', :'evaluator', '2026-02-03');
INSERT INTO text2sql.runs (run_id, suite, name, state, started_at, finished_at, run_by, repeats, max_calls, clock, comparison, settings, configured) VALUES
    (51, 'sales', 'first', 'done', '2026-02-04', '2026-02-05', :'evaluator', 1, 10, '2026-02-01', '{"y": 1}', '{"max_rows": 5, "candidates": 2}', '{"text2sql.max_rows": "5"}'),
    (52, 'sales', 'as it is', 'running', '2026-02-04', NULL, :'evaluator', 1, NULL, NULL, '{}', '{"text2sql.narrate": "off", "stages_off": "rewrite, judge"}', '{}');
INSERT INTO text2sql.results VALUES
    (51, 41, 1, 'done', 'k1', 'How many orders?', '{SELECT count(*) FROM shop.orders}', true, 'ok', 'evidence', 'easy', 'short', '{a}', '{before}', '{"x": 1}',
     'ok', 'right', 'SELECT 100', 'message', '{reason}', true, true, false, 2, 3, 4, 0.5, '{"is_equal": true}', 0.25, 0.75, 1, '{"precision": 1}', '{"recall": 1}', 0.1, 0.2,
     0.9, 0.8, 0.7, 'print', 1, 1, 1, 2, 3, 4, 5, '{"read": 1}', 6.5, 'opinion', '2026-02-05'),
    (52, 41, 1, 'waiting', 'k1', 'How many orders?', '{SELECT count(*) FROM shop.orders}', true, 'ok', NULL, NULL, NULL, '{}', '{}', NULL,
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO text2sql.variants VALUES (52, 51, 'no narration', 'search');
INSERT INTO text2sql.proposals (proposal_id, suite, settings, cases, accuracy_now, accuracy, p_mid, verdict, statements, baseline_run, proposal_run, made_by, made_at) VALUES
    (61, 'sales', '{"max_rows": 10, "strategy": "direct"}', 2, 0.5, 0.6, 0.1, 'perhaps better', ARRAY['ALTER DATABASE x SET text2sql.max_rows = ''10''', 'ALTER DATABASE x SET text2sql.strategy = ''direct'''], 51, 52, :'evaluator', '2026-02-06');
INSERT INTO text2sql.confidence_fits VALUES ('gpt', 'gpt-1', 0.1, 0.2, 0.3, 40, 30, 0.05, 0.1, 0.2, '{51,52}', :'curator', '2026-02-07');

SELECT setval('text2sql.annotations_id_seq', 107), setval('text2sql.definitions_id_seq', 105), setval('text2sql.examples_id_seq', 111), setval('text2sql.joins_id_seq', 103),
       setval('text2sql.suggestions_id_seq', 102), setval('text2sql.given_feedback_id_seq', 104), setval('text2sql.egress_log_egress_id_seq', 121), setval('text2sql.conversation_turns_turn_id_seq', 131),
       setval('text2sql.cases_case_id_seq', 141), setval('text2sql.runs_run_id_seq', 151), setval('text2sql.proposals_proposal_id_seq', 161);
-- An index of 0.1.0, and a table that changed since, by the event trigger.
INSERT INTO text2sql.index_state (format, language, embedder, dimensions, started_at) VALUES (1, 'english', 'hash', 64, '2026-03-01');
ALTER TABLE shop.orders ADD COLUMN note text;
