-- A NULL in a list that is an argument is an error that names the argument and the element, and nothing is done.
\set SHOW_CONTEXT never
\set VERBOSITY sqlstate
BEGIN;
SAVEPOINT s;
SELECT text2sql.add_document('Fire', 'Leave by stairs.', readers => ARRAY['public', NULL]);
ROLLBACK TO s;
\set VERBOSITY default
SELECT text2sql.import_knowledge('{"title": "a", "body": "b"}', 'documents', readers => ARRAY[NULL]);
ROLLBACK TO s;
SELECT text2sql.add_document(id => 1, readers => ARRAY[NULL]);
ROLLBACK TO s;
SELECT text2sql.define('big', synonyms => ARRAY['large', NULL], sql_expression => 'true');
ROLLBACK TO s;
SELECT text2sql.define('big', joins => ARRAY[NULL], sql_expression => 'true');
ROLLBACK TO s;
SELECT text2sql.define('share', 'a share', metric => '{"kind": "ratio", "numerator": "a", "denominator": "b"}', synonyms => ARRAY[NULL]);
ROLLBACK TO s;
SELECT text2sql.describe('customers', synonyms => ARRAY[NULL, 'clients']);
ROLLBACK TO s;
SELECT text2sql.forget('synonyms', 'customers', synonyms => ARRAY[NULL]);
ROLLBACK TO s;
SELECT text2sql.add_join(ARRAY[NULL], ARRAY['customers.customer_id']);
ROLLBACK TO s;
SELECT text2sql.add_join(ARRAY['orders.customer_id'], ARRAY[NULL]);
ROLLBACK TO s;
SELECT * FROM text2sql.suggest('descriptions', ARRAY[NULL]);
ROLLBACK TO s;
-- Not the same as NULL, which means all.
SELECT * FROM text2sql.suggest('samples', ARRAY[NULL]);
ROLLBACK TO s;
ROLLBACK TO s;
SELECT * FROM text2sql.check_examples(ids => ARRAY[1, NULL]);
ROLLBACK TO s;
SELECT * FROM text2sql.check_examples(ids => ARRAY[NULL]::bigint[], verify => true);
ROLLBACK TO s;
SELECT text2sql._shard_values('customers', ARRAY[NULL]::text[], ARRAY['name'], 1000);
ROLLBACK TO s;
SELECT text2sql._shard_statistics('customers', ARRAY['name'], ARRAY[NULL]::text[]);
ROLLBACK TO s;
SELECT text2sql_eval.add_case('nulls', 'How many?', 'SELECT 1', tags => ARRAY['a', NULL]);
ROLLBACK TO s;
-- The hint.
SELECT text2sql.define('big', 'all of them', sql_expression => 'true', applies_to => 'customers', synonyms => array_remove(ARRAY['large', NULL], NULL));
ROLLBACK TO s;
-- Measured before it is unpacked.
SELECT text2sql.suggest('samples', ARRAY[repeat('a', 70000000)]);
ROLLBACK;
