-- The view of rights: to ask, teach, approve, evaluate, use a model and spend, and what each comes from.
\pset null (null)
CREATE ROLE regress_team;
CREATE ROLE regress_member LOGIN IN ROLE regress_team;
CREATE ROLE "Regress Lead" LOGIN;
SELECT text2sql.grant_access('regress_team');
SELECT text2sql.grant_access('Regress Lead', 'approver');
SELECT text2sql.add_model('regress_gpt', 'openai', 'https://models.example/v1', 'none');
SELECT text2sql.add_model('regress_open', 'openai', 'https://models.example/v1', 'none');
GRANT USAGE ON FOREIGN SERVER regress_gpt TO regress_team;
GRANT USAGE ON FOREIGN SERVER regress_open TO PUBLIC;
SELECT text2sql.set_budget('regress_team', questions_per_day => 200, cost_per_day => 5.00, currency => 'EUR');
SELECT * FROM text2sql.access WHERE role_name IN ('regress_team', 'regress_member', 'Regress Lead') ORDER BY role_name, may, object_name, through;
\echo who may use it?
SELECT role_name, through FROM text2sql.access WHERE may = 'use' AND object_name = 'regress_gpt' AND role_name LIKE 'regress%' ORDER BY 1, 2;
\echo asked as a question, without a model
SET text2sql.model = 'builtin';
SELECT status, e->>'role_name' AS role_name FROM text2sql.ask('Who may use the model regress_gpt?'), json_array_elements(result_rows) AS e WHERE e->>'role_name' LIKE 'regress%' ORDER BY 2;
SELECT status, e->>'role_name' AS role_name FROM text2sql.ask('Wer darf Abfragen freigeben?'), json_array_elements(result_rows) AS e WHERE e->>'role_name' LIKE 'Regress%' ORDER BY 2;
SELECT status, result_rows FROM text2sql.ask('Which models may "Regress Lead" use?');
SELECT status, result_rows FROM text2sql.ask('What may regress_team do?');
SELECT text2sql.to_sql('who may use regress_gpt?');
SELECT status, sql FROM text2sql.ask('Who may use the regress_car_park?');
RESET text2sql.model;
\echo a manual grant, and a superuser
GRANT EXECUTE ON FUNCTION text2sql.define TO regress_member;
SELECT may, through, statement FROM text2sql.access WHERE role_name = 'regress_member' AND may = 'teach';
SELECT DISTINCT through, statement = format('ALTER ROLE %I SUPERUSER;', role_name) AS as_superuser FROM text2sql.access
WHERE role_name = current_user AND may = 'evaluate';
\echo what a role sees: the catalogs show who may what to everybody, budgets only to those they are for
SET ROLE regress_member;
SELECT DISTINCT role_name, object_name FROM text2sql.access WHERE may = 'spend';
SELECT result_rows FROM text2sql.run_json($$SELECT role_name, through FROM text2sql.access WHERE may = 'use' AND object_name = 'regress_gpt' AND role_name LIKE 'regress%' ORDER BY role_name$$);
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.access WHERE may = 'spend';
SELECT count(*) > 0 AS sees_rights FROM text2sql.access WHERE may = 'ask' AND role_name = 'regress_team';
SELECT * FROM text2sql._budgets;
SELECT allowed, reason FROM text2sql.validate('SELECT * FROM text2sql._budgets');
SET ROLE regress_nobody;
SELECT * FROM text2sql.access;
RESET ROLE;
\echo a level that does not exist, and names of earlier versions
SELECT text2sql.grant_access('regress_member', 'teacher');
SELECT text2sql.revoke_access('regress_member', NULL);
SELECT text2sql.grant_curator('regress_member');
SET text2sql.max_rows = 10;
SELECT status, answer FROM text2sql.ask('How many?', options => '{"max_rows": 10}');
\echo what no level of access gives: the hint is enough, or says that nothing is
SET ROLE regress_member;
SELECT text2sql.protect('regress_nothing', 'hidden');
SELECT text2sql.add_model('regress_own', 'openai', 'https://models.example/v1', 'none');
SELECT text2sql.grant_access('regress_member');
SELECT text2sql.set_budget('regress_member');
RESET ROLE;
GRANT EXECUTE ON ROUTINE text2sql.protect, text2sql.drop_history, text2sql.set_prompt, text2sql.add_model
TO "regress_member";
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO "regress_member";
SET ROLE regress_member;
SELECT text2sql.protect('regress_nothing', 'hidden');
SELECT text2sql.drop_history('1000 days');
SELECT text2sql.set_prompt('rule_dates', NULL);
SELECT text2sql.add_model('regress_own', 'openai', 'https://models.example/v1', 'none');
SELECT text2sql.forget('model', 'regress_own');
RESET ROLE;
REVOKE ALL ON FOREIGN DATA WRAPPER text2sql FROM regress_member;
SELECT text2sql.set_budget('regress_team');
SELECT text2sql.forget('model', 'regress_gpt');
SELECT text2sql.forget('model', 'regress_open');
SELECT text2sql.revoke_access('regress_team');
SELECT text2sql.revoke_access('regress_member');
SELECT text2sql.revoke_access('Regress Lead');
DROP ROLE regress_member, regress_team, "Regress Lead";
