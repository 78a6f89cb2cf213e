-- The search index: what refresh() derives from the catalog, from what was taught and from the data.
-- Run once by CREATE EXTENSION, after the C functions. Nothing of it is dumped: it is built again.
-- Nobody but refresh() writes it, and nobody has a privilege on it: our C code reads it as its owner
-- and gives out what the caller may see.

-- What the index holds. No row: it was never built.
CREATE TABLE text2sql.index_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    format integer NOT NULL,          -- of the stored bytes; another one means: build anew
    language text NOT NULL,           -- of the stems
    embedder text NOT NULL,           -- what made the vectors; empty: there are none
    dimensions integer NOT NULL,
    started_at timestamptz NOT NULL,  -- of the refresh that runs or ran last
    done integer NOT NULL DEFAULT 0,  -- of this many tables, while it runs
    total integer NOT NULL DEFAULT 0,
    refreshed_at timestamptz,         -- when the last complete one ended
    refreshed_by name,
    seconds float8                    -- what it took
);

-- One row for each table, definition and example.
CREATE TABLE text2sql.index_documents (
    collection "char" NOT NULL,       -- s: schema, d: definitions, e: examples
    item oid NOT NULL,                -- OID of pg_class, or the id
    fingerprint int8 NOT NULL,        -- of all that the document was made of
    is_public boolean NOT NULL,       -- whether PUBLIC may read something of it
    terms text[] NOT NULL,
    totals int8[] NOT NULL,           -- items, item_terms, units, unit_terms: see Totals in core
    is_embedded boolean NOT NULL,
    PRIMARY KEY (collection, item)
);
CREATE INDEX ON text2sql.index_documents (item) WHERE collection = 's' AND is_public;
CREATE INDEX ON text2sql.index_documents (collection, item) WHERE NOT is_embedded;

-- Sums over the documents of a collection, so that nobody has to count.
CREATE TABLE text2sql.index_totals (
    collection "char" PRIMARY KEY,
    totals int8[] NOT NULL
);

-- Who holds a term: packed, see retrieve/postings.rs in core.
CREATE TABLE text2sql.index_postings (
    collection "char" NOT NULL,
    term text NOT NULL,
    segment int8 NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (term, collection, segment)
);
-- Packed already: compressing costs more than it saves.
ALTER TABLE text2sql.index_postings ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- refresh() makes an HNSW index for each collection with enough vectors, for their dimension.
CREATE TABLE text2sql.index_vectors (
    collection "char" NOT NULL,
    item oid NOT NULL,
    unit int2 NOT NULL,               -- a part of the item: see retrieve/postings.rs in core
    embedding vector NOT NULL,
    PRIMARY KEY (collection, item, unit)
);

-- Foreign keys, for both directions: pg_constraint has no index by the table referred to.
CREATE TABLE text2sql.index_joins (
    from_table oid NOT NULL,
    from_columns text[] NOT NULL,
    to_table oid NOT NULL,
    to_columns text[] NOT NULL
);
CREATE INDEX ON text2sql.index_joins (from_table);
CREATE INDEX ON text2sql.index_joins (to_table);

-- Families of tables with the same columns whose names differ in one part.
CREATE TABLE text2sql.index_families (
    key int8 NOT NULL,
    item oid NOT NULL,
    part text NOT NULL
);
CREATE INDEX ON text2sql.index_families (key);
CREATE INDEX ON text2sql.index_families (item);

-- Columns whose values were looked at.
CREATE TABLE text2sql.index_value_columns (
    relation oid NOT NULL,
    attribute int2 NOT NULL,
    is_complete boolean NOT NULL,     -- all values of the column are known
    PRIMARY KEY (relation, attribute)
);

-- The state that a table was in when its values were read.
CREATE TABLE text2sql.index_value_tables (
    relation oid PRIMARY KEY,
    rows text NOT NULL,               -- of the rows
    state text NOT NULL               -- of the columns, and of what the reading role might read
);

-- Distinct values of a column, once for each of their keys; see retrieve/values.rs in core.
CREATE TABLE text2sql.index_values (
    key text NOT NULL,
    relation oid NOT NULL,
    attribute int2 NOT NULL,
    value text NOT NULL,
    is_first boolean NOT NULL         -- of the keys of this value
);
CREATE INDEX ON text2sql.index_values (key, relation, attribute);
CREATE INDEX ON text2sql.index_values (relation, attribute);

-- Each first key once, whatever the number of columns that have it.
CREATE TABLE text2sql.index_value_keys (
    key text PRIMARY KEY
);
CREATE INDEX ON text2sql.index_value_keys USING gin (key gin_trgm_ops);

-- What DDL changed since it was indexed, and what PUBLIC was granted: a question reads these tables
-- live. 0 says that nobody knows what PUBLIC was granted. No key: DDL must never wait for refresh(), which takes rows away.
CREATE TABLE text2sql.index_changes (
    id int8 GENERATED ALWAYS AS IDENTITY,
    relation oid NOT NULL
);
CREATE INDEX ON text2sql.index_changes (relation);

-- Notes tables and views that DDL made or changed. As owner, because whoever runs DDL has no right
-- on our tables. In PL/pgSQL: were the library missing, a function in C would stop all DDL.
CREATE FUNCTION text2sql._note_ddl() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $note_ddl$
BEGIN
    -- A serializable transaction that reads here could fail because of another one's DDL.
    IF current_setting('transaction_isolation') <> 'serializable' THEN
        IF NOT EXISTS (SELECT FROM text2sql.index_state)
           -- After so many a refresh is due anyway, and a question reads only the first of them.
           OR (SELECT count(*) = 1000 FROM (SELECT FROM text2sql.index_changes LIMIT 1000) AS counted) THEN
            RETURN;
        END IF;
    END IF;
    IF TG_TAG = 'GRANT' THEN
        -- Grants to roles are found by role; what PUBLIC may read is noted in the index.
        BEGIN
            INSERT INTO text2sql.index_changes (relation)
            SELECT DISTINCT opened.oid
              FROM pg_event_trigger_ddl_commands() AS command,
                   unnest(text2sql._granted_to_public(command.command)) AS opened(oid)
             WHERE command.object_type = 'TABLE';
        EXCEPTION WHEN undefined_file OR undefined_function OR feature_not_supported THEN
            -- Without the library nobody can tell.
            INSERT INTO text2sql.index_changes (relation) VALUES (0);
        END;
        RETURN;
    END IF;
    INSERT INTO text2sql.index_changes (relation)
    SELECT DISTINCT command.objid FROM pg_event_trigger_ddl_commands() AS command
     WHERE command.classid = 'pg_class'::regclass
       AND split_part(command.object_type, ' column', 1) IN ('table', 'view', 'materialized view', 'foreign table')
       AND command.schema_name NOT IN ('pg_temp', 'text2sql', 'text2sql_perturbed')
       AND (current_setting('transaction_isolation') = 'serializable'
            OR NOT EXISTS (SELECT FROM text2sql.index_changes AS known WHERE known.relation = command.objid));
END
$note_ddl$;

-- Takes notes of dropped tables away, so that databases that make and drop tables all day do not
-- fill the list. Waits for nobody; refresh() takes away what is left.
CREATE FUNCTION text2sql._note_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $note_drop$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed'
       OR NOT EXISTS (SELECT FROM text2sql.index_changes) THEN
        RETURN;
    END IF;
    DELETE FROM text2sql.index_changes AS known
     WHERE known.ctid = ANY (ARRAY(
        SELECT change.ctid FROM text2sql.index_changes AS change
         WHERE change.relation IN (
               SELECT dropped.objid FROM pg_event_trigger_dropped_objects() AS dropped
                WHERE dropped.classid = 'pg_class'::regclass AND dropped.objsubid = 0)
           FOR UPDATE SKIP LOCKED));
END
$note_drop$;

CREATE EVENT TRIGGER text2sql_note_ddl ON ddl_command_end
    WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'CREATE VIEW',
                 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'CREATE SCHEMA',
                 'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'IMPORT FOREIGN SCHEMA', 'COMMENT', 'GRANT')
    EXECUTE FUNCTION text2sql._note_ddl();
CREATE EVENT TRIGGER text2sql_note_drop ON sql_drop
    WHEN TAG IN ('DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW', 'DROP FOREIGN TABLE', 'DROP SCHEMA', 'DROP OWNED')
    EXECUTE FUNCTION text2sql._note_drop();

-- What is taught about a table makes its document another one. As owner, for the same reason.
CREATE FUNCTION text2sql._note_teaching() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $note_teaching$
DECLARE
    touched oid[] := '{}';
BEGIN
    -- OIDs that came from another catalog are nobody's here, or only make a question read one table more.
    IF TG_TABLE_NAME = 'annotations' THEN
        IF TG_OP <> 'INSERT' THEN touched := touched || OLD.object_oid; END IF;
        IF TG_OP <> 'DELETE' THEN touched := touched || NEW.object_oid; END IF;
    ELSE
        IF TG_OP <> 'INSERT' THEN touched := touched || OLD.object_oids; END IF;
        IF TG_OP <> 'DELETE' THEN touched := touched || NEW.object_oids; END IF;
    END IF;
    INSERT INTO text2sql.index_changes (relation)
    SELECT DISTINCT known.oid FROM unnest(touched) AS known(oid)
     WHERE known.oid <> 0 AND EXISTS (SELECT FROM text2sql.index_state)
       AND NOT EXISTS (SELECT FROM text2sql.index_changes AS change WHERE change.relation = known.oid);
    RETURN NULL;
END
$note_teaching$;
CREATE TRIGGER note_teaching AFTER INSERT OR UPDATE OR DELETE ON text2sql.annotations
    FOR EACH ROW EXECUTE FUNCTION text2sql._note_teaching();
CREATE TRIGGER note_teaching AFTER INSERT OR UPDATE OR DELETE ON text2sql.joins
    FOR EACH ROW EXECUTE FUNCTION text2sql._note_teaching();
