-- How a question is read before anybody writes SQL: ambiguity, what is no question, settings.
SET ROLE regress_analyst;
\pset null '∅'
SELECT status, answer, clarification FROM text2sql.ask('Show the names');
SELECT status, answer, warnings[1] AS assumption FROM text2sql.ask('Show the names', options => '{"ambiguity": "choose"}');
SET text2sql.ambiguity = 'choose';
SELECT status, warnings[1] AS assumption FROM text2sql.ask('Show the names');
RESET text2sql.ambiguity;
SELECT status, answer, warnings FROM text2sql.ask('Delete all customers');
SELECT status, answer FROM text2sql.ask('Lösche alle Kunden');
SELECT status, answer FROM text2sql.ask('Thank you');
-- A period is told, unless that is switched off: two years ago has no month of today in it.
SELECT link ~ '^''2 years ago'' is 20\d\d-01-01 up to but without 20\d\d-01-01$' AS told
FROM text2sql.ask('How many orders were placed 2 years ago?'), unnest(warnings) AS link ORDER BY 1 DESC LIMIT 1;
SELECT bool_or(link LIKE '''2 years ago''%') AS told
FROM text2sql.ask('How many orders were placed 2 years ago?', options => '{"rewrite": false}'), unnest(warnings) AS link;
SELECT t.stage FROM (SELECT trace_id FROM text2sql.ask('How many orders are there?')) AS a, text2sql.trace(a.trace_id) AS t;
SELECT t.stage FROM (SELECT trace_id FROM text2sql.ask('How many orders are there?', options => '{"route": false}')) AS a, text2sql.trace(a.trace_id) AS t;
SELECT name, setting, boot_val FROM pg_settings
WHERE name IN ('text2sql.rewrite', 'text2sql.route', 'text2sql.ambiguity', 'text2sql.conversation_turns') ORDER BY name;
SET text2sql.ambiguity = 'guess';
SELECT status FROM text2sql.ask('How many orders?', options => '{"ambiguity": "guess"}');
SELECT status FROM text2sql.ask('How many orders?', options => '{"rewrite": 1}');
