-- Background workers keep the search index up to date; they are off in this database (setup.sql), so that its other tests
-- see what refresh() left. tests/server/tests/cluster/index_maintenance.rs is about what they do.
SELECT item, value, note FROM text2sql.status() WHERE item IN ('index maintenance', 'values read as');
SET text2sql.maintenance_interval = '1min';
SELECT item, value FROM text2sql.status() WHERE item IN ('index maintenance', 'values read as');
RESET text2sql.maintenance_interval;

-- What the triggers call is for nobody else.
SET ROLE regress_curator;
SELECT text2sql._wake_maintenance();
SELECT text2sql._index_item('d', 1);
SELECT text2sql._is_transaction_block();
SELECT count(*) FROM text2sql._maintenance;
-- Nor are the settings.
SET text2sql.maintenance_interval = '1s';
SET text2sql.maintenance_role = 'regress_curator';
SET text2sql.maintenance_databases = 'text2sql_regress';
RESET ROLE;

-- Only the configuration file says which databases.
SET text2sql.maintenance_databases = 'text2sql_regress';
-- The text of the message depends on the version of the server.
\set VERBOSITY sqlstate
SET text2sql.maintenance_interval = '-1';
