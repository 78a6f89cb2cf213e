-- How taught rows name objects: by OID while it means something, else by name; and who may see them.
\set SHOW_CONTEXT never
BEGIN;
CREATE SCHEMA "Odd Schema";
CREATE TABLE "Odd Schema"."Über" (id int, "Größe" int);
SELECT text2sql._object_name('"Odd Schema"."Über"'::regclass, 2::int2), text2sql._object_name('"Odd Schema"'::regnamespace, -1::int2),
       text2sql._object_name(0::oid, 0::int2), text2sql._object_name('"Odd Schema"."Über"'::regclass, 3::int2);
-- A foreign catalog: the name counts.
SELECT n.object_oid::regclass, n.column_number
FROM text2sql._objects_now('elsewhere', ARRAY['"Odd Schema"."Über"', '"Odd Schema"."Über"."Größe"', '"Odd Schema".gone', 'public.orders.total', 'not " a name'],
                           ARRAY[1, 2, 3, 4, 5]::oid[], ARRAY[0, 1, 0, 9, 0]::int2[]) AS n;
-- Ours: the OID counts, and the name where the OID is gone.
SELECT n.object_oid::regclass, n.column_number
FROM text2sql._objects_now(text2sql._catalog_stamp(), ARRAY['public.countries', 'public.orders', 'public.orders.total', 'public.orders.total'],
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
