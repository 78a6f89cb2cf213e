-- What roles hold in a new installation if they were granted the same as in the database of 0.1.0 (fill_0.1.0.sql).
SELECT text2sql.grant_usage(:'analyst'), text2sql.grant_curator(:'curator'), text2sql.grant_evaluation(:'evaluator'), text2sql.grant_usage(:'less');
REVOKE EXECUTE ON FUNCTION text2sql.ask_view FROM :"less";
REVOKE SELECT ON text2sql.egress_log FROM :"less";
GRANT USAGE ON SCHEMA text2sql, text2sql_eval TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.drop_history TO :"single" WITH GRANT OPTION;
GRANT EXECUTE ON FUNCTION text2sql.accept_join, text2sql.reject_join TO :"single";
GRANT SELECT ON text2sql.history, text2sql_eval.summary TO :"single";
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO :"single";
GRANT EXECUTE ON FUNCTION text2sql.version TO PUBLIC;
