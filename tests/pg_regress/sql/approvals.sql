-- A query waits until another person has approved it; the role that asked then runs it with its own privileges.
\set SHOW_CONTEXT never
\pset null (null)
SET text2sql.model = 'replay';
CREATE ROLE regress_lead;
SELECT text2sql.grant_access('regress_lead', 'approver');
CREATE ROLE regress_waiting;
SELECT text2sql.grant_access('regress_waiting');
GRANT SELECT ON countries, customers, orders TO regress_waiting;
-- Misuse.
SELECT text2sql.set_approval('regress_waiting', 'sometimes');
SELECT text2sql.set_approval('regress_waiting', NULL);
SELECT text2sql.set_approval('nobody_here', 'always');
SELECT text2sql.set_approval(NULL, 'always');
SELECT text2sql.set_approval('regress_waiting', 'always', min_confidence => 0.5);
SELECT text2sql.set_approval('regress_waiting', 'uncertain', min_confidence => 1.5);
BEGIN READ ONLY;
SELECT text2sql.set_approval('regress_waiting', 'always');
ROLLBACK;
SELECT text2sql.set_approval('regress_waiting', 'always');
SELECT role_name, object_name, statement, set_by = current_user AS set_by_me FROM text2sql.access WHERE may = 'wait';

SET ROLE regress_waiting;
SELECT item, value FROM text2sql.status() WHERE item = 'approval';
SELECT status, regexp_replace(answer, '\d+', 'N') AS answer, sql, result_rows, row_count, warnings, sqlstate FROM text2sql.ask('How many customers?');
SELECT id AS waiting FROM text2sql.approvals \gset
-- The same question waits once; other functions say how to ask.
SELECT status FROM text2sql.ask('How many customers?');
SELECT count(*) FROM text2sql.approvals;
\set VERBOSITY verbose
SELECT * FROM text2sql.ask_rows('How many customers?') AS t(customers bigint);
\set VERBOSITY default
SELECT text2sql.ask_view('How many customers?', 'regress_waiting_view');
CALL text2sql.ask_into('How many customers?', 'regress_waiting_table');
SELECT text2sql.to_sql('How many customers?');
SELECT regexp_replace(line, 'id \d+|answer\(\d+', 'N') FROM text2sql.show('How many customers?') AS line;
SELECT status, model, reasons, explanation, trust_report::text, plan_cost > 0 AS cost, plan_rows, decided_by, expires_at - asked_at > interval '6 days' AS lasts
  FROM text2sql.approvals;
SELECT status, regexp_replace(answer, '\d+', 'N') AS answer, sqlstate FROM text2sql.answer(:waiting);
-- What a role that asks may not do.
SELECT text2sql.accept('query', :waiting);
SELECT text2sql.reject('query', :waiting);
SELECT text2sql.set_approval('regress_waiting', 'never');
SELECT role_name, statement FROM text2sql.access WHERE may = 'wait';
SELECT role_name FROM text2sql._approval_rules;
UPDATE text2sql._approvals SET status = 'approved';
-- Nothing can be recorded here.
BEGIN READ ONLY;
SELECT status, answer, sqlstate FROM text2sql.ask('How many customers?');
ROLLBACK;
-- A question that needs no query does not wait.
SELECT status FROM text2sql.ask('What is the weather?');

-- Roles that may see it, and roles that may not.
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.approvals;
SELECT * FROM text2sql.answer(:waiting);
SET ROLE regress_nobody;
SELECT * FROM text2sql.approvals;
SET ROLE regress_lead;
SELECT asked_by, question, sql FROM text2sql.approvals WHERE status = 'waiting';
SELECT role_name, statement FROM text2sql.access WHERE may = 'wait';
SELECT count(*) FROM customers;
SELECT * FROM text2sql.answer(:waiting);
SELECT text2sql.accept('query', NULL);
SELECT text2sql.accept('query', 2147483647);
SELECT text2sql.accept('query', :waiting, as_example => true);
BEGIN READ ONLY;
SELECT text2sql.accept('query', :waiting);
ROLLBACK;
SELECT text2sql.accept('query', :waiting);
SELECT text2sql.accept('query', :waiting);
SELECT text2sql.reject('query', :waiting);

-- Approved: that query runs, of that role.
SET ROLE regress_waiting;
SELECT status, answer, sql, result_rows::text, row_count, verified_by, warnings, sqlstate FROM text2sql.answer(:waiting);
SELECT status, result_rows::text, verified_by FROM text2sql.ask('How many customers?');
SELECT * FROM text2sql.ask_rows('How many customers?') AS t(customers bigint);
SELECT status, question, decided_by FROM text2sql.approvals;
SELECT function, status, row_count FROM text2sql.history ORDER BY asked_at DESC LIMIT 3;
-- With the privileges of the role that asks, as they are then.
RESET ROLE;
REVOKE SELECT ON customers FROM regress_waiting;
SET ROLE regress_waiting;
SELECT status, sqlstate, result_rows FROM text2sql.answer(:waiting);
RESET ROLE;
GRANT SELECT ON customers TO regress_waiting;

-- Rejected, with a reason.
SET ROLE regress_waiting;
SELECT status FROM text2sql.ask('Orders by status', conversation => 'talk');
SELECT max(id) AS waiting FROM text2sql.approvals \gset
SELECT question, status, sql IS NOT NULL AS has_sql FROM text2sql.conversation_turns;
SET ROLE regress_lead;
SELECT text2sql.reject('query', :waiting, repeat('x', 70000));
SELECT text2sql.reject('query', :waiting, 'returned orders are no revenue');
SET ROLE regress_waiting;
SELECT status, answer, sqlstate FROM text2sql.answer(:waiting);
SELECT status, decided_by, reason FROM text2sql.approvals WHERE id = :waiting;

-- A question is never decided by the person who asked it: neither as another role of the same login, nor as superuser.
RESET ROLE;
SELECT text2sql.grant_access('regress_waiting', 'approver');
SET ROLE regress_waiting;
SELECT status FROM text2sql.ask('Every order');
SELECT max(id) AS waiting FROM text2sql.approvals \gset
SELECT text2sql.accept('query', :waiting);
RESET ROLE;
SELECT text2sql.accept('query', :waiting);
SELECT text2sql.revoke_access('regress_waiting', 'approver');
SET ROLE regress_waiting;
SELECT text2sql.accept('query', :waiting);
RESET ROLE;

-- A curator who approves can keep the pair as an example, which needs no approval from then on.
SELECT text2sql.grant_access('regress_curator', 'approver');
SET ROLE regress_curator;
SELECT text2sql.accept('query', :waiting, as_example => true);
SELECT e.question, e.sql, e.verified_by FROM text2sql.examples AS e JOIN text2sql.approvals AS a ON a.example_id = e.id;
SET ROLE regress_waiting;
SELECT status, row_count, verified_by FROM text2sql.ask('Every order');
-- One that the role verified itself does.
RESET ROLE;
SELECT text2sql.grant_access('regress_waiting', 'curator');
SET ROLE regress_waiting;
SELECT text2sql.accept('example', text2sql.add_example('List all countries', 'SELECT name FROM countries'));
SELECT status FROM text2sql.ask('List all countries');
RESET ROLE;
SELECT text2sql.forget('example', id) FROM text2sql.examples;
SELECT text2sql.revoke_access('regress_waiting', 'curator');

-- Time passes.
UPDATE text2sql._approvals SET expires_at = clock_timestamp();
SET ROLE regress_waiting;
SELECT status, regexp_replace(answer, '\d+', 'N') AS answer, sqlstate FROM text2sql.answer(:waiting);
SELECT DISTINCT status FROM text2sql.approvals ORDER BY 1;
SELECT status FROM text2sql.ask('How many customers?');
RESET ROLE;
SELECT text2sql.drop_history('0 days') > 0 AS dropped;
SELECT count(*) FROM text2sql.approvals;
\set VERBOSITY sqlstate
SET text2sql.approval_validity = '0min';
\set VERBOSITY default
SET ROLE regress_waiting;
SET text2sql.approval_validity = '1d';
RESET ROLE;

-- Doubtful queries only.
SELECT text2sql.set_approval('regress_waiting', 'uncertain');
SELECT object_name, statement FROM text2sql.access WHERE may = 'wait';
SET ROLE regress_waiting;
SELECT item, value FROM text2sql.status() WHERE item = 'approval';
SELECT status FROM text2sql.ask('Orders by status');
SELECT status, warnings FROM text2sql.ask('How many customers?');
SET text2sql.model = 'builtin';
SELECT status FROM text2sql.ask('How many customers are there?');
RESET ROLE;
SELECT text2sql.set_approval('regress_waiting', 'uncertain', min_confidence => 1);
SET ROLE regress_waiting;
SELECT status, warnings[1] FROM text2sql.ask('How many customers are there?');
SET text2sql.model = 'replay';
RESET ROLE;

-- The strictest rule of the roles of a member counts, and that of the login; a superuser is a member of no role.
CREATE ROLE regress_strict;
GRANT regress_strict TO regress_waiting;
SELECT text2sql.set_approval('regress_strict', 'always');
SELECT text2sql.set_approval('regress_waiting', 'never');
SET ROLE regress_waiting;
SELECT item, value FROM text2sql.status() WHERE item = 'approval';
SELECT status FROM text2sql.ask('Orders by status');
RESET ROLE;
SELECT status FROM text2sql.ask('Orders by status');
-- A rule of a role that is gone can be removed.
DROP ROLE regress_strict;
SELECT role_name FROM text2sql.access WHERE may = 'wait';
SELECT text2sql.set_approval('regress_strict', 'never');
SELECT text2sql.set_approval('regress_strict', 'never');
SELECT count(*) FROM text2sql.access WHERE may = 'wait';
-- Both functions that answer have the same columns.
SELECT a.proargnames[4:] = b.proargnames[3:] AS same_names, a.proallargtypes[4:] = b.proallargtypes[3:] AS same_types
  FROM pg_proc a, pg_proc b WHERE a.oid = 'text2sql.ask'::regproc AND b.oid = 'text2sql.answer'::regproc;
SELECT text2sql.revoke_access('regress_curator', 'approver');
SELECT text2sql.drop_history('0 days') > 0 AS dropped;
DELETE FROM text2sql._approvals;
ALTER SEQUENCE text2sql._examples_id_seq RESTART;
REVOKE ALL ON countries, customers, orders FROM regress_waiting;
SELECT text2sql.revoke_access('regress_waiting'), text2sql.revoke_access('regress_lead');
DROP ROLE regress_waiting, regress_lead;
