-- How a query could be faster. Nothing is changed; without hypopg indexes come without a cost.
SET client_min_messages = warning;
CREATE TABLE events (event_id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers, kind text NOT NULL, place text NOT NULL, at timestamp NOT NULL, amount numeric NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO events SELECT n, 1 + n % 30, 'kind ' || n % 20, 'place ' || n % 20, TIMESTAMP '2024-01-01' + n * interval '30 minutes', n FROM generate_series(1, 20000) AS n;
CREATE INDEX events_at ON events (at);
CREATE TABLE fresh (id integer) WITH (autovacuum_enabled = off);
GRANT SELECT ON events, fresh TO regress_analyst;
SELECT pg_stat_force_next_flush();
ANALYZE events;
SET ROLE regress_analyst;
SET max_parallel_workers_per_gather = 0;
\x on
\t on
-- A sub-query for each row becomes a join.
SELECT kind, explanation, sql, cost_after < cost_before / 10 AS much_cheaper FROM text2sql.optimize('SELECT c.name, (SELECT count(*) FROM events e WHERE e.customer_id = c.customer_id) AS events FROM customers c') WHERE kind <> 'present';
-- A function around a column becomes a range, which the index serves.
SELECT kind, explanation, sql, cost_after < cost_before / 10 AS much_cheaper FROM text2sql.optimize($$SELECT sum(amount) FROM events WHERE at::date = '2024-03-01'$$) WHERE kind <> 'present';
-- A join that a foreign key proves redundant is removed.
SELECT kind, explanation, sql, cost_after < cost_before AS cheaper FROM text2sql.optimize('SELECT e.amount FROM events e JOIN customers c ON c.customer_id = e.customer_id WHERE e.event_id < 100') WHERE kind <> 'present';
-- Columns that depend on each other.
SELECT kind, explanation, sql, caveats FROM text2sql.optimize($$SELECT * FROM events WHERE kind = 'kind 7' AND place = 'place 7'$$) WHERE kind <> 'present';
SELECT kind, explanation, sql FROM text2sql.optimize('SELECT * FROM fresh');
-- Nothing to propose.
SELECT kind, explanation, sql FROM text2sql.optimize('SELECT name FROM customers WHERE customer_id = 7') WHERE kind <> 'present';
\set SHOW_CONTEXT never
SELECT * FROM text2sql.optimize('SELECT salary FROM hr.salaries');
\echo :SQLSTATE
SELECT * FROM text2sql.optimize('UPDATE events SET amount = 0');
\echo :SQLSTATE
-- The built-in engine proposes no rewrites.
SELECT kind, explanation FROM text2sql.optimize('SELECT name FROM customers WHERE customer_id = 7', '{"use_model": true}') WHERE kind = 'note';
SELECT kind FROM text2sql.optimize('SELECT 1', '{"model": true}');
SELECT kind FROM text2sql.optimize('SELECT 1', '{"analyze": true}');
RESET ROLE;
DROP TABLE events, fresh;
