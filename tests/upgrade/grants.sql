-- What roles hold in a new installation if they were granted the same as in the database of 0.1.0 (fill_0.1.0.sql).
SELECT text2sql.grant_access(:'analyst'), text2sql.grant_access(:'curator', 'curator'), text2sql.grant_access(:'evaluator', 'evaluation'), text2sql.grant_access(:'less');
REVOKE EXECUTE ON FUNCTION text2sql.ask_view FROM :"less";
REVOKE SELECT ON text2sql.egress_log FROM :"less";
GRANT USAGE ON SCHEMA text2sql, text2sql_eval TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.drop_history TO :"single" WITH GRANT OPTION;
GRANT SELECT ON text2sql.history, text2sql_eval.evaluations TO :"single";
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.status TO PUBLIC;
