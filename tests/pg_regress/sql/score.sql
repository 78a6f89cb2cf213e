-- How good a query is for a question, without a model.
SET client_min_messages = warning;
SET ROLE regress_analyst;
\pset format wrapped
\pset columns 150
SELECT * FROM text2sql.score('How many customers are there?', 'SELECT count(*) AS customers FROM customers');
-- Words of the question that it does not have, and constants that the question does not have, cost nothing.
SELECT dimension, score, reason FROM text2sql.score(
    'The total of the orders of each customer in March 2025', $$SELECT * FROM orders WHERE status = 'paid' LIMIT 7$$);
-- A value that does not occur: a certain error.
SELECT dimension, score, reason FROM text2sql.score(
    'Customers in Germany', $$SELECT customers.name FROM customers JOIN countries USING (country_id) WHERE countries.name = 'Germani'$$)
 WHERE dimension IN ('correctness', 'total');
-- Off topic: neither ORDER BY nor an alias makes it about orders.
SELECT dimension, score, reason FROM text2sql.score(
    'How many orders were placed by customers in 2025?', 'SELECT name AS orders FROM countries ORDER BY name')
 WHERE dimension IN ('completeness', 'semantic_accuracy', 'total');
-- What the guard refuses, and what fails, is scored as well.
SELECT dimension, score, reason FROM text2sql.score('Salaries', 'SELECT * FROM hr.salaries') WHERE score = 0;
SELECT dimension, score, reason FROM text2sql.score('Nothing', 'SELECT 1 / 0 AS a') WHERE score = 0;
-- Weights are the caller's.
SET text2sql.tuning = '{"score_threshold": 0.5, "score_weights": {"correctness": 0.5, "safety": 0.5, "efficiency": 0,
    "completeness": 0, "semantic_accuracy": 0, "best_practices": 0, "plan_quality": 0}}';
SELECT dimension, weight, score, reason FROM text2sql.score('Nothing', 'SELECT 1 / 0 AS a') WHERE weight > 0;
SET text2sql.tuning = '{"score_weights": {"correctness": 0.5}}';
SET text2sql.tuning = '{"score_weights": {"beauty": 1}}';
SET text2sql.tuning = '{"score_threshold": 2}';
SET text2sql.tuning = '{"without": ["everything"]}';
SET text2sql.tuning = '{"threshold": 0.5}';
SET text2sql.tuning = 'candidates 3';
RESET text2sql.tuning;
-- For one call only.
SELECT dimension, reason FROM text2sql.score('How many customers are there?', 'SELECT count(*) AS customers FROM customers',
    options => '{"score_threshold": 1}') WHERE dimension = 'total';
SHOW text2sql.tuning;
SELECT * FROM text2sql.score('Nothing', NULL);
SELECT * FROM text2sql.score(' ', 'SELECT 1');
RESET ROLE;
SET ROLE regress_nobody;
SELECT * FROM text2sql.score('One', 'SELECT 1');
