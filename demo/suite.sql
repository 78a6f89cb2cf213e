-- The evaluation suite of the demo: psql -d demo -v cases="$(cat demo/suite.jsonl)" -f demo/suite.sql, as the
-- role that asks. Data ends on 31 December 2025, and the suite's clock is set to that day.

SELECT text2sql_eval.add_suite('demo', clock => '2025-12-31 18:00:00+01',
    comment => 'Gratwind Outdoor: easy to very hard, in several styles and languages, follow-ups, and what must not be answered');
SELECT text2sql_eval.add_cases('demo', 'lines', lines => :'cases');
