-- Proposals for the statements that the server has counted: what is needed, and wrong arguments. What is proposed is in
-- tests/server/tests/cluster/optimize_workload.rs, on a server that counts.
\set SHOW_CONTEXT never
SET ROLE regress_analyst;
SELECT kind FROM text2sql.optimize_workload();
\echo :SQLSTATE
SELECT kind FROM text2sql.optimize_workload(top => 501);
\echo :SQLSTATE
SELECT kind FROM text2sql.optimize_workload(max_indexes => -1);
SELECT kind FROM text2sql.optimize_workload(top => NULL);
SELECT kind FROM text2sql.optimize_workload(max_size => -1);
RESET ROLE;
SET ROLE regress_nobody;
SELECT kind FROM text2sql.optimize_workload();
RESET ROLE;
