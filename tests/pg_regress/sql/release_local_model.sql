-- The embedder in the process: builds without the feature say so, and nothing is to be released.
SET text2sql.embedding_model = 'local';
CALL text2sql.refresh();
SELECT text2sql.release_local_model();
-- Its model is a matter of the server's files.
SET ROLE regress_analyst;
SET text2sql.local_model_directory = '/srv/models/other';
SHOW text2sql.local_model_directory;
SELECT text2sql.release_local_model();
RESET ROLE;
RESET text2sql.embedding_model;
