-- The search index: derived by refresh() from the catalog, from stored knowledge and from the data. Run once by
-- CREATE EXTENSION, after the C functions. None of it is dumped: it is rebuilt. Every table has a primary key:
-- in a publication of all tables rows could not be deleted without one. Only refresh() and its like (src/pg/search/refresh) write it, and no role
-- has a privilege on it: the C code reads it as its owner and returns only what the caller can see.

-- The state of the index. No row: it was never built.
CREATE TABLE text2sql._index_state (
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
CREATE TABLE text2sql._index_documents (
    collection "char" NOT NULL,       -- s: schema, d: definitions, e: examples
    item oid NOT NULL,                -- OID of pg_class, or the id
    fingerprint int8 NOT NULL,        -- of all that the document was made of
    is_public boolean NOT NULL,       -- whether PUBLIC may read something of it
    terms text[] NOT NULL,
    words text[] NOT NULL,            -- of names, descriptions and synonyms as written; none of what is hidden
    totals int8[] NOT NULL,           -- items, item_terms, units, unit_terms: Totals in crates/text2sql_domain
    is_embedded boolean NOT NULL,
    PRIMARY KEY (collection, item)
);
CREATE INDEX ON text2sql._index_documents (item) WHERE collection = 's' AND is_public;
CREATE INDEX ON text2sql._index_documents (collection, item) WHERE NOT is_embedded;

-- Totals over the documents of a collection, so that they need not be counted.
CREATE TABLE text2sql._index_totals (
    collection "char" PRIMARY KEY,
    totals int8[] NOT NULL
);

-- The documents that contain a term: packed, see postings in crates/text2sql_retrieval.
CREATE TABLE text2sql._index_postings (
    collection "char" NOT NULL,
    term text NOT NULL,
    segment int8 NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (term, collection, segment)
);
-- Already packed: compression costs more than it saves.
ALTER TABLE text2sql._index_postings ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The column `embedding`, added below, has half precision: cosines differ by less than 0.001. refresh() makes an HNSW
-- index, for the dimension of the vectors, for each collection that has enough of them.
CREATE TABLE text2sql._index_vectors (
    collection "char" NOT NULL,
    item oid NOT NULL,
    unit int2 NOT NULL,               -- a part of the item: index/postings.rs in crates/text2sql_retrieval
    PRIMARY KEY (collection, item, unit)
);

-- The distinct words of all tables, without case and accents. With a column `embedding`, which is added below:
-- the vector of the word, where the embedder knows meaning. refresh() makes an HNSW index for enough of them.
CREATE TABLE text2sql._index_words (
    word text PRIMARY KEY,
    written text NOT NULL             -- in lower case with its accents, which the embedder reads
);

-- Foreign keys and other joins, for both directions: pg_constraint has no index by the referenced table.
CREATE TABLE text2sql._index_joins (
    from_table oid NOT NULL,
    from_columns text[] NOT NULL,
    to_table oid NOT NULL,
    to_columns text[] NOT NULL,
    certainty real,                   -- of a join that was inferred; NULL: declared, or accepted by a curator
    id int8 GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (from_table, id)
);
CREATE INDEX ON text2sql._index_joins (to_table, certainty DESC NULLS FIRST);

-- What refresh() counted for joins that nobody declared; read again when the rows of one of the tables change.
CREATE TABLE text2sql._index_join_counts (
    from_table oid NOT NULL,
    from_columns int2[] NOT NULL,
    to_table oid NOT NULL,
    to_columns int2[] NOT NULL,
    state text NOT NULL,              -- of the rows of both tables
    sampled int4 NOT NULL,            -- distinct values of the referencing columns
    found int4 NOT NULL,              -- of them in the referenced columns
    target_rows int4 NOT NULL,
    is_complete boolean NOT NULL,     -- all rows of the referenced table were looked through, or all values found
    has_duplicates boolean NOT NULL,  -- in the referenced columns
    lacks_values boolean NOT NULL,    -- the referencing table has rows, and none has a value
    PRIMARY KEY (from_table, to_table, from_columns, to_columns)
);

-- Families of tables with the same columns whose names differ in one part.
CREATE TABLE text2sql._index_families (
    key int8 NOT NULL,
    item oid NOT NULL,
    part text NOT NULL,
    id int8 GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (key, id)
);
CREATE INDEX ON text2sql._index_families (item);

-- Columns whose values were read.
CREATE TABLE text2sql._index_value_columns (
    relation oid NOT NULL,
    attribute int2 NOT NULL,
    is_complete boolean NOT NULL,     -- all values of the column are known
    PRIMARY KEY (relation, attribute)
);

-- The state of a table when its values were read.
CREATE TABLE text2sql._index_value_tables (
    relation oid PRIMARY KEY,
    rows text NOT NULL,               -- of the rows
    state text NOT NULL               -- of the columns, and of what the reading role might read
);

-- Tables whose rows Citus keeps on other servers. This server has no statistics of them.
CREATE TABLE text2sql._index_distributed_tables (
    relation oid PRIMARY KEY,
    rows float8 NOT NULL,             -- an estimate
    attributes int2[],                -- the columns that the following is about
    null_shares float8[],
    distinct_values float8[]          -- NULL: not known
);

-- Distinct values of a column, once for each of their keys; see values in crates/text2sql_retrieval.
CREATE TABLE text2sql._index_values (
    key text NOT NULL,
    relation oid NOT NULL,
    place int4 NOT NULL,              -- among those of the relation
    attribute int2 NOT NULL,
    value text NOT NULL,
    is_first boolean NOT NULL,        -- of the keys of this value
    PRIMARY KEY (key, relation, attribute, place)
);
CREATE INDEX ON text2sql._index_values (relation, attribute);

-- Each first key once, whatever the number of its columns.
CREATE TABLE text2sql._index_value_keys (
    key text PRIMARY KEY
);

-- The vectors of a second embedder, beside those of the index, for sessions whose text2sql.embedding_model names it:
-- made by refresh(), of the same texts. No row: there are none.
CREATE TABLE text2sql._second_embedder (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    model text NOT NULL,              -- as text2sql.embedding_model names it
    embedder text NOT NULL,           -- what made the vectors
    dimensions integer NOT NULL,
    started_at timestamptz NOT NULL,
    built_at timestamptz              -- when all were made for the first time; NULL: no session uses them yet
);

-- Items of _index_documents that have their vectors here. An item that is indexed anew is removed from here.
CREATE TABLE text2sql._second_documents (
    collection "char" NOT NULL,
    item oid NOT NULL,
    PRIMARY KEY (collection, item)
);

-- With a column `embedding`, as the tables of the index have. That of the vectors of passages is in documents.sql.
CREATE TABLE text2sql._second_vectors (
    collection "char" NOT NULL,
    item oid NOT NULL,
    unit int2 NOT NULL,
    PRIMARY KEY (collection, item, unit)
);
CREATE TABLE text2sql._second_words (
    word text PRIMARY KEY
);

-- The required extensions may be in a schema in which other roles have objects of the same names: only the
-- extensions' own objects are used.
DO $of_extensions$
DECLARE
    vector_type regtype;
    trigram_operators text;
BEGIN
    SELECT t.oid INTO vector_type
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
      JOIN pg_type t ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
     WHERE e.extname = 'vector' AND t.typname = 'halfvec';
    IF vector_type IS NULL THEN
        RAISE EXCEPTION 'the extension vector (pgvector) has no type halfvec'
            USING ERRCODE = 'feature_not_supported', HINT = 'Install pgvector 0.7.0 or newer and run: ALTER EXTENSION vector UPDATE';
    END IF;
    SELECT format('%I.%I', n.nspname, o.opcname) INTO STRICT trigram_operators
      FROM pg_extension e
      JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
      JOIN pg_opclass o ON d.classid = 'pg_opclass'::regclass AND d.objid = o.oid
      JOIN pg_am a ON a.oid = o.opcmethod AND a.amname = 'gin'
      JOIN pg_namespace n ON n.oid = o.opcnamespace
     WHERE e.extname = 'pg_trgm' AND o.opcname = 'gin_trgm_ops';
    EXECUTE format('ALTER TABLE text2sql._index_vectors ADD COLUMN embedding %s NOT NULL', vector_type);
    EXECUTE format('ALTER TABLE text2sql._index_words ADD COLUMN embedding %s', vector_type);
    EXECUTE format('ALTER TABLE text2sql._second_vectors ADD COLUMN embedding %s NOT NULL', vector_type);
    EXECUTE format('ALTER TABLE text2sql._second_words ADD COLUMN embedding %s NOT NULL', vector_type);
    EXECUTE format('CREATE INDEX ON text2sql._index_words USING gin (word %s)', trigram_operators);
    EXECUTE format('CREATE INDEX ON text2sql._index_value_keys USING gin (key %s)', trigram_operators);
END
$of_extensions$;
-- In the row where it fits: a search that reads all vectors would look up each one.
ALTER TABLE text2sql._index_vectors ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE text2sql._index_words ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE text2sql._second_vectors ALTER COLUMN embedding SET STORAGE MAIN;
ALTER TABLE text2sql._second_words ALTER COLUMN embedding SET STORAGE MAIN;

-- Objects changed by DDL since they were indexed, and grants to PUBLIC: a question reads these tables live. 0
-- means that the grants to PUBLIC are unknown. A relation may be recorded several times: DDL must never wait
-- for refresh(), which removes rows.
CREATE TABLE text2sql._index_changes (
    id int8 GENERATED ALWAYS AS IDENTITY,
    relation oid NOT NULL,
    PRIMARY KEY (relation, id)
);

-- Event triggers of the extension run at the DDL of all roles, which must neither fail nor wait because of
-- them. Each therefore does its work in a block that turns any error except a cancel into a warning that names
-- the missed change and the remedy; gives up on a lock soon; and is in PL/pgSQL, because without the library a
-- function in C could not even be called. Expressions that may fail are not defaults in the outermost DECLARE,
-- which is evaluated before the block.

-- Has the background worker started after a command, where the library is there.
CREATE FUNCTION text2sql._wake_for_ddl() RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $wake_for_ddl$
BEGIN
    PERFORM text2sql._wake_maintenance();
EXCEPTION WHEN undefined_file OR undefined_function OR feature_not_supported THEN
    -- If the library is missing, there is no worker to wake.
    NULL;
END
$wake_for_ddl$;

-- Records tables and views created or changed by DDL. As the owner, because the role that runs DDL has no
-- privilege on these tables.
CREATE FUNCTION text2sql._note_ddl() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
AS $note_ddl$
BEGIN
    -- A serializable transaction that reads here could fail because of concurrent DDL.
    IF current_setting('transaction_isolation') <> 'serializable' THEN
        IF NOT EXISTS (SELECT FROM text2sql._index_state)
           -- Beyond this number a refresh is due anyway, and a question reads only the first of them.
           OR (SELECT count(*) = 1000 FROM (SELECT FROM text2sql._index_changes LIMIT 1000) AS counted) THEN
            PERFORM text2sql._wake_for_ddl();
            RETURN;
        END IF;
    END IF;
    IF TG_TAG = 'GRANT' THEN
        -- Grants to roles are found by role; what PUBLIC can read is recorded in the index.
        BEGIN
            INSERT INTO text2sql._index_changes (relation)
            SELECT DISTINCT opened.oid
              FROM pg_event_trigger_ddl_commands() AS command,
                   unnest(text2sql._granted_to_public(command.command)) AS opened(oid)
             WHERE command.object_type = 'TABLE';
        EXCEPTION WHEN undefined_file OR undefined_function OR feature_not_supported THEN
            -- Unknown without the library.
            INSERT INTO text2sql._index_changes (relation) VALUES (0);
        END;
        RETURN;
    END IF;
    INSERT INTO text2sql._index_changes (relation)
    SELECT DISTINCT command.objid FROM pg_event_trigger_ddl_commands() AS command
     WHERE command.classid = 'pg_class'::regclass
       AND split_part(command.object_type, ' column', 1) IN ('table', 'view', 'materialized view', 'foreign table')
       AND command.schema_name NOT IN ('pg_temp', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
       AND (current_setting('transaction_isolation') = 'serializable'
            OR NOT EXISTS (SELECT FROM text2sql._index_changes AS known WHERE known.relation = command.objid));
    IF FOUND THEN
        PERFORM text2sql._wake_for_ddl();
    END IF;
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'could not record % for the text2sql search index: %', TG_TAG, SQLERRM
        USING DETAIL = format('SQLSTATE is %s. The command itself is not affected.', SQLSTATE),
              HINT = 'Run CALL text2sql.refresh();';
END
$note_ddl$;

-- Removes the records of dropped tables, so that databases that create and drop tables all day do not fill the
-- list. Does not wait; refresh() removes what is left.
CREATE FUNCTION text2sql._note_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms'
AS $note_drop$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed'
       OR NOT EXISTS (SELECT FROM text2sql._index_changes) THEN
        RETURN;
    END IF;
    DELETE FROM text2sql._index_changes AS known
     WHERE known.ctid = ANY (ARRAY(
        SELECT change.ctid FROM text2sql._index_changes AS change
         WHERE change.relation IN (
               SELECT dropped.objid FROM pg_event_trigger_dropped_objects() AS dropped
                WHERE dropped.classid = 'pg_class'::regclass AND dropped.objsubid = 0)
           FOR UPDATE SKIP LOCKED));
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'could not remove text2sql records after %: %', TG_TAG, SQLERRM
        USING DETAIL = format('SQLSTATE is %s. The command itself is not affected.', SQLSTATE),
              HINT = 'Run CALL text2sql.refresh();';
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

-- Knowledge about a table changes its document. As the owner, for the same reason.
CREATE FUNCTION text2sql._note_teaching() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $note_teaching$
DECLARE
    touched oid[] := '{}';
BEGIN
    -- OIDs from another catalog do not exist here, or only make a question read one table more.
    IF TG_TABLE_NAME = '_annotations' THEN
        IF TG_OP <> 'INSERT' THEN touched := touched || OLD.object_oid; END IF;
        IF TG_OP <> 'DELETE' THEN touched := touched || NEW.object_oid; END IF;
    ELSE
        -- What was inferred and nobody has decided about is in no document.
        IF TG_OP <> 'INSERT' AND OLD.status <> 'suggested' THEN touched := touched || OLD.object_oids; END IF;
        IF TG_OP <> 'DELETE' AND NEW.status <> 'suggested' THEN touched := touched || NEW.object_oids; END IF;
    END IF;
    INSERT INTO text2sql._index_changes (relation)
    SELECT DISTINCT known.oid FROM unnest(touched) AS known(oid)
     WHERE known.oid <> 0 AND EXISTS (SELECT FROM text2sql._index_state)
       AND NOT EXISTS (SELECT FROM text2sql._index_changes AS change WHERE change.relation = known.oid);
    IF FOUND THEN
        PERFORM text2sql._wake_maintenance();
    END IF;
    RETURN NULL;
END
$note_teaching$;
CREATE TRIGGER note_teaching AFTER INSERT OR UPDATE OR DELETE ON text2sql._annotations
    FOR EACH ROW EXECUTE FUNCTION text2sql._note_teaching();
CREATE TRIGGER note_teaching AFTER INSERT OR UPDATE OR DELETE ON text2sql._joins
    FOR EACH ROW EXECUTE FUNCTION text2sql._note_teaching();

-- A session remembers the state of the index until one of these changes.
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._index_state
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._index_totals
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._index_changes
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();
CREATE TRIGGER tell_sessions AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON text2sql._second_embedder
    FOR EACH STATEMENT EXECUTE FUNCTION text2sql._tell_sessions();

-- Only the functions of the extension read and write the index, as its owner. Roles with SELECT on all tables,
-- and members of pg_read_all_data, see no row.
ALTER TABLE text2sql._index_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_postings ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_words ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_joins ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_join_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_families ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_value_columns ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_value_tables ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_distributed_tables ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_value_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._index_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._second_embedder ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._second_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._second_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE text2sql._second_words ENABLE ROW LEVEL SECURITY;
