-- Searching texts: how many, where, and in which language.
\set SHOW_CONTEXT never
BEGIN;
SET LOCAL text2sql.embedding_model = 'hash';
-- The vectors are of the embedder that the server has, and a NOTICE says that this session does without them.
SET LOCAL client_min_messages = warning;
SELECT count(text2sql.add_document('Fire ' || n, 'In case of fire leave by stairs number ' || n || '.', source => 'safety')) FROM generate_series(1, 4) AS n;
SELECT text2sql.add_document('Aufzüge', 'Die Aufzüge dürfen bei Feuer nicht benutzt werden.', source => 'sicherheit') > 0 AS added;
SELECT count(*) FROM text2sql.search_text('fire', 2);
SELECT count(*) FROM text2sql.search_text('fire', 50, 'safety');
-- Words of the document's own language are found in any of their forms.
SELECT citation FROM text2sql.search_text('Darf ich einen Aufzug benutzen?', within => 'sicherheit');
SELECT count(*) FROM text2sql.search_text('tax returns of submarines', within => 'safety');
-- A source may have a name that no table has without quotes.
SELECT text2sql.add_document('Drills', 'A fire drill is held in May.', source => 'Safety handbook 2026') > 0 AS added;
SELECT citation FROM text2sql.search_text('fire drill', within => 'Safety handbook 2026');
-- What is not a question or not a place.
SAVEPOINT before;
SELECT text2sql.search_text(NULL);
\echo :SQLSTATE
ROLLBACK TO before;
SELECT text2sql.search_text('fire', within => 'nowhere');
\echo :SQLSTATE
ROLLBACK TO before;
SELECT text2sql.search_text('fire', -1);
\echo :SQLSTATE
ROLLBACK TO before;
SELECT text2sql.search_text('   ');
\echo :SQLSTATE
ROLLBACK;
