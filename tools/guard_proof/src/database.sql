-- What the generated statements read: every kind of relation, most types, some traps.
SET client_min_messages = warning;
CREATE EXTENSION pg_text2sql CASCADE;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION hstore;
CREATE EXTENSION citext;
CREATE EXTENSION unaccent;
CREATE EXTENSION fuzzystrmatch;
CREATE EXTENSION ltree;
CREATE EXTENSION intarray;
CREATE EXTENSION cube;
CREATE EXTENSION isn;
CREATE EXTENSION pgcrypto;
CREATE EXTENSION dblink;
CREATE EXTENSION lo;
SELECT text2sql.grant_access('proof_analyst');
CREATE TYPE public.mood AS ENUM ('good', 'bad');
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, country "char", mood mood, since date, secret text);
CREATE TABLE shop.orders (
    id bigint PRIMARY KEY, customer int REFERENCES shop.customers, total numeric(12, 2), placed timestamptz, paid bool);
CREATE TABLE shop.things (
    a smallint, b int, c bigint, d numeric, e real, f float8, g text, h varchar(20), i "char", j name, k bytea, l date,
    m time, n timetz, o timestamp, p timestamptz, q interval, r uuid, s json, t jsonb, u inet, v cidr, w macaddr,
    x varbit, y tsvector, z tsquery, aa point, ab box, ac circle, ad polygon, ae int4range, af tstzrange,
    ag int4multirange, ah int[], ai text[], aj float8[], ak money, al hstore, am citext, an ltree, ao cube, ap path,
    aq lseg, ar jsonpath, at oid, au xml, av numrange, aw daterange, ax regtype);
CREATE TABLE shop.parted (id int, part int, label text) PARTITION BY LIST (part);
CREATE TABLE shop.parted_one PARTITION OF shop.parted FOR VALUES IN (1);
CREATE TABLE shop.parted_rest PARTITION OF shop.parted DEFAULT;
CREATE TABLE shop.own_rows (id int, owner name, note text);
CREATE TABLE public.tags (tag text, weight float8);
CREATE TABLE shop.payroll (employee text, salary numeric);
CREATE SEQUENCE shop.counter;
INSERT INTO shop.customers
SELECT n, 'customer ' || n, chr(97 + n % 5)::"char", (ARRAY['good', 'bad'])[1 + n % 2]::mood, DATE '2024-01-01' + n, md5(n::text)
FROM generate_series(1, 25) n;
INSERT INTO shop.orders
SELECT n, 1 + n % 25, n * 1.25, TIMESTAMPTZ '2025-01-01' + n * INTERVAL '5 hours', n % 3 = 0 FROM generate_series(1, 60) n;
INSERT INTO shop.things
SELECT n, n * 3, n::bigint * 100000, n / 7.0, n / 3.0, sqrt(n), 'text ' || n, 'var' || n, 'x', 'name' || n,
    decode(md5(n::text), 'hex'), DATE '2025-01-01' + n, TIME '08:00' + n * INTERVAL '1 min', '08:00+02',
    TIMESTAMP '2025-01-01' + n * INTERVAL '1 day', TIMESTAMPTZ '2025-01-01' + n * INTERVAL '1 hour', n * INTERVAL '1 day',
    md5(n::text)::uuid, json_build_object('n', n), jsonb_build_object('n', n, 'list', jsonb_build_array(n, n + 1)),
    ('10.0.0.' || n)::inet, '10.0.0.0/8', '08:00:2b:01:02:03', n::bit(8)::varbit, to_tsvector('simple', 'word ' || n),
    'word & x', point(n, -n), box(point(0, 0), point(n, n)), circle(point(0, 0), n), '((0,0),(1,0),(1,1))',
    int4range(n, n + 5), tstzrange('2025-01-01', '2025-02-01'), int4multirange(int4range(1, n + 1)), ARRAY[n, 1, 2],
    ARRAY['a', n::text], ARRAY[n, 0.5], n::money, hstore('n', n::text), 'Text' || n, 'a.b.c', cube(n), '[(0,0),(1,1)]',
    '[(0,0),(1,1)]', '$.n', n, '<a>x</a>', numrange(n, n + 1), daterange('2025-01-01', '2025-03-01'), 'integer'
FROM generate_series(1, 12) n;
INSERT INTO shop.things (b) VALUES (NULL);
INSERT INTO shop.parted SELECT n, n % 3, 'label ' || n FROM generate_series(1, 20) n;
INSERT INTO shop.own_rows SELECT n, (ARRAY['proof_analyst', 'somebody'])[1 + n % 2], 'note ' || n FROM generate_series(1, 10) n;
INSERT INTO public.tags SELECT 'tag ' || n, n / 2.0 FROM generate_series(1, 10) n;
INSERT INTO shop.payroll VALUES ('boss', 987654);
CREATE VIEW shop.big_orders AS SELECT id, customer, total FROM shop.orders WHERE total > 10;
CREATE VIEW shop.barrier WITH (security_barrier) AS SELECT id, name FROM shop.customers WHERE country = 'a';
CREATE MATERIALIZED VIEW shop.per_customer AS SELECT customer, count(*) AS n, sum(total) AS total FROM shop.orders GROUP BY 1;
CREATE FUNCTION shop.write_note(text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
    $$BEGIN INSERT INTO shop.own_rows VALUES (0, 'x', $1); RETURN $1; END$$;
CREATE FUNCTION shop.liar(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER AS
    $$BEGIN PERFORM pg_advisory_lock($1); RETURN true; END$$;
CREATE FUNCTION shop.me() RETURNS name LANGUAGE plpgsql STABLE AS $$BEGIN RETURN current_user; END$$;
CREATE VIEW shop.evil AS SELECT id, shop.write_note(name) AS note FROM shop.customers;
ALTER TABLE shop.own_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON shop.own_rows USING (owner = shop.me());
SELECT lo_from_bytea(4711, 'a large object');
GRANT SELECT ON shop.orders, shop.things, shop.parted, shop.own_rows, public.tags, shop.big_orders, shop.barrier,
    shop.per_customer, shop.evil TO proof_analyst;
GRANT SELECT (id, name, country, mood, since) ON shop.customers TO proof_analyst;
GRANT USAGE ON SEQUENCE shop.counter TO proof_analyst;
GRANT UPDATE ON LARGE OBJECT 4711 TO proof_analyst;
GRANT INSERT, UPDATE, DELETE, TRUNCATE ON shop.orders, public.tags TO proof_analyst;
GRANT CREATE ON SCHEMA public, shop TO proof_analyst;
VACUUM (FREEZE, ANALYZE);
