-- All stored knowledge, exported as text for review and imported.
\set SHOW_CONTEXT never
\pset null (null)
\pset format unaligned
SET ROLE regress_curator;
SELECT text2sql.describe('customers', E'who "buys"\nfrom us'), text2sql.describe('schema hr', 'staff'),
       text2sql.describe('orders.status', meanings => '{"new": "not paid yet"}'), text2sql.describe('customers', synonyms => '{Kunden,clients}'),
       text2sql.describe('customers."Credit Limit"', priority => 'low'),
       text2sql.define('revenue', 'what customers paid', 'sum(total)', 'orders', '{Umsatz}'), text2sql.define('MTD', 'month to date'),
       text2sql.add_join('{orders.ordered_on}', '{countries.name}', 'a joke') IS NOT NULL,
       text2sql.accept('example', text2sql.add_example('How many?', E'SELECT count(*)\nFROM orders'));
SELECT text2sql.add_example('Unverified', 'SELECT 1 FROM customers') IS NOT NULL;
SELECT text2sql.export_knowledge() AS taught \gset
\echo :taught
-- Imported with replace, and with merge: nothing changes.
SELECT * FROM text2sql.import_knowledge(:'taught', mode => 'replace');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT * FROM text2sql.import_knowledge(:'taught');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT count(*) FROM text2sql._annotations;
-- An invalid line is reported by its number: nothing changes, or the other lines are imported.
\set bad '{"text2sql_knowledge": 1}\n{"kind":"object","object":"orders","description":"new"}\n{"kind":"object","object":"gone","description":"x"}\n{"kind":"definition","term":"x","meaning":"y","sql_expression":"nope","applies_to":"orders"}\n{"kind":"example","question":"q","sql":"DELETE FROM orders"}\n{"kind":"song"}'
SELECT * FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), mode => 'replace');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
SELECT * FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), on_error => 'skip');
SELECT description FROM text2sql.descriptions WHERE object = 'public.orders';
SELECT * FROM text2sql.import_knowledge('hello');
SELECT * FROM text2sql.import_knowledge('{"text2sql_knowledge": 2}');
SELECT * FROM text2sql.import_knowledge('x', mode => 'add');
SELECT * FROM text2sql.import_knowledge('x', 'poetry');
SELECT * FROM text2sql.import_knowledge('x', source => 'a file');
SELECT text2sql.export_knowledge('poetry');
-- A curator can neither change nor remove knowledge about objects that the curator cannot read.
RESET ROLE;
SELECT text2sql.describe('hr.salaries', 'what people earn'), text2sql.define('wage', 'what is paid', 'salary', 'hr.salaries');
SELECT text2sql.accept('example', text2sql.add_example('Wages', 'SELECT salary FROM hr.salaries'));
SELECT id AS example FROM text2sql.examples WHERE question = 'Wages' \gset
SELECT text2sql.add_join('{hr.salaries.employee_id}', '{customers.customer_id}') AS hidden_join \gset
INSERT INTO text2sql._suggestions (kind, object_oids, column_numbers, object_names, suggestion, model, suggested_by)
VALUES ('description', ARRAY['hr.salaries'::regclass], '{0}', '{hr.salaries}', 'wages', 'm', 'somebody') RETURNING id AS suggestion \gset
SET ROLE regress_curator;
\set VERBOSITY sqlstate
SELECT text2sql.accept('example', :example);
SELECT text2sql.reject('example', :example);
SELECT text2sql.forget('example', :example);
SELECT text2sql.check_examples(ids => ARRAY[:example]);
SELECT text2sql.accept('join', :hidden_join);
SELECT text2sql.reject('join', :hidden_join);
SELECT text2sql.forget('join', :hidden_join);
SELECT text2sql.accept('suggestion', :suggestion);
SELECT text2sql.reject('suggestion', :suggestion);
SELECT text2sql.forget('definition', 'wage');
SELECT text2sql.forget('definition', 'wage', 'hr.salaries');
SELECT text2sql.forget('description', 'hr.salaries');
\set VERBOSITY default
SELECT text2sql.reject('suggestion', id) FROM text2sql.suggestions WHERE status = 'open' ORDER BY id;
SELECT count(*) FROM text2sql.import_knowledge('{"text2sql_knowledge": 1}', mode => 'replace');
RESET ROLE;
SELECT object, description, taught_by = current_user AS is_own FROM text2sql.descriptions;
SELECT term, status FROM text2sql.definitions;
SELECT question, status, verified_by = current_user AS is_own FROM text2sql.examples;
SELECT column_names, status FROM text2sql.joins;
SELECT object, status, decided_by FROM text2sql.suggestions;
DELETE FROM text2sql._suggestions;
SELECT count(*) FILTER (WHERE outcome = 'taken') AS taken FROM text2sql.import_knowledge(:'taught', mode => 'replace');
SET ROLE regress_analyst;
SELECT text2sql.export_knowledge();
SET ROLE regress_curator;
SELECT * FROM text2sql.import_knowledge('{"text2sql_knowledge": 1}', mode => 'replace');
SELECT text2sql.export_knowledge();
RESET ROLE;
