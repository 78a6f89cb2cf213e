-- The error of writing SQL functions on a standby and in a read-only transaction; functions in Rust raise the
-- same (src/pg/server/spi/queries.rs). Run once by CREATE EXTENSION.

CREATE FUNCTION text2sql._require_writable(refused text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $require_writable$
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE EXCEPTION '% on a standby or in a read-only transaction', refused
            USING ERRCODE = 'read_only_sql_transaction',
                  HINT = 'Call the function on the primary server, outside a read-only transaction.';
    END IF;
END
$require_writable$;
COMMENT ON FUNCTION text2sql._require_writable(text) IS 'Raises an error on a standby or in a read-only transaction.';
