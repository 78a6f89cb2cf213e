-- The embedder in the process: builds without the feature raise an error, and there is nothing to release.
SET text2sql.embedding_model = 'local';
CALL text2sql.refresh();
SELECT text2sql.forget('memory', 'local');
-- Its model is a directory of the server.
SET ROLE regress_analyst;
SET text2sql.local_model_directory = '/srv/models/other';
\set VERBOSITY sqlstate
SHOW text2sql.local_model_directory;
\set VERBOSITY default
SELECT text2sql.forget('memory', 'local');
RESET ROLE;
RESET text2sql.embedding_model;
-- One verb for all that was taught, imported or kept. A kind that does not exist, and arguments of another kind.
\set SHOW_CONTEXT never
SET ROLE regress_curator;
SELECT text2sql.forget(NULL, 'x');
SELECT text2sql.forget('song', 'x');
SELECT text2sql.forget('song', 17);
SELECT text2sql.forget('example', 'seventeen');
SELECT text2sql.forget('example', NULL::bigint);
SELECT text2sql.forget('example', 17, applies_to => 'orders');
SELECT text2sql.forget('example', '17', applies_to => 'orders');
SELECT text2sql.forget('synonyms', 'orders', include_verified => true);
SELECT text2sql.forget('memory', 'all');
-- What is not there is said, with where to look.
SELECT text2sql.forget('example', 123456789);
SELECT text2sql.forget('definition', 'nobody defined this');
SELECT text2sql.forget('import', 'no such source');
-- An id may be text, as drivers send it.
SELECT text2sql.add_example('forgotten', 'SELECT 1 FROM orders') AS example \gset
SELECT kind, outcome, reason FROM text2sql.forget('example', :'example');
SELECT count(*) FROM text2sql.examples WHERE question = 'forgotten';
SELECT text2sql.describe('orders', 'what was bought', synonyms => '{purchases,Einkauf}');
SELECT * FROM text2sql.forget('synonyms', 'orders', synonyms => '{Einkauf}');
SELECT * FROM text2sql.forget('description', 'orders');
SELECT description, synonyms FROM text2sql.descriptions WHERE object = 'public.orders';
SELECT * FROM text2sql.forget('synonyms', 'orders');
SELECT count(*) FROM text2sql.descriptions WHERE object = 'public.orders';
-- Knowledge is a curator's; own questions are everybody's.
SET ROLE regress_analyst;
SELECT text2sql.forget('example', 17);
SELECT text2sql.forget('definition', 'revenue');
SELECT * FROM text2sql.forget('conversation', 'never begun');
RESET ROLE;
