-- How a question is interpreted before SQL is written: ambiguity, invalid questions, settings.
SET ROLE regress_analyst;
\pset null '∅'
SELECT status, answer, clarification FROM text2sql.ask('Show the names');
SELECT status, answer, warnings[1] AS assumption FROM text2sql.ask('Show the names', options => '{"on_ambiguity": "choose"}');
SET text2sql.on_ambiguity = 'choose';
SELECT status, warnings[1] AS assumption FROM text2sql.ask('Show the names');
RESET text2sql.on_ambiguity;
SELECT status, answer, warnings FROM text2sql.ask('Delete all customers');
SELECT status, answer FROM text2sql.ask('Lösche alle Kunden');
SELECT status, answer FROM text2sql.ask('Thank you');
-- A period is reported, unless that is disabled.
SELECT warnings[1] ~ '^''last year'' is 20\d\d-01-01 up to but without 20\d\d-01-01$' AS told
FROM text2sql.ask('How many orders were placed last year?');
SELECT warnings[1] LIKE '''last year''%' AS told
FROM text2sql.ask('How many orders were placed last year?', options => '{"without": ["interpret"]}');
SELECT status, warnings[1] ~ '^''letztes Jahr'' ist 20\d\d-01-01 bis ausschließlich 20\d\d-01-01$' AS told
FROM text2sql.ask('Wie viele orders gab es letztes Jahr?');
-- The stages are in the trace.
SELECT trace_id FROM text2sql.ask('How many orders are there?') \gset
SELECT stage, input, output FROM text2sql.trace(:'trace_id') WHERE stage IN ('interpret', 'route');
SELECT trace_id FROM text2sql.ask('How many orders are there?', options => '{"without": ["route"]}') \gset
SELECT stage FROM text2sql.trace(:'trace_id');
SELECT name, setting, boot_val FROM pg_settings
WHERE name IN ('text2sql.on_ambiguity', 'text2sql.max_conversation_turns') ORDER BY name;
SET text2sql.on_ambiguity = 'guess';
SELECT status FROM text2sql.ask('How many orders?', options => '{"on_ambiguity": "guess"}');
SELECT status FROM text2sql.ask('How many orders?', options => '{"enable_relevance_check": 1}');
