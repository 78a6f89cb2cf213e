-- What keeps the search index up to date without a call of refresh(). Run once by CREATE EXTENSION, after knowledge.sql
-- and search_index.sql. See src/pg/search/maintenance.

-- How the last background worker ended, and when the next one may start. No row: none has run.
CREATE TABLE text2sql._maintenance (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    ended_at timestamptz NOT NULL,
    seconds float8 NOT NULL,
    not_before timestamptz NOT NULL,  -- for changes that are recorded
    next_at timestamptz NOT NULL,     -- to look for others
    made_with text,                   -- embedder and language
    tables_at_once integer,           -- indexed when all of them were read by the words of all
    values_read_as name,
    no_values_because text,
    failures integer NOT NULL DEFAULT 0,
    error text
);
ALTER TABLE text2sql._maintenance ENABLE ROW LEVEL SECURITY;

-- Indexes definitions and examples in the transaction that stores them. An error leaves the work to the background
-- worker, which reports it.
CREATE FUNCTION text2sql._index_taught() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
AS $index_taught$
BEGIN
    IF text2sql._is_transaction_block() THEN
        -- Until its end nobody else could write the index.
        PERFORM text2sql._wake_maintenance();
        RETURN NULL;
    END IF;
    BEGIN
        PERFORM text2sql._index_item(
            CASE TG_TABLE_NAME WHEN '_definitions' THEN 'd' ELSE 'e' END,
            CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END);
    EXCEPTION WHEN OTHERS THEN
        RAISE DEBUG 'the text2sql search index takes this in later: %', SQLERRM;
    END;
    RETURN NULL;
END
$index_taught$;
CREATE TRIGGER index_taught
    AFTER INSERT OR DELETE OR UPDATE OF term, meaning, synonyms ON text2sql._definitions
    FOR EACH ROW EXECUTE FUNCTION text2sql._index_taught();
CREATE TRIGGER index_taught
    AFTER INSERT OR DELETE OR UPDATE OF question, sql, verified_at ON text2sql._examples
    FOR EACH ROW EXECUTE FUNCTION text2sql._index_taught();
