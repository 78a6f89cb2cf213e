-- What guard.jsonl refers to. Run as superuser in an empty database.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
        CREATE ROLE analyst LOGIN;
    END IF;
END
$$;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, country text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, total numeric(12, 2));
CREATE SEQUENCE plain_seq;
INSERT INTO customers SELECT g, 'customer ' || g, 'DE' FROM generate_series(1, 10) g;
INSERT INTO orders SELECT g, 1 + g % 10, g FROM generate_series(1, 100) g;
GRANT SELECT ON customers, orders TO analyst;
GRANT USAGE ON SEQUENCE plain_seq TO analyst;
ANALYZE;
