-- Glossaries and examples from files, under the name of a source.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
\set glossary 'Begriff;Bedeutung;Synonyme;SQL;Tabelle;Zeitraum\nMRR;monthly recurring revenue;;;;\nlarge order;;big order|Großauftrag;total > 100;orders;\nturnover;what was sold;;sum(total);orders;\nSP;;;Sharepoint;;\nrecently;;;;;last 7 days\norders by customer;;;"SELECT customer_id, count(*) FROM orders GROUP BY 1";;'
SELECT * FROM text2sql.import_knowledge(replace(:'glossary', '\n', E'\n'), 'glossary', 'glossary.csv');
SELECT source, kind, imported_by, taken, known, refused, problems FROM text2sql.imports;
SELECT line, subject, outcome, reason, entry, state FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) ORDER BY line;
SELECT term, meaning, sql_expression, applies_to, kind, synonyms, period, status, origin, source FROM text2sql.definitions ORDER BY term;
SELECT question, status, origin, source FROM text2sql.examples;
-- The same again changes nothing.
SELECT line, name, outcome FROM text2sql.import_knowledge(replace(:'glossary', '\n', E'\n'), 'glossary', 'glossary.csv');
SELECT taken, known, refused FROM text2sql.imports;
-- A new version: changed, gone, and what somebody changed or verified meanwhile.
SELECT text2sql.define('SP', 'service pack');
SELECT text2sql.accept('example', (SELECT id FROM text2sql.examples));
SELECT * FROM text2sql.import_knowledge(E'term,meaning,sql,applies_to\nMRR,revenue of subscriptions in a month,,\nturnover,what was sold,sum(total),orders', 'glossary', 'glossary.csv');
SELECT line, subject, outcome, reason, state FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) ORDER BY line;
-- Lines that cannot be taken: nothing is, unless they are left out. A definition of somebody else is not replaced.
\set bad '{"term": "A", "meaning": "B"}\n{"term": "b", "meaning": "A"}\n{"term": "MRR", "meaning": "again"}\n{"term": "SP", "meaning": "Sharepoint"}\n{"term": "C", "sql": "no_such > 1"}\n{"term": "C", "meaning": "x"}\n{"term": "D", "meaning": "Umsatz f\\u00c3\\u00bcr"}\n{"term": "E", "meaning": "a\\u0000b"}\n{"term": "F", "meaning": "a\\ufffdb"}\n{"meaning": "x"}\nnot JSON\n{"term": "G"}\n{"term": "H", "meaning": "good"}'
SELECT * FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), 'glossary', 'bad.jsonl');
SELECT count(*) FROM text2sql.definitions WHERE term = 'H';
SELECT * FROM text2sql.import_knowledge(replace(:'bad', '\n', E'\n'), 'glossary', 'bad.jsonl', on_error => 'skip');
SELECT source, taken, known, refused, problems[1:2] FROM text2sql.imports ORDER BY source;
SELECT * FROM text2sql.import_knowledge(E'term,meaning\nx,"y\nz,1\n', 'glossary', 'open.csv');
SELECT * FROM text2sql.import_knowledge(E'term,meaning\nx', 'glossary', 'short.csv');
SELECT * FROM text2sql.import_knowledge('[{"term": "x"', 'glossary', 'array.json');
SELECT * FROM text2sql.import_knowledge('x', 'glossary', 'x', format => 'yaml');
SELECT * FROM text2sql.import_knowledge('x,y', 'glossary', NULL);
SELECT * FROM text2sql.import_knowledge(NULL, 'glossary', 'x');
SELECT * FROM text2sql.import_knowledge('x,y', 'glossary', E'a\nb');
SELECT * FROM text2sql.import_knowledge('x,y', 'glossary', 'x', on_error => 'ignore');
BEGIN READ ONLY;
SELECT * FROM text2sql.import_knowledge('x,y', 'glossary', 'x');
ROLLBACK;
-- Examples. A line whose SQL is an expression defines its question.
\set lines '{"NL": "What did we sell in March?", "SQL": "SELECT sum(total) FROM orders"}\n{"NL": "How many customers?", "SQL": "SELECT count(*) FROM customers"}\n{"NL": "small order", "SQL": "total < 10"}'
SELECT * FROM text2sql.import_knowledge(replace(:'lines', '\n', E'\n'), 'examples', source => 'questions.jsonl');
SELECT line, subject, outcome, reason, entry FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) WHERE source = 'questions.jsonl' ORDER BY line;
SELECT question, outcome, reason FROM text2sql.check_examples(0, 'questions.jsonl', verify => true);
SET text2sql.model = 'replay';
SELECT question, intent, reason FROM text2sql.check_examples(max_examples => 1, source => 'questions.jsonl');
RESET text2sql.model;
SELECT question, outcome, reason FROM text2sql.check_examples(source => 'questions.jsonl', verify => true, needs_opinion => false);
SELECT question, outcome, reason FROM text2sql.check_examples(0, ids => ARRAY[-1], verify => true);
SELECT * FROM text2sql.check_examples(0, verify => true);
SELECT * FROM text2sql.check_examples(needs_opinion => false);
SELECT * FROM text2sql.check_examples(0, 'none', verify => true);
RESET ROLE;
UPDATE text2sql._examples SET intent = CASE WHEN question LIKE '%March%' THEN 'yes' ELSE 'no' END, intent_reason = 'because', verified_by = NULL, verified_at = NULL;
SET ROLE regress_curator;
SELECT question, outcome, reason FROM text2sql.check_examples(0, 'questions.jsonl', verify => true);
SELECT question, outcome, reason FROM text2sql.check_examples(0, 'questions.jsonl', verify => true);
SELECT * FROM text2sql.import_knowledge(E'question;sql\nWhat did we sell in March?;"SELECT sum(total) FROM orders"\nHow many countries?;SELECT count(DISTINCT country) FROM customers', 'examples', source => 'questions.jsonl', on_error => 'skip');
SELECT line, subject, outcome, state FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) WHERE source = 'questions.jsonl' ORDER BY line, subject;
-- Another role sees what it may see of it, and may not import into a source that it cannot see.
SELECT text2sql.accept('example', (SELECT id FROM text2sql.examples WHERE question LIKE '%March%'));
RESET ROLE;
REVOKE SELECT ON customers FROM regress_analyst;
SET ROLE regress_analyst;
SELECT source, subject, outcome FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) ORDER BY source, line;
SELECT * FROM text2sql.import_knowledge('x,y', 'glossary', 'x');
SELECT * FROM text2sql.forget('import', 'glossary.csv');
RESET ROLE;
SELECT text2sql.grant_access('regress_analyst', 'curator');
REVOKE SELECT ON orders FROM regress_analyst;
SET ROLE regress_analyst;
SELECT source, subject, outcome FROM text2sql.imports, json_to_recordset(lines) AS l(line bigint, subject text, outcome text, reason text, entry text, state text) ORDER BY source, line;
SELECT * FROM text2sql.import_knowledge('{"question": "One?", "sql": "SELECT 1"}', 'examples', source => 'questions.jsonl');
SELECT * FROM text2sql.forget('import', 'questions.jsonl');
RESET ROLE;
SELECT text2sql.revoke_access('regress_analyst', 'curator');
GRANT SELECT ON customers, orders TO regress_analyst;
-- Taken back, except for what was verified or changed.
SET ROLE regress_curator;
SELECT * FROM text2sql.forget('import', 'questions.jsonl');
SELECT source, taken FROM text2sql.imports ORDER BY source;
SELECT * FROM text2sql.forget('import', 'questions.jsonl', include_verified => true);
SELECT text2sql.define('turnover', 'mine', applies_to => 'orders');
SELECT * FROM text2sql.forget('import', 'glossary.csv');
SELECT * FROM text2sql.forget('import', 'bad.jsonl');
SELECT * FROM text2sql.forget('import', 'bad.jsonl');
SELECT source, taken FROM text2sql.imports ORDER BY source;
SELECT term, source FROM text2sql.definitions ORDER BY term;
RESET ROLE;
DELETE FROM text2sql._definitions;
DELETE FROM text2sql._examples;
DELETE FROM text2sql._import_lines;
