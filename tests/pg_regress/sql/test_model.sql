-- Testing a model: what a role may reach, and what is said where it cannot.
\set SHOW_CONTEXT never
SELECT model, works, replied_as, egress, sqlstate, problem, hint FROM text2sql.test_model('builtin');
SELECT text2sql.test_model('nobody_knows_it');
\echo :SQLSTATE
SELECT text2sql.test_model(NULL);
\echo :SQLSTATE
SELECT text2sql.add_model('tested', 'openai', 'https://host.example/v1', 'm-1');
-- Without USAGE on the server nothing is sent.
SET ROLE regress_analyst;
SELECT model, works, sqlstate, problem, hint FROM text2sql.test_model('tested');
\echo :SQLSTATE
-- A list of models is not a model.
SELECT text2sql.test_model('builtin, tested');
\echo :SQLSTATE
RESET ROLE;
SELECT text2sql.forget('model', 'tested');
