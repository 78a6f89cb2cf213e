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
