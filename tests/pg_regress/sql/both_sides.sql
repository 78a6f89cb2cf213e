-- Questions to tables and texts: two roles with different rights over the same texts.
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA both_sides;
CREATE TABLE both_sides.jackets (jacket_id integer PRIMARY KEY, model text NOT NULL);
CREATE TABLE both_sides.jacket_returns (
    return_id integer PRIMARY KEY, jacket_id integer NOT NULL REFERENCES both_sides.jackets, letter text NOT NULL,
    returned_on date NOT NULL, owned_by name NOT NULL);
INSERT INTO both_sides.jackets VALUES (1, 'Rain'), (2, 'Snow');
INSERT INTO both_sides.jacket_returns VALUES
    (1, 1, 'The zipper broke after two weeks, so I return the jacket.', '2025-03-02', 'regress_analyst'),
    (2, 1, 'Wrong colour: the jacket is blue, I wanted green.', '2025-03-09', 'regress_analyst'),
    (3, 2, 'The zipper is stuck, a secret of somebody else.', '2025-03-12', 'postgres');
ALTER TABLE both_sides.jacket_returns ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON both_sides.jacket_returns USING (owned_by = current_user);
GRANT USAGE ON SCHEMA both_sides TO regress_analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA both_sides TO regress_analyst;
SELECT text2sql.index_text('both_sides.jacket_returns.letter') IS NOT NULL AS indexed;
SELECT text2sql.add_document('Handbook', 'Jackets with a broken zipper are returned within 30 days.',
    source => 'handbook', readers => '{regress_analyst}') IS NOT NULL AS added;
SELECT text2sql.add_document('Minutes', 'The supplier of the zipper of the jackets is sued: confidential.') IS NOT NULL AS added;
SET search_path = both_sides;
SET ROLE regress_analyst;
SET text2sql.model = 'builtin';
-- Texts alone.
SELECT a.status, a.sql IS NULL AS no_sql, c ->> 'n' AS n, c ->> 'place' AS place, c ->> 'key' AS key
  FROM text2sql.ask('What do customers say about the zipper?') AS a, json_array_elements(a.citations) AS c
 ORDER BY c ->> 'place' COLLATE "C";
-- Both sides.
SELECT a.status, a.result_rows, c ->> 'place' AS place
  FROM text2sql.ask('Why are there so many jacket returns in 2025?') AS a, json_array_elements(a.citations) AS c
 ORDER BY c ->> 'place' COLLATE "C";
-- Tables alone: nothing is searched.
SELECT a.status, a.answer, a.citations IS NULL AS no_citations,
       (SELECT count(*) FROM text2sql.trace(a.trace_id) AS t WHERE t.stage IN ('choose_side', 'search_texts')) AS text_stages
  FROM text2sql.ask('How many jacket returns are there?') AS a;
-- None found.
SELECT status, answer, citations FROM text2sql.ask('What does the policy say about gift vouchers?');
RESET ROLE;
-- Another role reads other texts.
SELECT c ->> 'place' AS place
  FROM text2sql.ask('What do customers say about the zipper?') AS a, json_array_elements(a.citations) AS c
 WHERE c ->> 'place' IN ('Minutes', 'Handbook')
 ORDER BY 1;
RESET search_path;
SELECT text2sql.forget('document', id) FROM text2sql.documents WHERE title IN ('Handbook', 'Minutes');
SELECT text2sql.forget('text_index', 'both_sides.jacket_returns.letter');
-- With the last text gone, no question goes to the texts.
SELECT count(t.*) AS text_stages
  FROM text2sql.ask('What do customers say about the zipper?') AS a
  LEFT JOIN text2sql.trace(a.trace_id) AS t ON t.stage IN ('choose_side', 'search_texts');
DROP SCHEMA both_sides CASCADE;
RESET text2sql.model;
