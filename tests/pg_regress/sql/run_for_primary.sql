-- Statements that a primary sends to this server, as the role that asks: text2sql._run_for_primary.
SET ROLE regress_analyst;
\set limits '{"max_result_rows": 2, "max_result_bytes": 100000, "max_cost": 5000000, "query_timeout_ms": 5000, "memory_limit": 0}'

-- The outcome is a document: rows, a refusal, an error of the statement.
SELECT text2sql._run_for_primary('SELECT n, NULL::text AS nothing, ARRAY[n] AS list FROM generate_series(1, 3) AS n', :'limits');
SELECT text2sql._run_for_primary('DELETE FROM orders', :'limits')::jsonb -> 'rejected' ->> 'rule' AS rule;
SELECT text2sql._run_for_primary('SELECT 1 / (n - n) FROM generate_series(1, 3) AS n', :'limits')::jsonb -> 'failed' ->> 'sqlstate' AS sqlstate;

-- Only limits that a primary sends are taken.
SELECT text2sql._run_for_primary('SELECT 1', '{}');
SELECT text2sql._run_for_primary(NULL, :'limits');

-- Replicas.
RESET ROLE;
CREATE SERVER r FOREIGN DATA WRAPPER text2sql_replica;
CREATE SERVER r FOREIGN DATA WRAPPER text2sql_replica OPTIONS (host 'h', sslmode 'prefer');
CREATE SERVER r FOREIGN DATA WRAPPER text2sql_replica OPTIONS (host '127.0.0.1', port '1', connect_timeout '1');
CREATE USER MAPPING FOR PUBLIC SERVER r OPTIONS (user 'nobody', passwort 'secret');
SET ROLE regress_analyst;
SET text2sql.run_on = 'nowhere';
SELECT * FROM text2sql.run_json('SELECT 1 AS n');
SET text2sql.run_on = 'r';
SELECT * FROM text2sql.run_json('SELECT 1 AS n');
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER r TO regress_analyst;
SET ROLE regress_analyst;
SELECT * FROM text2sql.run_json('DELETE FROM orders');
SELECT status, sqlstate FROM text2sql.ask('How many orders are there?');
RESET ROLE;
DROP SERVER r;
