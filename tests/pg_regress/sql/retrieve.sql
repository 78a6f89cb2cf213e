-- What is found for a question, and why.
CALL text2sql.refresh('{"rebuild": true}');
SET ROLE regress_analyst;
SELECT rank, object, kind, why FROM text2sql.retrieve('How many orders did customers in osterreich return?');
SELECT rank, object, best_columns, jsonb_object_keys(legs) AS leg
  FROM text2sql.retrieve('total paid by order status') WHERE rank = 1 AND kind = 'table' ORDER BY leg;
-- A question uses the meaning of a value, however it is stored.
RESET ROLE;
CREATE TABLE subscriptions (subscriber text, state char(1), plan integer);
INSERT INTO subscriptions VALUES ('Ann', 'A', 1), ('Bob', 'X', 2);
GRANT SELECT ON subscriptions TO regress_analyst;
SELECT text2sql.describe('subscriptions.state', meanings => '{"A": "active", "X": "cancelled, gone"}');
SELECT text2sql.describe('subscriptions.plan', meanings => '{"1": "basic", "2": "premium"}');
CALL text2sql.refresh();
SET ROLE regress_analyst;
SELECT object, why FROM text2sql.retrieve('Which cancelled subscriptions had the premium plan?') WHERE kind = 'value';
SELECT object, why FROM text2sql.retrieve('subscriptions that are activ') WHERE kind = 'value';
RESET ROLE;
DROP TABLE subscriptions;
DELETE FROM text2sql._annotations WHERE value_meanings IS NOT NULL AND object_name LIKE '%subscriptions%';
SET ROLE regress_analyst;
-- Unreadable tables are not found.
SELECT count(*) FROM text2sql.retrieve('salary of each employee') WHERE object LIKE '%salaries%';
SELECT * FROM text2sql.retrieve(NULL);
RESET ROLE;
SET ROLE regress_nobody;
SELECT * FROM text2sql.retrieve('orders');
RESET ROLE;
-- Without an index.
DELETE FROM text2sql._index_state;
SET ROLE regress_analyst;
SELECT rank, object, kind, why, score, legs FROM text2sql.retrieve('How many orders?');
RESET ROLE;
