-- What guard.jsonl refers to. Run as superuser in an empty database.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
        CREATE ROLE analyst LOGIN;
    END IF;
END
$$;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION hstore;
CREATE EXTENSION citext;
CREATE EXTENSION unaccent;
CREATE EXTENSION fuzzystrmatch;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION ltree;
CREATE EXTENSION intarray;
CREATE EXTENSION cube;
CREATE EXTENSION earthdistance;
CREATE EXTENSION isn;
CREATE EXTENSION tsm_system_rows;
-- Not trusted.
CREATE EXTENSION dblink;
CREATE EXTENSION tablefunc;
CREATE EXTENSION pgcrypto;
CREATE EXTENSION lo;
CREATE EXTENSION xml2;
CREATE EXTENSION file_fdw;
CREATE EXTENSION pgrowlocks;
-- Its library is in no package of some machines; guard.jsonl says `needs`.
DO $$
BEGIN
    CREATE EXTENSION "uuid-ossp";
EXCEPTION
    WHEN OTHERS THEN RAISE NOTICE 'uuid-ossp: %', SQLERRM;
END
$$;

CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, country text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, total numeric(12, 2));
CREATE TABLE events (
    id int PRIMARY KEY, at timestamptz NOT NULL, kind text, payload jsonb, labels text[],
    valid daterange, place point);
CREATE TABLE payroll (employee text PRIMARY KEY, salary numeric);
CREATE TABLE staff (id int PRIMARY KEY, name text, phone text);
CREATE SEQUENCE plain_seq;
INSERT INTO customers SELECT g, 'customer ' || g, 'DE' FROM generate_series(1, 10) g;
INSERT INTO orders SELECT g, 1 + g % 10, g FROM generate_series(1, 100) g;
INSERT INTO events
SELECT g, timestamptz '2025-01-01 00:00+00' + g * interval '7 hours', (ARRAY['click', 'view', 'buy'])[1 + g % 3],
    jsonb_build_object('amount', g, 'tags', jsonb_build_array('t' || g % 4, 'x')), ARRAY['l' || g % 5, 'all'],
    daterange(date '2025-01-01' + g, date '2025-01-01' + g + g % 9), point(g % 10, g % 7)
FROM generate_series(1, 200) g;
INSERT INTO payroll VALUES ('boss', 987654);
INSERT INTO staff VALUES (1, 'Ada', '555-0100');
GRANT SELECT ON customers, orders, events TO analyst;
GRANT SELECT (id, name) ON staff TO analyst;
GRANT USAGE ON SEQUENCE plain_seq TO analyst;

-- What careless and hostile people leave in a database.
CREATE SCHEMA trap;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
CREATE TABLE trap.journal (line text);
CREATE FUNCTION trap.note(text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
    $$BEGIN INSERT INTO trap.journal VALUES ($1); RETURN $1; END$$;
CREATE FUNCTION trap.payroll() RETURNS SETOF public.payroll LANGUAGE sql STABLE SECURITY DEFINER AS
    'SELECT * FROM public.payroll';
CREATE FUNCTION trap.liar(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN PERFORM pg_advisory_lock(77); RETURN true; END$$;
CREATE FUNCTION trap.any_sql(text) RETURNS text LANGUAGE plpgsql AS
    $$DECLARE result text; BEGIN EXECUTE $1 INTO result; RETURN result; END$$;
CREATE FUNCTION trap.harmless(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE PROCEDURE trap.finish() LANGUAGE plpgsql AS $$BEGIN COMMIT; END$$;
-- Code behind what does not look like a call.
CREATE DOMAIN trap.checked_text AS text CHECK (trap.liar(VALUE));
CREATE DOMAIN trap.checked_number AS int CHECK (trap.liar(VALUE::text));
CREATE TYPE trap.parcel AS (code trap.checked_text, weight int);
CREATE TYPE trap.box AS (inner_parcel trap.parcel);
CREATE TYPE trap.span AS RANGE (subtype = trap.checked_number);
CREATE TYPE trap.mood AS ENUM ('good', 'bad');
CREATE FUNCTION trap.mood_text(trap.mood) RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN trap.note('mood'); END$$;
CREATE CAST (trap.mood AS text) WITH FUNCTION trap.mood_text(trap.mood) AS IMPLICIT;
CREATE FUNCTION trap.collect(text, text) RETURNS text LANGUAGE sql AS 'SELECT trap.note($2)';
CREATE AGGREGATE trap.gather(text) (SFUNC = trap.collect, STYPE = text);
CREATE AGGREGATE trap.total(numeric) (SFUNC = numeric_add, STYPE = numeric, FINALFUNC = numeric_abs);
CREATE FUNCTION trap.matches(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT trap.note($1) IS NULL';
CREATE OPERATOR trap.~~> (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.matches);
CREATE FUNCTION public.margin(orders) RETURNS text LANGUAGE sql AS $$SELECT trap.note('margin')$$;
CREATE FUNCTION public.upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT trap.note($1::text)';
CREATE FUNCTION public.plus(date, numeric) RETURNS date LANGUAGE sql AS $$SELECT $1 + (trap.note('plus') IS NULL)::int$$;
CREATE OPERATOR public.+ (LEFTARG = date, RIGHTARG = numeric, FUNCTION = public.plus);
CREATE FUNCTION public.sum(text) RETURNS text LANGUAGE sql AS 'SELECT trap.note($1)';
-- Views.
CREATE VIEW trap.writing AS SELECT id, trap.note(name) AS name FROM customers;
CREATE VIEW trap.sleeping AS SELECT id, pg_sleep(1)::text AS pause FROM customers;
CREATE VIEW trap.numbering AS SELECT nextval('plain_seq') AS n;
CREATE VIEW trap.dumping AS SELECT table_to_xml('public.payroll', true, true, '') AS x;
CREATE VIEW trap.locking AS SELECT pg_try_advisory_lock(5) AS got;
CREATE VIEW trap.nested AS SELECT name FROM trap.writing;
CREATE VIEW trap.closed AS SELECT * FROM payroll;
CREATE VIEW trap.fine AS SELECT country, count(*) AS n FROM customers GROUP BY country;
CREATE VIEW trap.barrier WITH (security_barrier) AS SELECT id, total FROM orders WHERE total < 50;
CREATE MATERIALIZED VIEW trap.kept AS SELECT country, count(*) AS n FROM customers GROUP BY country;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE trap.far (line text) SERVER files OPTIONS (filename '/etc/hostname');
CREATE VIEW trap.far_view AS SELECT line FROM trap.far;
CREATE TABLE trap.parts (id int, line text) PARTITION BY LIST (id);
CREATE TABLE trap.parts_one PARTITION OF trap.parts FOR VALUES IN (1);
GRANT SELECT ON trap.writing, trap.sleeping, trap.numbering, trap.dumping, trap.locking, trap.nested, trap.fine,
    trap.barrier, trap.kept, trap.far, trap.far_view, trap.parts TO analyst;
CREATE TABLE trap.moods (id int, mood trap.mood, code trap.checked_text);
INSERT INTO trap.moods (id, mood) VALUES (1, 'good');
GRANT SELECT ON trap.moods TO analyst;
-- Row-level security whose policy calls a user's function must work.
CREATE FUNCTION trap.me() RETURNS text LANGUAGE plpgsql STABLE AS $$BEGIN RETURN current_user; END$$;
CREATE TABLE trap.notes (id int PRIMARY KEY, owner text, line text);
INSERT INTO trap.notes VALUES (1, 'analyst', 'mine'), (2, 'somebody', 'not mine');
ALTER TABLE trap.notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON trap.notes USING (owner = trap.me());
GRANT SELECT ON trap.notes TO analyst;
CREATE SCHEMA closed;
CREATE TABLE closed.thing (id int);
GRANT SELECT ON closed.thing TO analyst;
-- A cast to json, which functions that make JSON call at run time.
CREATE TYPE trap.paint AS ENUM ('red', 'blue');
CREATE FUNCTION trap.paint_json(trap.paint) RETURNS json LANGUAGE plpgsql AS
    $$BEGIN RETURN to_json(trap.note('paint')); END$$;
CREATE CAST (trap.paint AS json) WITH FUNCTION trap.paint_json(trap.paint);
CREATE TABLE trap.paints (id int, colour trap.paint);
INSERT INTO trap.paints VALUES (1, 'red');
GRANT SELECT ON trap.paints TO analyst;
CREATE TYPE trap.named AS (id int, relation regclass);
-- What only some versions have; guard.jsonl says `since` for the statements that refer to it.
DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE $sql$
            CREATE VIEW trap.json_writing AS SELECT json_array(trap.note(name)) AS names FROM customers;
            CREATE VIEW trap.json_fine AS SELECT json_objectagg(name: id) AS names FROM customers;
            GRANT SELECT ON trap.json_writing, trap.json_fine TO analyst$sql$;
    END IF;
    IF current_setting('server_version_num')::int >= 170000 THEN
        EXECUTE $sql$
            CREATE VIEW trap.json_rows AS SELECT e.id, t.tag FROM events e,
                json_table(e.payload, '$.tags[*]' columns (tag text path '$')) t;
            CREATE VIEW trap.json_checked AS
                SELECT json_value(payload, '$.amount' returning trap.checked_number error on error) AS n FROM events;
            CREATE VIEW trap.json_writing_rows AS SELECT t.tag FROM events e,
                json_table(e.payload, '$.tags[*]' columns (tag text path '$.x' default trap.note('x') on empty)) t;
            GRANT SELECT ON trap.json_rows, trap.json_checked, trap.json_writing_rows TO analyst$sql$;
    END IF;
    IF current_setting('server_version_num')::int >= 180000 THEN
        EXECUTE $sql$
            CREATE TABLE computed (
                id int, net numeric, gross numeric GENERATED ALWAYS AS (net * 1.19) VIRTUAL,
                margin numeric GENERATED ALWAYS AS (net * 0.3) VIRTUAL);
            INSERT INTO computed SELECT g, g FROM generate_series(1, 20) g;
            GRANT SELECT (id, net, gross) ON computed TO analyst;
            CREATE FUNCTION public.margin_text(computed) RETURNS text LANGUAGE sql AS
                'SELECT trap.note($1.margin::text)';
            CREATE VIEW computed_view AS SELECT id, gross FROM computed;
            GRANT SELECT ON computed_view TO analyst;
            CREATE TABLE prices (
                id int4range, price numeric, valid daterange, PRIMARY KEY (id, valid WITHOUT OVERLAPS));
            INSERT INTO prices VALUES ('[1,2)', 10, '[2025-01-01,2025-02-01)');
            GRANT SELECT ON prices TO analyst$sql$;
    END IF;
END
$$;
ANALYZE;
