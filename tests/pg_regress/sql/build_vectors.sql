-- The vectors of a second embedder: what is refused. That they are found is tested in tests/server.
CALL text2sql.build_vectors('hash');
SET text2sql.embedding_model = 'hash';
SET client_min_messages = warning;
CALL text2sql.refresh();
RESET client_min_messages;
CALL text2sql.build_vectors('hash');
CALL text2sql.build_vectors('auto');
CALL text2sql.build_vectors('nobody');
CALL text2sql.build_vectors(NULL);
BEGIN;
CALL text2sql.build_vectors('local');
ROLLBACK;
SELECT text2sql.drop_vectors('hash');
SELECT text2sql.drop_vectors(NULL);
SELECT text2sql._vectors_of('hash') AS of_hash, text2sql._vectors_of(NULL) AS of_none;
SELECT count(*) FROM text2sql.status() WHERE item = 'second embedder';

SET default_transaction_read_only = on;
CALL text2sql.build_vectors('local');
SELECT text2sql.drop_vectors('local');
RESET default_transaction_read_only;
SET ROLE regress_analyst;
CALL text2sql.build_vectors('local');
SELECT text2sql.drop_vectors('local');
SELECT FROM text2sql._second_vectors;
RESET ROLE;
SET ROLE regress_curator;
SELECT text2sql.drop_vectors('local');
RESET ROLE;

-- The other files test questions without an index.
DELETE FROM text2sql._index_state;
