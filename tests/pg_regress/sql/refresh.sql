-- The search index is built, follows changes, and reports its state.
SET text2sql.embedding_model = 'hash';
SELECT item, value, note FROM text2sql.status() WHERE item IN ('search index', 'vectors');
CALL text2sql.refresh();
-- Nothing changed: nothing is done.
CALL text2sql.refresh();
SELECT item, value, note FROM text2sql.status()
 WHERE item IN ('search index', 'changed tables', 'vectors');
SELECT collection, totals[1] AS items FROM text2sql._index_totals ORDER BY collection;

-- DDL is recorded, and processed by the next call.
CREATE TABLE "Größe" (nr integer PRIMARY KEY, "Käufer" text);
ALTER TABLE countries ADD COLUMN area numeric;
CREATE TEMP TABLE nobody_sees (a integer);
SELECT change.relation::regclass FROM text2sql._index_changes AS change ORDER BY 1;
SELECT item, value, note FROM text2sql.status() WHERE item = 'changed tables';
DROP TABLE "Größe";
SELECT change.relation::regclass FROM text2sql._index_changes AS change ORDER BY 1;
ALTER TABLE countries DROP COLUMN area;
CALL text2sql.refresh();
SELECT count(*) FROM text2sql._index_changes;

-- Rebuilt completely; in another language.
CALL text2sql.refresh('{"rebuild": true}');
CALL text2sql.refresh('{"rebuild": "yes"}');
CALL text2sql.refresh('{"max_result_rows": 1}');
SET default_text_search_config = 'pg_catalog.german';
CALL text2sql.refresh();
RESET default_text_search_config;
CALL text2sql.refresh();

-- Where it cannot run.
BEGIN;
CALL text2sql.refresh();
ROLLBACK;
SET text2sql.embedding_model = 'nobody';
CALL text2sql.refresh();
SELECT item, note FROM text2sql.status() WHERE item = 'vectors';
SET text2sql.embedding_model = 'hash';
-- The reranking model must support reranking.
SET text2sql.tuning = '{"rerank_model": "nobody"}';
SELECT item, value FROM text2sql.status() WHERE item = 're-ranker';
SELECT count(*) > 0 AS found FROM text2sql.retrieve('orders of customers');
RESET text2sql.tuning;
-- Knowledge from a dump is bound to the objects that have its names.
SELECT text2sql.describe('countries', 'lands of the world');
UPDATE text2sql._annotations SET catalog = 'another', object_oid = 1 WHERE description = 'lands of the world';
CALL text2sql.refresh();
SELECT object_oid = 'countries'::regclass AS is_bound FROM text2sql._annotations WHERE description = 'lands of the world';
DELETE FROM text2sql._annotations WHERE description = 'lands of the world';
CALL text2sql.refresh();
SET ROLE regress_analyst;
CALL text2sql.refresh();
SELECT FROM text2sql._index_values;
RESET ROLE;
SET ROLE regress_curator;
CALL text2sql.refresh();
RESET ROLE;

-- The other files test questions without an index.
DELETE FROM text2sql._index_state;
