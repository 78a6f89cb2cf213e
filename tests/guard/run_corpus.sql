-- See run_corpus.sh. NUL cannot reach an SQL function, so lines with one count as refused.
SET client_min_messages = warning;
CREATE TEMP TABLE lines (number serial, line text);
\set command '\\copy lines (line) FROM ' :'corpus' ' CSV DELIMITER E''\\x02'' QUOTE E''\\x01'''
:command
CREATE TEMP TABLE corpus AS
SELECT number, body ->> 'id' AS id, body ->> 'class' AS class, body ->> 'expect' AS expect,
       CASE WHEN NOT has_nul THEN body ->> 'sql' END AS sql
FROM lines, LATERAL (
    SELECT line LIKE '%\\u0000%' AS has_nul, replace(line, '\u0000', '')::json AS body
) AS parsed;
CREATE TEMP TABLE verdicts (number int, verdict text, ms numeric);
GRANT SELECT ON corpus TO PUBLIC;
GRANT INSERT ON verdicts TO PUBLIC;
SET SESSION AUTHORIZATION :role;
DO $$
DECLARE
    line record;
    started timestamptz;
    verdict text;
BEGIN
    FOR line IN SELECT * FROM corpus ORDER BY number LOOP
        started := clock_timestamp();
        verdict := CASE WHEN line.sql IS NULL THEN 'reject input: NUL'
                        ELSE public.judge(line.sql) END;
        INSERT INTO pg_temp.verdicts
        VALUES (line.number, verdict, extract(epoch FROM clock_timestamp() - started) * 1000);
    END LOOP;
END
$$;
RESET SESSION AUTHORIZATION;
-- Which answers are right for which class of statement.
CREATE TEMP TABLE rules (class text, pattern text);
INSERT INTO rules VALUES
    ('stmt', '^reject statement'), ('utility', '^reject statement'),
    ('multi', '^reject statement'), ('dml-cte', '^reject statement'),
    ('into', '^reject statement'), ('lock', '^reject statement'),
    ('function', '^reject (function|type|node|limit)'), ('hidden', '^reject function'),
    ('implicit', '^reject (function|type)'), ('permission', '^reject permission'),
    ('view', '^reject view'), ('foreign', '^reject relation'),
    ('sequence', '^reject (relation|function)'), ('catalog', '^(reject relation|error 42P01)'),
    ('input', '^(reject input|error (42601|42P01|42P02|42602|22021|22025))'),
    ('cost', '^reject cost'),
    ('size', '^(reject limit|error (54000|54001|42601|53200))');
CREATE TEMP VIEW wrong AS
SELECT c.id, c.class, c.expect, v.verdict, left(c.sql, 120) AS sql
FROM corpus c JOIN verdicts v USING (number) LEFT JOIN rules r ON r.class = c.class
WHERE CASE c.expect WHEN 'allow' THEN v.verdict !~ '^allow'
      ELSE r.pattern IS NULL OR v.verdict !~ r.pattern END;
\pset footer off
SELECT * FROM wrong ORDER BY id;
SELECT expect, count(*) AS lines,
       count(*) FILTER (WHERE id IN (SELECT id FROM wrong)) AS wrong,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 3) AS median_ms,
       round(max(ms), 1) AS max_ms
FROM corpus JOIN verdicts USING (number) GROUP BY expect ORDER BY expect;
SELECT count(*) > 0 AS has_wrong FROM wrong \gset
\if :has_wrong
\warn some lines are wrong
DO $$ BEGIN RAISE EXCEPTION 'the corpus is not judged as expected'; END $$;
\endif
