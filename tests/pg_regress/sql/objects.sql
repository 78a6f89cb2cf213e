-- What the extension's own tables need: the name of this catalog, and a trigger that tells sessions.
SELECT text2sql._catalog_stamp() = (SELECT system_identifier FROM pg_control_system()) || ':' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS names_this_catalog;
\set VERBOSITY sqlstate
SELECT text2sql._tell_sessions();
\set VERBOSITY default
-- The trigger runs at every kind of change, and changes nothing.
CREATE TABLE told (a integer);
CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON told
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
INSERT INTO told VALUES (1), (2);
UPDATE told SET a = 3;
DELETE FROM told WHERE a = 3;
TRUNCATE told;
TABLE told;
DROP TABLE told;
-- Neither is for everybody.
SET ROLE regress_analyst;
SELECT text2sql._catalog_stamp();
RESET ROLE;
-- What a name may mean, by the errors of a function that takes one.
\set VERBOSITY default
CREATE SCHEMA shop;
CREATE TABLE shop.orders (status text, "Order No" integer);
CREATE TABLE shop.shop (orders integer);
SELECT text2sql.protect('nothing', 'hidden');
SELECT text2sql.protect('shop.nothing', 'hidden');
SELECT text2sql.protect('shop.orders.nothing', 'hidden');
SELECT text2sql.protect('a.b.c.d', 'hidden');
SELECT text2sql.protect('', 'hidden');
SELECT text2sql.protect('shop.orders; DROP TABLE shop.orders', 'hidden');
\echo the table shop.orders, or the column orders of the table shop?
SET search_path = shop, public;
SELECT text2sql.protect('shop.orders', 'private');
SELECT text2sql.protect('column shop.orders', 'private');
SELECT text2sql.protect('table shop.orders', 'private');
SELECT text2sql.protect('orders."Order No"', 'hidden');
SELECT text2sql.protect('SCHEMA shop', 'private');
SELECT kind, object, level FROM text2sql.protected ORDER BY object COLLATE "C";
SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;
TRUNCATE text2sql.protections;
