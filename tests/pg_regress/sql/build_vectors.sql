-- The vectors of a second embedder: what is refused. That they are found is tested in tests/server.
CALL text2sql.refresh(second_embedder => 'hash');
SET text2sql.embedding_model = 'hash';
SET client_min_messages = warning;
CALL text2sql.refresh();
RESET client_min_messages;
CALL text2sql.refresh(second_embedder => 'hash');
CALL text2sql.refresh(second_embedder => 'auto');
CALL text2sql.refresh(second_embedder => 'nobody');
CALL text2sql.refresh(second_embedder => NULL);
BEGIN;
CALL text2sql.refresh(second_embedder => 'local');
ROLLBACK;
SELECT text2sql.forget('vectors', 'hash');
SELECT text2sql.forget('vectors', NULL);
SELECT text2sql._vectors_of('hash') AS of_hash, text2sql._vectors_of(NULL) AS of_none;
SELECT count(*) FROM text2sql.status() WHERE item = 'second embedder';

SET default_transaction_read_only = on;
CALL text2sql.refresh(second_embedder => 'local');
SELECT text2sql.forget('vectors', 'local');
RESET default_transaction_read_only;
SET ROLE regress_analyst;
CALL text2sql.refresh(second_embedder => 'local');
SELECT text2sql.forget('vectors', 'local');
SELECT FROM text2sql._second_vectors;
RESET ROLE;
SET ROLE regress_curator;
SELECT text2sql.forget('vectors', 'local');
RESET ROLE;

-- The other files test questions without an index.
DELETE FROM text2sql._index_state;
