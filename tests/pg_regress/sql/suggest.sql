-- Suggestions of a model about objects without a description, for review.
\set SHOW_CONTEXT never
\pset null (null)
SET ROLE regress_curator;
SELECT * FROM text2sql.suggest_descriptions('{customers}');
SET text2sql.model = 'replay';
SELECT kind, object, term, suggestion, sql_expression FROM text2sql.suggest_descriptions('{countries,customers}');
SELECT kind, object, term, model, status FROM text2sql.suggestions ORDER BY id;
-- Nothing is used before it is accepted.
SELECT count(*) FROM text2sql._annotations;
SELECT count(*) FROM text2sql.definitions;
SELECT text2sql.describe('countries', 'where customers live');
SELECT object, outcome FROM text2sql.accept_suggestions();
SELECT object, description FROM text2sql.descriptions ORDER BY object;
SELECT term, sql_expression, applies_to FROM text2sql.definitions ORDER BY id;
SELECT kind, term, status, decided_by FROM text2sql.suggestions ORDER BY id;
SELECT text2sql.reject_suggestions();
SELECT text2sql.reject_suggestions();
SELECT * FROM text2sql.suggest_descriptions('{}');
SELECT * FROM text2sql.suggest_descriptions('{hr.salaries}');
SET ROLE regress_analyst;
SELECT count(*) FROM text2sql.suggestions;
RESET ROLE;
RESET text2sql.model;
DELETE FROM text2sql._suggestions;
DELETE FROM text2sql._annotations;
DELETE FROM text2sql._definitions;
