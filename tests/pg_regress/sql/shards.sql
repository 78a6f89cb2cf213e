-- What a coordinator of Citus asks its workers; scripts/test_citus.sh has the answers of some. Without Citus there are no
-- shards, and tables are none.
SELECT text2sql._shards();
SELECT text2sql._shard_statistics('pg_catalog.pg_class', ARRAY['relname'], ARRAY['relname']);
SELECT text2sql._shard_values('pg_catalog.pg_class', ARRAY['relname'], ARRAY['relname'], 1000);
SELECT text2sql._shard_values(NULL, ARRAY['relname'], ARRAY['relname'], 1000);
SELECT text2sql._shard_values('pg_catalog.pg_class', ARRAY['relname', 'relname'], ARRAY['relname'], 1000);
SELECT count(*) FROM text2sql._index_distributed_tables;
-- They are found by roles that may use the schema, as readers of all data may; the result is what these may read.
CREATE ROLE regress_shards_reader;
CREATE ROLE regress_shards_nobody;
GRANT pg_read_all_data TO regress_shards_reader;
SET ROLE regress_shards_reader;
SELECT text2sql._shards();
RESET ROLE;
SET ROLE regress_shards_nobody;
SELECT text2sql._shards();
RESET ROLE;
DROP ROLE regress_shards_reader, regress_shards_nobody;
