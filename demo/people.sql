-- The people who log in to the page of `make demo`, with the password :password. They belong to the demo's own
-- cluster: nobody else loads this file.

SET client_min_messages = warning;
-- The passwords must not be in the log.
SET log_statement = none;
SET log_min_error_statement = panic;

SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest('{demo_curator,demo_admin}'::text[]) AS name
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

ALTER ROLE demo_analyst PASSWORD :'password';

-- Sees what the analyst sees, teaches, approves, and may make views.
ALTER ROLE demo_curator PASSWORD :'password';
GRANT demo_analyst TO demo_curator;
GRANT CREATE ON SCHEMA public TO demo_curator;
SELECT text2sql.grant_access('demo_curator'), text2sql.grant_access('demo_curator', 'curator'), text2sql.grant_access('demo_curator', 'approver');

-- Models, budgets and rights are for superusers.
ALTER ROLE demo_admin SUPERUSER PASSWORD :'password';
