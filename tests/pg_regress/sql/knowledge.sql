-- Everything taught, as a text for review and back.
\set SHOW_CONTEXT never
\pset null (null)
\pset format unaligned
SET ROLE regress_curator;
SELECT text2sql.describe('customers', E'who "buys"\nfrom us'), text2sql.describe('schema hr', 'staff'),
       text2sql.describe_values('orders.status', '{"new": "not paid yet"}'), text2sql.add_synonyms('customers', '{Kunden,clients}'),
       text2sql.mark_rarely_useful('customers."Credit Limit"'),
       text2sql.define('revenue', 'what customers paid', 'sum(total)', 'orders', '{Umsatz}'), text2sql.define('MTD', 'month to date'),
       text2sql.add_join('{orders.ordered_on}', '{countries.name}', 'a joke') IS NOT NULL,
       text2sql.verify_example(text2sql.add_example('How many?', E'SELECT count(*)\nFROM orders'));
SELECT text2sql.add_example('Unverified', 'SELECT 1 FROM customers') IS NOT NULL;
SELECT text2sql.export_knowledge() AS taught \gset
\echo :taught
-- Back in place of everything, and beside it: nothing changes.
SELECT * FROM text2sql.import_knowledge(:'taught', mode => 'replace');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT * FROM text2sql.import_knowledge(:'taught');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT count(*) FROM text2sql.annotations;
-- A line that is not right is told by its number: nothing changes, or the others are taken.
\set bad '{"text2sql_knowledge": 1}\n{"kind":"object","object":"orders","description":"new"}\n{"kind":"object","object":"gone","description":"x"}\n{"kind":"definition","term":"x","meaning":"y","sql_expression":"nope","applies_to":"orders"}\n{"kind":"example","question":"q","sql":"DELETE FROM orders"}\n{"kind":"song"}'
SELECT * FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), mode => 'replace');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT taken, refused, unnest(problems) FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), on_error => 'skip');
SELECT description FROM text2sql.descriptions WHERE object = 'public.orders';
SELECT * FROM text2sql.import_knowledge('hello');
SELECT * FROM text2sql.import_knowledge('{"text2sql_knowledge": 2}');
SELECT * FROM text2sql.import_knowledge('x', mode => 'add');
SET ROLE regress_analyst;
SELECT text2sql.export_knowledge();
SET ROLE regress_curator;
SELECT * FROM text2sql.import_knowledge('{"text2sql_knowledge": 1}', mode => 'replace');
SELECT text2sql.export_knowledge();
RESET ROLE;
