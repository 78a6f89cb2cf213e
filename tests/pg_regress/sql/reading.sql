-- How a question is interpreted before SQL is written: ambiguity, invalid questions, settings.
SET ROLE regress_analyst;
\pset null '∅'
SELECT status, answer, clarification FROM text2sql.ask('Show the names');
SELECT status, answer, warnings[1] AS assumption FROM text2sql.ask('Show the names', options => '{"on_ambiguity": "choose"}');
SET text2sql.tuning = '{"on_ambiguity": "choose"}';
SELECT status, warnings[1] AS assumption FROM text2sql.ask('Show the names');
RESET text2sql.tuning;
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
SELECT boot_val::jsonb -> 'on_ambiguity' AS on_ambiguity, boot_val::jsonb -> 'max_conversation_turns' AS turns FROM pg_settings WHERE name = 'text2sql.tuning';
SET text2sql.tuning = '{"on_ambiguity": "guess"}';
SELECT status FROM text2sql.ask('How many orders?', options => '{"on_ambiguity": "guess"}');
SELECT status FROM text2sql.ask('How many orders?', options => '{"enable_relevance_check": 1}');

-- A meaning in place of the words: compiled under the caller's rights, wrong places named.
SELECT clarification::jsonb AS said FROM text2sql.ask('How many orders are there?') \gset
SELECT part ->> 'part' AS part, part ->> 'text' AS text, part ->> 'without' IS NOT NULL AS may_go,
       (SELECT string_agg(choice ->> 'text', ', ') FROM jsonb_array_elements(part -> 'choices') AS choice) AS choices
FROM jsonb_array_elements(:'said'::jsonb -> 'parts') AS part;
SELECT answer, result_rows FROM text2sql.ask('How many orders are there?', options => jsonb_build_object('meaning',
    :'said'::jsonb -> 'meaning' || (:'said'::jsonb #> '{parts,1,choices,1,set}')));
SELECT text2sql.to_sql('How many orders are there?', options => jsonb_build_object('meaning',
    jsonb_set(:'said'::jsonb -> 'meaning', '{conditions}', '[{"one_of": {"column": {"column": "status"}, "values": [{"text": "paid"}], "is_negated": false}}]')));
SELECT answer FROM text2sql.ask('How many orders are there?', options => jsonb_build_object('meaning',
    jsonb_set(:'said'::jsonb -> 'meaning', '{subject}', '{"schema": "hr", "name": "salaries"}')));
SELECT answer FROM text2sql.ask('How many orders are there?', options => jsonb_build_object('meaning',
    jsonb_set(:'said'::jsonb -> 'meaning', '{order}', '{"by": {"measure": 0}, "limit": "five", "is_descending": true}')));
\echo :SQLSTATE
