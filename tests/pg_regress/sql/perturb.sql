-- Copies of the data reveal queries that are correct by chance.
SELECT text2sql.grant_access('regress_analyst', 'evaluation');
CREATE ROLE regress_copier;
SELECT text2sql.grant_access('regress_copier', 'evaluation');
SET text2sql.model = 'replay';
\set SHOW_CONTEXT never
\pset null '∅'
SELECT text2sql_eval.add_case('copied', 'Dear orders', 'SELECT count(*) FROM orders WHERE total > 375') > 0 AS added;
SELECT version, table_count FROM text2sql_eval.perturb(versions => 2, suite => 'copied');
\echo :SQLSTATE
SET ROLE regress_analyst;
SELECT version, table_count FROM text2sql_eval.perturb(versions => 2, suite => 'copied');
SELECT count(*) AS same_numbers FROM text2sql_eval._perturbed_tables p JOIN pg_attribute o ON o.attrelid = p.original AND o.attnum > 0 AND NOT o.attisdropped
  JOIN pg_attribute c ON c.attrelid = p.copy AND c.attnum = o.attnum AND c.attname = o.attname AND c.atttypid = o.atttypid WHERE p.version = 1;
DO $$
DECLARE wrong bigint; copies text;
BEGIN
    SELECT string_agg(copy::text, ',' ORDER BY original::text) INTO copies FROM text2sql_eval._perturbed_tables WHERE version = 2 AND original IN ('customers'::regclass, 'orders'::regclass);
    EXECUTE format('SELECT count(*) FROM %s o WHERE NOT EXISTS (SELECT FROM %s c WHERE c.customer_id = o.customer_id)', split_part(copies, ',', 2), split_part(copies, ',', 1)) INTO wrong;
    RAISE NOTICE 'orders that refer to nobody: %', wrong;
END $$;
-- Qualified names refer to the copies, too; the last two are correct by chance.
CREATE FUNCTION pg_temp.on_copies(question text, gold text) RETURNS TABLE (ex boolean, robust boolean, copies integer) LANGUAGE sql AS $$
    SELECT o.* FROM json_to_record(text2sql_eval._attempt(jsonb_build_object('question', question, 'expected_status', 'ok', 'gold', jsonb_build_array(gold),
       'copies', true))) AS o(ex boolean, robust boolean, copies integer) $$;
SELECT g.gold, c.* FROM (VALUES ('SELECT count(*) FROM customers'), ('SELECT count(*) AS customers FROM public.customers AS c'),
    ('SELECT 30'), ('SELECT max(customer_id) FROM customers')) AS g(gold), LATERAL pg_temp.on_copies('How many customers?', g.gold) AS c;
-- Test-suite accuracy: right on the data and on every copy; wrong answers count, which robust does not say.
SELECT count(text2sql_eval.add_case('lucky', 'How many customers?', g.gold, key => g.gold)) AS cases
  FROM (VALUES ('SELECT count(*) FROM customers'), ('SELECT 30'), ('SELECT 7')) AS g(gold);
CALL text2sql_eval.evaluate('lucky', settings => '{"copies": true}') \gset copied_
CALL text2sql_eval.evaluate('lucky') \gset plain_
SELECT u.name, round(u.ex::numeric, 2) AS ex, round(u.robust::numeric, 2) AS robust, round(u.test_suite::numeric, 2) AS test_suite
  FROM text2sql_eval.evaluations u WHERE u.suite = 'lucky' ORDER BY u.evaluation_id;
SELECT m.measure, m.cases, round(m.mean::numeric, 2) AS mean FROM text2sql_eval.measures(ARRAY[:copied_evaluation_id, :plain_evaluation_id]) AS m
 WHERE m.measure IN ('ex', 'ex_robust', 'test_suite') ORDER BY m.measure;
SELECT text2sql_eval.report(:copied_evaluation_id) LIKE '%test-suite accuracy%' AS reported;
SELECT text2sql.forget('suite', 'lucky') AS cases;
-- The values that gold statements compare with are in the copies.
SELECT (SELECT count(*) FROM text2sql_eval._perturbed_tables p WHERE p.version = 2 AND p.original = 'orders'::regclass) AS copies,
       text2sql_eval._boundaries('SELECT count(*) FROM orders WHERE total > 375');
DO $$
DECLARE planted bigint; copy text;
BEGIN
    SELECT p.copy::text INTO copy FROM text2sql_eval._perturbed_tables p WHERE p.version = 2 AND p.original = 'orders'::regclass;
    EXECUTE format('SELECT count(*) FROM %s WHERE total IN (374, 375, 376)', copy) INTO planted;
    RAISE NOTICE 'boundaries planted: %', planted > 3;
END $$;
-- They belong to the role that made them.
INSERT INTO text2sql_eval._perturbed_tables (made_by, version, original, copy) VALUES (current_user, 1, 'orders', 'customers');
\echo :SQLSTATE
SET ROLE regress_copier;
SELECT count(*) AS seen FROM text2sql_eval._perturbed_tables;
SELECT text2sql.forget('copies');
SET ROLE regress_analyst;
SELECT reason <> 'copies: 0' AS dropped FROM text2sql.forget('copies');
RESET ROLE;
-- Misuse.
SELECT * FROM text2sql_eval.perturb(versions => 10);
\echo :SQLSTATE
SELECT * FROM text2sql_eval.perturb(keep => 0);
\echo :SQLSTATE
SELECT * FROM text2sql_eval.perturb(max_rows => NULL);
\echo :SQLSTATE
SELECT text2sql.forget('suite', 'copied') AS cases;
DROP OWNED BY regress_copier;
DROP ROLE regress_copier;
