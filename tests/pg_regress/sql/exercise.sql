-- Exercises from the tables of the caller, and marks with hints.
SET client_min_messages = warning;
SET ROLE regress_analyst;
\pset format unaligned
\pset tuples_only on
-- The same seed gives the same exercise.
SELECT count(DISTINCT exercise) FROM generate_series(1, 3), text2sql.exercise('easy', seed => 1);
SELECT count(DISTINCT e.exercise) > 3 AS differ FROM generate_series(1, 20) AS s(seed), text2sql.exercise('medium', s.seed) AS e;
SELECT bool_and(e.exercise LIKE l.level || '-%' AND e.question <> '' AND e.tables IS NOT NULL)
FROM (VALUES ('easy'), ('medium'), ('hard')) AS l(level), generate_series(1, 5) AS s(seed), text2sql.exercise(l.level, s.seed) AS e;
-- Without a seed, each call gives another one, of any level.
SELECT count(*) FROM text2sql.exercise();
-- What a learner may not read is not asked.
SELECT count(*) FROM generate_series(1, 40) AS s(seed), text2sql.exercise('easy', s.seed) AS e WHERE e.question LIKE '%salar%';
-- One exercise, whose answer is known: the number of rows of a table.
SELECT e.exercise AS id FROM generate_series(1, 200) AS s(seed), text2sql.exercise('easy', s.seed) AS e
WHERE e.question = 'How many rows does customers have?' LIMIT 1 \gset
SELECT mark, score, hint FROM text2sql.grade(:'id', 'SELECT count(*) FROM customers');
SELECT mark, score, hint FROM text2sql.grade(:'id', 'SELECT count(customer_id) AS n FROM customers');
SELECT mark, score < 1, hint FROM text2sql.grade(:'id', 'SELECT count(*) FROM orders');
SELECT mark, score < 1, hint FROM text2sql.grade(:'id', 'SELECT count(*), 1 FROM customers');
SELECT mark, score < 1, hint FROM text2sql.grade(:'id', 'SELECT (SELECT count(*) FROM customers) AS n WHERE false');
SELECT mark, score, hint FROM text2sql.grade(:'id', 'SELECT nme FROM customers');
SELECT mark, score, hint FROM text2sql.grade(:'id', 'DELETE FROM customers');
SELECT mark, score, hint FROM text2sql.grade(:'id', 'SELECT salary FROM hr.salaries');
SET text2sql.language = 'de';
SELECT question FROM generate_series(1, 200) AS s(seed), text2sql.exercise('easy', s.seed) AS e WHERE e.exercise = :'id' LIMIT 1;
SELECT mark, score < 1, hint FROM text2sql.grade(:'id', 'SELECT count(*) FROM orders');
SELECT mark, hint FROM text2sql.grade(:'id', 'DELETE FROM customers');
RESET text2sql.language;
\set SHOW_CONTEXT never
SELECT * FROM text2sql.exercise('impossible');
\echo :SQLSTATE
SELECT * FROM text2sql.grade('easy-0000000000000000', 'SELECT 1');
\echo :SQLSTATE
SELECT * FROM text2sql.grade('nonsense', 'SELECT 1');
\echo :SQLSTATE
SELECT * FROM text2sql.grade(:'id', NULL);
\echo :SQLSTATE
RESET ROLE;
