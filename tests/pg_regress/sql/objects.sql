-- How rows of knowledge refer to objects: by OID where it is valid, otherwise by name; and their visibility.
\set SHOW_CONTEXT never
BEGIN;
CREATE SCHEMA "Odd Schema";
CREATE TABLE "Odd Schema"."Über" (id int, "Größe" int);
SELECT text2sql._object_name('"Odd Schema"."Über"'::regclass, 2::int2), text2sql._object_name('"Odd Schema"'::regnamespace, -1::int2),
       text2sql._object_name(0::oid, 0::int2), text2sql._object_name('"Odd Schema"."Über"'::regclass, 3::int2);
-- A foreign catalog: the name counts.
SELECT n.object_oid::regclass, n.column_number
FROM text2sql._resolve_objects('elsewhere', ARRAY['"Odd Schema"."Über"', '"Odd Schema"."Über"."Größe"', '"Odd Schema".gone', 'public.orders.total', 'not " a name'],
                           ARRAY[1, 2, 3, 4, 5]::oid[], ARRAY[0, 1, 0, 9, 0]::int2[]) AS n;
-- The current catalog: the OID counts, and the name where the OID does not exist.
SELECT n.object_oid::regclass, n.column_number
FROM text2sql._resolve_objects(text2sql._catalog_stamp(), ARRAY['public.countries', 'public.orders', 'public.orders.total', 'public.orders.total'],
                           ARRAY['customers'::regclass, 1, 'orders'::regclass, 'orders'::regclass]::oid[], ARRAY[0, 0, 3, 77]::int2[]) AS n;
-- Every object must be visible.
SET LOCAL ROLE regress_analyst;
SELECT text2sql._may_see('elsewhere', ARRAY['public.orders', 'public.orders.total'], ARRAY[0, 0]::oid[], ARRAY[0, 1]::int2[]) AS both,
       text2sql._may_see('elsewhere', ARRAY['public.orders', 'hr.salaries'], ARRAY[0, 0]::oid[], ARRAY[0, 0]::int2[]) AS one_is_closed,
       text2sql._may_see('elsewhere', ARRAY['hr'], ARRAY[0]::oid[], ARRAY[-1]::int2[]) AS open_schema,
       text2sql._may_see('elsewhere', ARRAY['"Odd Schema"'], ARRAY[0]::oid[], ARRAY[-1]::int2[]) AS closed_schema,
       text2sql._may_see('elsewhere', ARRAY['public.gone'], ARRAY[0]::oid[], ARRAY[0]::int2[]) AS gone,
       text2sql._may_see('elsewhere', '{}', '{}', '{}') AS about_nothing;
RESET ROLE;
GRANT SELECT (employee_id) ON hr.salaries TO regress_analyst;
SET LOCAL ROLE regress_analyst;
SELECT text2sql._may_see('elsewhere', ARRAY['hr.salaries.employee_id'], ARRAY[0]::oid[], ARRAY[1]::int2[]) AS granted_column,
       text2sql._may_see('elsewhere', ARRAY['hr.salaries.salary'], ARRAY[0]::oid[], ARRAY[2]::int2[]) AS other_column,
       text2sql._may_see('elsewhere', ARRAY['hr.salaries'], ARRAY[0]::oid[], ARRAY[0]::int2[]) AS its_table;
SAVEPOINT s;
SELECT text2sql._may_see('x', '{a}', '{}', '{}');
ROLLBACK TO s;
SELECT text2sql._may_see(NULL, '{a}', '{}', '{}');
ROLLBACK;
-- What the extension's own tables need: the identity of this catalog, and a trigger that invalidates caches.
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
-- The possible meanings of a name, shown by the errors of a function.
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
TRUNCATE text2sql._protections;
