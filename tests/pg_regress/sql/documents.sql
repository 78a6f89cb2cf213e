-- Documents and indexed texts: who finds what. All in a transaction that is rolled back: roles belong to the cluster.
\set ON_ERROR_ROLLBACK on
BEGIN;
SET LOCAL text2sql.maintenance_interval = 0;
SET LOCAL text2sql.embedding_model = 'hash';
CREATE ROLE regress_writer;
CREATE ROLE regress_reader;
CREATE ROLE regress_stranger;
SELECT text2sql.grant_access('regress_writer', 'curator');
SELECT text2sql.grant_access('regress_reader'), text2sql.grant_access('regress_stranger');
CREATE SCHEMA shelf AUTHORIZATION regress_writer;
GRANT USAGE ON SCHEMA shelf TO regress_reader, regress_stranger;
SET LOCAL ROLE regress_writer;
CREATE TABLE shelf.reviews (review_id integer PRIMARY KEY, shop text, title text, body text);
INSERT INTO shelf.reviews VALUES (1, 'north', 'Zipper', 'The zipper of the jacket broke after two weeks.'),
    (2, 'south', 'Gold', 'A zipper of gold for the king.'), (3, 'south', NULL, NULL), (4, 'south', 'Empty', ' ');

-- Documents are cut at headings, and cited with them.
SELECT text2sql.add_document('Returns policy', E'# Jackets\nA jacket with a broken zipper can be returned within thirty days.\n\n# Shoes\nShoes are not taken back.',
    source => 'handbook', readers => '{regress_reader}') > 0 AS added;
SELECT text2sql.add_document('Board minutes', 'The supplier of the zipper is sued. Keep it secret.', source => 'board') > 0 AS added;
SELECT title, source, language, owner_name, readers FROM text2sql.documents WHERE kind = 'document' ORDER BY title;
SELECT citation, passage, source FROM text2sql.search_text('broken zipper') ORDER BY citation;

-- Texts of rows.
SELECT text2sql.index_text('shelf.reviews.body', title => 'shelf.reviews.title');
SELECT title, source, metadata, language, problem, owner_name FROM text2sql.documents WHERE kind = 'column';
SELECT citation, passage, table_name, row_key FROM text2sql.search_text('zipper', within => 'shelf.reviews') ORDER BY citation;

-- Others find what they may read at this moment.
SET LOCAL ROLE regress_reader;
SELECT citation FROM text2sql.search_text('zipper') ORDER BY 1;
SELECT title FROM text2sql.documents WHERE kind = 'document' ORDER BY 1;
SET LOCAL ROLE regress_stranger;
SELECT citation FROM text2sql.search_text('zipper') ORDER BY 1;
SELECT count(*) FROM text2sql._documents;
SET LOCAL ROLE regress_writer;
GRANT SELECT ON shelf.reviews TO regress_reader;
ALTER TABLE shelf.reviews ENABLE ROW LEVEL SECURITY;
CREATE POLICY north ON shelf.reviews TO regress_reader USING (shop = 'north');
SET LOCAL ROLE regress_reader;
SELECT citation FROM text2sql.search_text('zipper') ORDER BY 1;
SET LOCAL ROLE regress_writer;
DROP POLICY north ON shelf.reviews;
SET LOCAL ROLE regress_reader;
SELECT citation FROM text2sql.search_text('zipper') ORDER BY 1;
SET LOCAL ROLE regress_writer;
ALTER TABLE shelf.reviews DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON shelf.reviews FROM regress_reader;
GRANT SELECT (review_id, title, shop) ON shelf.reviews TO regress_reader;
SET LOCAL ROLE regress_reader;
SELECT count(*) FROM text2sql.search_text('zipper', within => 'shelf.reviews');

-- A row that has changed is read as it is.
SET LOCAL ROLE regress_writer;
UPDATE shelf.reviews SET body = 'The zipper was repaired.' WHERE review_id = 1;
UPDATE shelf.reviews SET body = 'Nothing to say.' WHERE review_id = 2;
SELECT citation, passage FROM text2sql.search_text('zipper', within => 'shelf.reviews') ORDER BY 1;

-- Sharing, protection.
SELECT text2sql.add_document(id => id, readers => '{public}') FROM text2sql.documents WHERE source = 'board';
SET LOCAL ROLE regress_stranger;
SELECT citation, is_private FROM text2sql.search_text('zipper') ORDER BY 1;
SET LOCAL ROLE regress_writer;
SELECT text2sql.add_document(id => id, readers => '{}') FROM text2sql.documents WHERE source = 'board';
RESET ROLE;
SELECT text2sql.protect('source:handbook', 'private');
SELECT text2sql.protect('source:board', 'hidden');
SET LOCAL ROLE regress_writer;
SELECT citation, is_private FROM text2sql.search_text('zipper', within => 'handbook') ORDER BY 1;
SELECT count(*) FROM text2sql.search_text('supplier', within => 'board');

-- Import: all or nothing.
SELECT * FROM text2sql.import_knowledge(E'{"title": "One", "body": "Umbrellas are lent."}\n\n{"title": "Two", "body": "Regenschirme werden verliehen.", "metadata": {"page": 2}}', 'documents', source => 'lists');
SELECT * FROM text2sql.import_knowledge('{"title": "One", "body": "Umbrellas are sold."}', 'documents', source => 'lists', mode => 'replace');
SELECT title, body, metadata FROM text2sql.documents WHERE source = 'lists' ORDER BY title;
SELECT passage FROM text2sql.search_text('umbrellas', within => 'lists');

-- A role that is created with the name of a dropped one reads nothing.
RESET ROLE;
SET LOCAL ROLE regress_writer;
SELECT text2sql.add_document('For a stranger', 'Only the stranger reads about parrots.', readers => '{regress_stranger}') > 0 AS added;
RESET ROLE;
DROP OWNED BY regress_stranger;
DROP ROLE regress_stranger;
CREATE ROLE regress_stranger;
SELECT text2sql.grant_access('regress_stranger');
SET LOCAL ROLE regress_stranger;
SELECT count(*) FROM text2sql.documents WHERE kind = 'document';
SELECT count(*) FROM text2sql.search_text('parrots');
RESET ROLE;

-- Bad input.
SELECT text2sql.add_document('Schlicht', 'Die Regenschirme', language => 'simple') AS plain \gset
SELECT language FROM text2sql.documents WHERE id = :plain;
SELECT text2sql.add_document('t', 'x', language => 'klingon');
SELECT text2sql.add_document('t', id => :plain);
SELECT text2sql.add_document(NULL, 'x');
SELECT text2sql.add_document('t', '  ');
SELECT text2sql.add_document('t', 'x', metadata => '[]');
SELECT text2sql.add_document('t', 'x', readers => '{nobody_of_this_name}');
SELECT text2sql.import_knowledge(E'{"title": "ok", "body": "ok"}\n{"title": "t"}', 'documents');
SELECT text2sql.import_knowledge('{"title": "ok", "body": "ok"}', 'documents', on_error => 'skip');
SELECT text2sql.import_knowledge('term,meaning', 'glossary', readers => '{public}');
SELECT text2sql.import_knowledge(E'{"title": "ok", "body": "a\\u0000b"}', 'documents');
SELECT count(*) FROM text2sql.documents WHERE title = 'ok';
SELECT text2sql.forget('document', 0);
SELECT text2sql.search_text('x', 0);
SELECT text2sql.protect('source:handbook', 'secret');
SELECT text2sql.index_text('shelf.reviews.review_id');
CREATE TABLE shelf.no_key (t text);
SELECT text2sql.index_text('shelf.no_key.t');
SET LOCAL ROLE regress_reader;
SELECT text2sql.add_document('t', 'x');
SELECT text2sql.protect('source:handbook', 'open');
RESET ROLE;

-- Dropped objects.
SELECT text2sql.forget('text_index', 'shelf.reviews.body');
SELECT count(*) FROM text2sql.search_text('zipper', within => 'shelf.reviews');
SELECT text2sql.index_text('shelf.reviews.body');
ALTER TABLE shelf.reviews RENAME TO opinions;
SELECT title, problem FROM text2sql.documents WHERE kind = 'column';
DROP TABLE shelf.opinions;
SELECT count(*) FROM text2sql.search_text('zipper');
SELECT item, value FROM text2sql.status() WHERE item = 'texts';
SELECT count(*) > 0 AS dropped FROM (SELECT text2sql.forget('document', id) FROM text2sql.documents WHERE kind = 'document') AS forgotten;
SELECT count(*) FROM text2sql._passages;
ROLLBACK;
