-- Evaluation has its own schema, on which text2sql.grant_access() grants USAGE. Run by CREATE EXTENSION
-- before all other files in this directory. It does not reuse an existing schema.

CREATE SCHEMA text2sql_eval;
COMMENT ON SCHEMA text2sql_eval IS
    'Measuring answers: suites of questions, evaluations and their figures.';
