-- Suggestions of a model about objects without a description, for review.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
SELECT * FROM text2sql.suggest('descriptions', '{customers}');
SET text2sql.model = 'replay';
SELECT kind, object, suggestion, statement ~ '^SELECT text2sql.accept\(''suggestion'', \d+\);$' AS accepts FROM text2sql.suggest('descriptions', '{countries,customers}');
SELECT kind, object, term, model, status FROM text2sql.suggestions ORDER BY id;
-- Nothing is used before it is accepted.
SELECT count(*) FROM text2sql._annotations;
SELECT count(*) FROM text2sql.definitions;
SELECT text2sql.describe('countries', 'where customers live');
SELECT object, text2sql.accept('suggestion', id) FROM text2sql.suggestions WHERE status = 'open' ORDER BY id;
SELECT object, description FROM text2sql.descriptions ORDER BY object;
SELECT term, sql_expression, applies_to FROM text2sql.definitions ORDER BY id;
SELECT kind, term, status, decided_by FROM text2sql.suggestions ORDER BY id;
SELECT text2sql.reject('suggestion', id) FROM text2sql.suggestions WHERE status = 'open' ORDER BY id;
SELECT text2sql.accept('suggestion', NULL);
\echo kinds
SELECT text2sql.accept('anything', 1);
SELECT text2sql.accept('query', 1);
SELECT text2sql.reject(NULL, 1);
SELECT text2sql.reject('join', 1, 'a reason');
SELECT * FROM text2sql.suggest('descriptions', '{}');
SELECT * FROM text2sql.suggest('joins', '{customers}');
SELECT * FROM text2sql.suggest('songs');
SELECT * FROM text2sql.suggest('descriptions', '{hr.salaries}');
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.suggestions;
RESET ROLE;
RESET text2sql.model;
DELETE FROM text2sql._suggestions;
DELETE FROM text2sql._annotations;
DELETE FROM text2sql._definitions;
