-- Proposals for the statements that the server has counted: what is needed, and wrong options. What is proposed is in
-- tests/server/tests/cluster/workload.rs, on a server that counts.
\set SHOW_CONTEXT never
SET ROLE regress_analyst;
SELECT kind FROM text2sql.optimize();
\echo :SQLSTATE
SELECT kind FROM text2sql.optimize(options => '{"top": 501}');
\echo :SQLSTATE
SELECT kind FROM text2sql.optimize(options => '{"max_indexes": -1}');
SELECT kind FROM text2sql.optimize(options => '{"top": null}');
SELECT kind FROM text2sql.optimize(options => '{"max_size": "-1kB"}');
SELECT kind FROM text2sql.optimize(options => '{"use_model": true}');
SELECT kind FROM text2sql.optimize('SELECT 1', '{"top": 5}');
RESET ROLE;
SET ROLE regress_nobody;
SELECT kind FROM text2sql.optimize();
RESET ROLE;
