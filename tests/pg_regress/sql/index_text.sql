-- Text columns as sources: whose they may be, and what they need.
\set SHOW_CONTEXT never
CREATE SCHEMA "Notes" AUTHORIZATION regress_analyst;
SET ROLE regress_analyst;
SET text2sql.embedding_model = 'hash';
CREATE TABLE "Notes"."Open calls" ("Day" date, "No." integer, "What was said" text, PRIMARY KEY ("Day", "No."));
INSERT INTO "Notes"."Open calls" VALUES ('2026-03-01', 1, 'The lift hums at night.'), ('2026-03-01', 2, NULL);
CREATE VIEW "Notes".called AS SELECT "What was said" AS said FROM "Notes"."Open calls";
RESET ROLE;
-- A key of several columns, and names that must be quoted.
SELECT text2sql.index_text('"Notes"."Open calls"."What was said"');
-- The vectors are of the embedder that the server has, and a NOTICE says that this session does without them.
SET client_min_messages = warning;
SELECT citation, passage, row_key FROM text2sql.search_text('Who complained about the lift?', within => '"Notes"."Open calls"');
RESET client_min_messages;
-- Again is not twice.
SELECT text2sql.index_text('"Notes"."Open calls"."What was said"');
SELECT title, metadata, language, problem FROM text2sql.documents WHERE kind = 'column';
-- Wrong objects.
SELECT text2sql.index_text('"Notes".called.said');
\echo :SQLSTATE
SELECT text2sql.index_text('"Notes"."Open calls"."Day"');
\echo :SQLSTATE
SELECT text2sql.index_text('"Notes"."Open calls"."What was said"', title => 'none_such');
\echo :SQLSTATE
SELECT text2sql.index_text('no_such_table.body');
\echo :SQLSTATE
SELECT text2sql.index_text(NULL);
\echo :SQLSTATE
SELECT text2sql.forget('text_index', '"Notes"."Open calls"."Day"');
\echo :SQLSTATE
-- A role that may not teach cannot index anything, not even a table of its own.
SELECT text2sql.forget('text_index', '"Notes"."Open calls"."What was said"');
CREATE TABLE "Notes".mine (id integer PRIMARY KEY, body text);
ALTER TABLE "Notes".mine OWNER TO regress_analyst;
SET ROLE regress_analyst;
SELECT text2sql.index_text('"Notes".mine.body');
\echo :SQLSTATE
RESET ROLE;
SELECT count(*) FROM text2sql._passages;
-- The first texts of a large table are searched at once, the others after an update, which commits in steps. The same
-- holds for changes and deleted rows.
CREATE TABLE "Notes".large (id integer PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE "Notes".large_1 PARTITION OF "Notes".large FOR VALUES FROM (0) TO (10);
CREATE TABLE "Notes".large_2 PARTITION OF "Notes".large FOR VALUES FROM (10) TO (20);
CREATE TABLE "Notes".large_3 PARTITION OF "Notes".large FOR VALUES FROM (20) TO (60);
INSERT INTO "Notes".large SELECT n, CASE n WHEN 30 THEN 'Walrus' ELSE 'Otter' END || repeat(' ', 600000) FROM generate_series(1, 30) AS n;
SELECT text2sql.index_text('"Notes".large.body');
SELECT count(DISTINCT key) BETWEEN 1 AND 29 AS first_texts FROM text2sql._passages;
SET client_min_messages = warning;
CALL text2sql.refresh();
SELECT count(DISTINCT key) AS texts FROM text2sql._passages;
SELECT row_key FROM text2sql.search_text('walrus', at_most => 1);
SELECT pg_stat_force_next_flush();
UPDATE "Notes".large SET body = 'A heron' WHERE id = 7;
SELECT pg_stat_force_next_flush();
DELETE FROM "Notes".large WHERE id > 25;
CALL text2sql.refresh();
SELECT count(DISTINCT key) AS texts FROM text2sql._passages;
SELECT row_key FROM text2sql.search_text('heron', at_most => 1);
SELECT count(*) FILTER (WHERE passage LIKE '%Walrus%') AS walrus FROM text2sql.search_text('walrus');
SELECT text2sql.forget('text_index', '"Notes".large.body');
RESET client_min_messages;
DROP SCHEMA "Notes" CASCADE;
SET client_min_messages = warning;
CALL text2sql.refresh();
RESET client_min_messages;
DELETE FROM text2sql._index_state;
