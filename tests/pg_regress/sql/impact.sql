-- What reads a table, a column, a view or a function.
\set SHOW_CONTEXT never
\pset null '(null)'
SET client_min_messages = warning;
CREATE SCHEMA impact_test;
GRANT USAGE ON SCHEMA impact_test TO regress_analyst, regress_curator;
SET search_path = impact_test, public;
CREATE TABLE "Sales" (
    id integer PRIMARY KEY, status text CHECK (status <> ''), total numeric, customer_id integer REFERENCES public.customers,
    is_open boolean GENERATED ALWAYS AS (status = 'open') STORED);
CREATE INDEX sales_open ON "Sales" (total) WHERE status = 'open';
CREATE STATISTICS sales_both ON status, total FROM "Sales";
CREATE TABLE lines (sale_id integer REFERENCES "Sales", quantity integer);
ALTER TABLE "Sales" ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON "Sales" USING (status <> 'secret');
-- Values, rows, and neither.
CREATE VIEW labels AS SELECT id, upper(status) AS label, total FROM "Sales";
CREATE VIEW labels_up AS SELECT id, label || '!' AS louder FROM labels;
CREATE VIEW totals_of_labels AS SELECT sum(total) AS total FROM labels;
CREATE VIEW open_sales AS SELECT id, total FROM "Sales" WHERE status = 'open';
CREATE MATERIALIZED VIEW open_total AS SELECT sum(total) AS total FROM open_sales;
CREATE VIEW number_of_sales AS SELECT count(*) AS n FROM "Sales";
CREATE VIEW whole_rows AS SELECT s FROM "Sales" s;
CREATE VIEW by_generated AS SELECT id FROM "Sales" WHERE is_open;
CREATE VIEW deep AS
    WITH RECURSIVE step(id, word) AS (
        SELECT id, status FROM "Sales" UNION ALL SELECT id + 1, word FROM step WHERE id < 3)
    SELECT x.id, x.word, j.total FROM (SELECT id, word FROM step) AS x JOIN (SELECT id, total FROM "Sales") AS j USING (id);
CREATE VIEW both_sides AS SELECT status AS word, 1 AS n FROM "Sales" UNION SELECT 'x', 2;
CREATE VIEW grouped AS SELECT status, count(*) AS n FROM "Sales" GROUP BY status;
CREATE VIEW correlated AS SELECT l.quantity, (SELECT status FROM "Sales" s WHERE s.id = l.sale_id) AS looked_up FROM lines l;
CREATE RULE no_delete AS ON DELETE TO "Sales" WHERE OLD.status = 'paid' DO INSTEAD NOTHING;
-- Functions.
CREATE FUNCTION by_atomic() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM "Sales" WHERE status = 'open'; END;
CREATE FUNCTION by_text() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM impact_test."Sales" WHERE status = ''open''';
CREATE FUNCTION by_star() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT * INTO r FROM impact_test."Sales"; RETURN 1; END $$;
CREATE FUNCTION by_dynamic() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'UPDATE "Sales" SET status = ''x'''; END $$;
CREATE FUNCTION in_comment() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; /* "Sales".status */ END $$;
CREATE FUNCTION on_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.status IS NULL THEN NEW.status := 'open'; END IF; RETURN NEW; END $$;
CREATE TRIGGER changes BEFORE UPDATE OF status ON "Sales" FOR EACH ROW EXECUTE FUNCTION on_change();
CREATE VIEW by_function AS SELECT by_atomic() AS n;
CREATE TABLE report AS SELECT status FROM "Sales";
CREATE VIEW of_report AS SELECT status FROM report;
CREATE PROCEDURE close_all() LANGUAGE plpgsql AS $$ BEGIN PERFORM impact_test.by_atomic(); END $$;
-- Knowledge.
GRANT SELECT ON ALL TABLES IN SCHEMA impact_test TO regress_curator;
SET ROLE regress_curator;
SELECT text2sql.define('open sale', 'a sale that is open', $$status = 'open'$$, applies_to => 'impact_test."Sales"');
SELECT text2sql.add_example('How many sales are open?', 'SELECT count(*) FROM impact_test."Sales" WHERE status = ''open''') > 0 AS added;
SELECT text2sql.add_example('How much is open?', 'SELECT total FROM impact_test.open_total') > 0 AS added;
SELECT text2sql.add_instruction('The status of Sales is never shown.') > 0 AS added;
SELECT text2sql.add_instruction('Count sales once.', applies_to => 'impact_test."Sales"') > 0 AS added;
SELECT text2sql.add_join('{impact_test.lines.quantity}', ARRAY['impact_test."Sales".status']) > 0 AS added;
SELECT outcome FROM text2sql.import_knowledge($${"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
 "nodes": {"model.m.report": {"resource_type": "model", "schema": "impact_test", "name": "report", "alias": "report", "description": "a model",
   "config": {"materialized": "table"}, "columns": {}, "depends_on": {"nodes": ["source.m.sales"]}}},
 "sources": {"source.m.sales": {"resource_type": "source", "schema": "impact_test", "name": "Sales", "identifier": "Sales", "columns": {}}}}$$, 'dbt');
RESET ROLE;
SELECT text2sql_eval.add_suite('impact suite') IS NOT NULL AS added;
SELECT text2sql_eval.add_case('impact suite', 'How many lines?', 'SELECT count(*) FROM impact_test.lines') IS NOT NULL AS added;

\echo a column
SELECT * FROM text2sql.impact('impact_test."Sales".status');
\echo a column that little reads
SELECT * FROM text2sql.impact('"Sales".customer_id');
\echo the table
SELECT kind, object_name, via, depth, certainty FROM text2sql.impact('"Sales"');
BEGIN;
SELECT text2sql.index_text('impact_test."Sales".status');
SELECT * FROM text2sql.impact('"Sales".status') WHERE kind = 'text index';
ROLLBACK;
\echo a view, a function
SELECT * FROM text2sql.impact('labels.label');
SELECT * FROM text2sql.impact('view open_sales');
SELECT * FROM text2sql.impact('impact_test.by_atomic()');
SELECT * FROM text2sql.impact('function by_atomic');
SELECT * FROM text2sql.impact('lines');

\echo what the caller may not read does not exist
GRANT SELECT (id, status) ON "Sales" TO regress_analyst;
GRANT SELECT ON labels_up, open_total TO regress_analyst;
REVOKE EXECUTE ON FUNCTION by_text() FROM PUBLIC;
SET ROLE regress_analyst;
SELECT * FROM text2sql.impact('impact_test."Sales".status');
SELECT * FROM text2sql.impact('impact_test."Sales".total');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('labels');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('function by_text');
\echo :SQLSTATE
RESET ROLE;
\echo nor what is hidden
SELECT text2sql.protect('impact_test.labels', 'hidden');
SELECT kind, object_name, via FROM text2sql.impact('impact_test."Sales".status') WHERE kind = 'view';
SELECT * FROM text2sql.impact('labels');
\echo :SQLSTATE
SELECT text2sql.protect('impact_test.labels', 'open');

\echo errors
SELECT * FROM text2sql.impact(NULL);
\echo :SQLSTATE
SELECT * FROM text2sql.impact('no_such');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('schema impact_test');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('f(');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('"unclosed');
\echo :SQLSTATE
CREATE FUNCTION twice(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION twice(text) RETURNS integer LANGUAGE sql AS 'SELECT 1';
SELECT * FROM text2sql.impact('function twice');
\echo :SQLSTATE
SELECT * FROM text2sql.impact('twice(int)');
SET ROLE regress_nobody;
SELECT * FROM text2sql.impact('orders');
\echo :SQLSTATE
RESET ROLE;
SELECT text2sql.forget('suite', 'impact suite') IS NOT NULL AS dropped;
SELECT text2sql.forget('instruction', id) FROM text2sql.instructions;
SELECT text2sql.forget('definition', 'open sale');
DELETE FROM text2sql._annotations WHERE object_name = 'impact_test.report';
SELECT text2sql.forget('join', id) FROM text2sql.joins WHERE origin = 'taught';
SELECT text2sql.forget('example', id) FROM text2sql.examples WHERE question IN ('How many sales are open?', 'How much is open?');
RESET search_path;
DROP SCHEMA impact_test CASCADE;
