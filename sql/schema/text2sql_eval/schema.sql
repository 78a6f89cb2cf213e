-- What serves measuring has a schema of its own, which text2sql.grant_evaluation() opens to a role. Run by CREATE
-- EXTENSION before everything in this directory. It takes over no schema that exists.

CREATE SCHEMA text2sql_eval;
COMMENT ON SCHEMA text2sql_eval IS
    'Measuring answers: suites of questions, evaluations and their figures.';
