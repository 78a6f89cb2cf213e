-- Terms that stand for days: defined, refused, used by both engines, and overruled by the schema.
\set SHOW_CONTEXT never
\pset null (null)
CREATE FUNCTION facts(question text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT line FROM regexp_split_to_table(text2sql.preview_prompt(question), '\n') AS line WHERE line ~ '^''.*'' (is|means|ist|bedeutet) '
$$;
-- Days that are counted from today.
CREATE FUNCTION daily(said text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(regexp_replace(replace(replace(said, to_char(current_date + 1, 'YYYY-MM-DD'), 'TOMORROW'), to_char(current_date, 'YYYY-MM-DD'), 'TODAY'),
    to_char(current_date - 29, 'YYYY-MM-DD'), 'BEFORE', 'g'), to_char(current_date - 6, 'YYYY-MM-DD'), 'BEFORE')
$$;
SELECT text2sql.describe('orders', synonyms => '{Bestellungen}');
SET ROLE regress_curator;
-- Without a definition there is a default, and how to change it.
SELECT daily(unnest(warnings)) AS warning FROM text2sql.ask('How many recent orders are there?') AS a WHERE status = 'ok';
SET ROLE regress_analyst;
SELECT daily(unnest(warnings)) AS warning FROM text2sql.ask('How many recent orders are there?') AS a WHERE status = 'ok';
SELECT daily(unnest(warnings)) AS warning FROM text2sql.ask('Wie viele Bestellungen gab es in letzter Zeit?') AS a WHERE status = 'ok';
SET ROLE regress_curator;
SELECT text2sql.define('recent', period => 'last 7 days');
SELECT text2sql.define('fiscal year', period => 'year starting in April');
SELECT text2sql.define('Saison', 'wenn am meisten verkauft wird', period => 'vom 1. Oktober bis 31. März', synonyms => '{season}');
SELECT term, meaning, period, kind, status FROM text2sql.definitions ORDER BY id;
SELECT daily(facts('recent orders'));
SELECT facts('orders of fiscal year 2025');
SELECT facts('revenue in Q1 of fiscal year 2025/26 and season 2024/25');
SELECT facts('revenue per fiscal year');
-- The built-in engine reads the days.
SELECT answer, sql FROM text2sql.ask('How many orders were placed in fiscal year 2025?');
SELECT answer, sql FROM text2sql.ask('How many orders were placed before fiscal year 2025/26?');
SELECT answer, sql FROM text2sql.ask('Wie viele Bestellungen gab es in der Saison 2024/25?');
-- What is no period is refused.
SELECT text2sql.define('soon', period => 'soon');
SELECT text2sql.define('x', period => 'last 7 days', sql_expression => 'total > 1', applies_to => 'orders');
SELECT text2sql.define('x');
-- A word that the schema knows is no period.
RESET ROLE;
ALTER TABLE orders ADD COLUMN season text;
GRANT SELECT ON orders TO regress_curator;
SET ROLE regress_curator;
SELECT facts('orders of season 2024/25');
RESET ROLE;
ALTER TABLE orders DROP COLUMN season;
-- It is exported and imported.
SET ROLE regress_curator;
\pset format unaligned
SELECT text2sql.export_knowledge() AS taught \gset
\echo :taught
SELECT count(*) FILTER (WHERE outcome = 'taken') AS taken FROM text2sql.import_knowledge(:'taught', mode => 'replace');
SELECT text2sql.export_knowledge() = :'taught' AS is_the_same;
RESET ROLE;
DELETE FROM text2sql._definitions;
DROP FUNCTION facts, daily;
SELECT text2sql.forget('synonyms', 'orders');
