-- Samples by consent: frequent values, written and invented samples, in every prompt, marked as what they are.
\set SHOW_CONTEXT never
\pset null (null)
CREATE SCHEMA sampled;
CREATE ROLE regress_owner;
SELECT text2sql.grant_access('regress_owner', 'curator');
GRANT EXECUTE ON FUNCTION text2sql.protect(text, text) TO regress_owner;
GRANT ALL ON SCHEMA sampled TO regress_owner;
GRANT USAGE ON SCHEMA sampled TO regress_analyst, regress_curator;
SET ROLE regress_owner;
CREATE TABLE sampled."Parcels" (
    parcel_id integer PRIMARY KEY,
    channel text NOT NULL,
    code text,
    contact text,
    email text,
    weight numeric(6,2),
    state order_status,
    notes text);
INSERT INTO sampled."Parcels"
SELECT n, (ARRAY['web', 'store', 'kiosk'])[1 + n % 3], 'PX-' || (100 + n % 4), CASE WHEN n % 2 = 0 THEN 'anna@example.org' ELSE 'none' END,
       'none', n, 'paid', 'x'
FROM generate_series(1, 600) AS n;
ANALYZE sampled."Parcels";
GRANT SELECT ON sampled."Parcels" TO regress_curator;
GRANT SELECT (parcel_id, channel, weight) ON sampled."Parcels" TO regress_analyst;
RESET ROLE;
CREATE FUNCTION sampled.shown(question text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT line FROM regexp_split_to_table(
        text2sql.preview_prompt(question, options => '{"model": "regress_strict"}'), '\n') WITH ORDINALITY AS t(line, n)
    WHERE line ~ '^(sampled|  (parcel_id|channel|code|contact|email|weight|state|notes|[+] row) )' ORDER BY n
$$;
SELECT text2sql.add_model('regress_strict', 'openai', 'https://models.example/v1', 'none');
GRANT USAGE ON FOREIGN SERVER regress_strict TO regress_owner, regress_analyst, regress_curator;
SET ROLE regress_owner;
\echo nothing without consent
SELECT * FROM sampled.shown('How many parcels?');
\echo what may be shown
SELECT object, suggestion, reason, statement FROM text2sql.suggest('samples', '{schema sampled}');
SELECT text2sql.protect('sampled."Parcels".channel', 'sample');
SELECT kind, object, level FROM text2sql.protected WHERE object LIKE 'sampled%';
SELECT object FROM text2sql.suggest('samples', '{schema sampled}');
\echo refused: by name, by value, what is private, schemas, views
SELECT text2sql.protect('sampled."Parcels".email', 'sample');
SELECT text2sql.protect('sampled."Parcels".contact', 'sample');
SELECT text2sql.protect('sampled."Parcels".code', 'private');
SELECT text2sql.protect('sampled."Parcels".code', 'sample');
SELECT text2sql.describe('sampled."Parcels".code', samples => '"PX-1"');
SELECT text2sql.describe('sampled."Parcels".code', invented_samples => 3);
SELECT text2sql.protect('sampled."Parcels".code', 'open');
RESET ROLE;
SELECT text2sql.protect('schema sampled', 'sample');
SET ROLE regress_owner;
CREATE VIEW sampled.light AS SELECT * FROM sampled."Parcels" WHERE weight < 10;
SELECT text2sql.protect('sampled.light', 'sample');
DROP VIEW sampled.light;
\echo written and invented
SELECT text2sql.describe('sampled."Parcels".channel', samples => '["phone order"]');
SELECT text2sql.describe('sampled."Parcels"', samples => '{"channel": "web", "parcel_id": 1, "weight": 2.5, "code": null}');
SELECT text2sql.describe('sampled."Parcels".code', invented_samples => 2);
SELECT text2sql.describe('sampled."Parcels"', invented_samples => 1);
SELECT * FROM sampled.shown('How many parcels?');
SELECT table_name, sample, origin, problem, added_by FROM text2sql.samples WHERE table_name ~ 'Parcels' ORDER BY id;
\echo the same again is the same, and what is invented is replaced
SELECT text2sql.describe('sampled."Parcels".channel', samples => '"phone order"');
SELECT text2sql.describe('sampled."Parcels".code', invented_samples => 3);
SELECT origin, count(*) FROM text2sql.samples WHERE table_name ~ 'Parcels' GROUP BY 1 ORDER BY 1;
\echo all or none, and no message has the value
SELECT text2sql.describe('sampled."Parcels".channel', samples => '["fax", "anna@example.org"]');
SELECT text2sql.describe('sampled."Parcels".channel', samples => '["4111 1111 1111 1111"]');
SELECT text2sql.describe('sampled."Parcels".weight', samples => '"heavy"');
SELECT text2sql.describe('sampled."Parcels"', samples => '{"parcel_id": 2, "colour": "red"}');
SELECT text2sql.describe('sampled."Parcels"', samples => '"web"');
SELECT text2sql.describe('sampled."Parcels".channel', samples => '["a", "b", "c", "d", "e"]');
SELECT text2sql.describe('sampled."Parcels".channel', invented_samples => 9);
SELECT count(*) FROM text2sql.samples WHERE sample ? 'channel' AND sample ->> 'channel' = 'a';
\echo of a column that the caller cannot read nothing is shown
SET ROLE regress_analyst;
SELECT * FROM sampled.shown('How many parcels?');
SELECT sample FROM text2sql.samples WHERE table_name ~ 'Parcels' ORDER BY id;
\echo only the owner gives them
SELECT text2sql.describe('sampled."Parcels".channel', samples => '"x"');
SET ROLE regress_curator;
SELECT text2sql.describe('sampled."Parcels".channel', samples => '"x"');
SELECT text2sql.describe('sampled."Parcels"', invented_samples => 3);
SELECT text2sql.forget('sample', (SELECT min(id) FROM text2sql.samples WHERE table_name ~ 'Parcels'));
SELECT text2sql.forget('sample', -1);
SELECT text2sql.forget('sample', NULL);
\echo they follow a rename; a column that becomes private is not shown
SET ROLE regress_owner;
ALTER TABLE sampled."Parcels" RENAME COLUMN channel TO way;
ALTER TABLE sampled."Parcels" RENAME TO parcels;
SELECT kind, object, level FROM text2sql.protected WHERE object LIKE 'sampled%';
SELECT text2sql.protect('sampled.parcels.weight', 'private');
SELECT regexp_replace(line, '^  way', '  way') FROM sampled.shown('How many parcels?') AS line WHERE line ~ 'row|sampled';
SELECT sample, problem FROM text2sql.samples WHERE table_name ~ 'parcels' AND problem IS NOT NULL ORDER BY id;
SELECT text2sql.protect('sampled.parcels.weight', 'open');
ALTER TABLE sampled.parcels DROP COLUMN code;
SELECT sample, problem FROM text2sql.samples WHERE table_name ~ 'parcels' AND origin = 'written' ORDER BY id;
\echo a whole table, without what looks private
SELECT text2sql.protect('sampled.parcels.way', 'open');
SELECT text2sql.protect('sampled.parcels', 'sample');
SELECT line FROM sampled.shown('How many parcels?') AS line WHERE line ~ 'sample[)]|contact|email';
\echo row-level security: no values of rows, but what the owner writes
SELECT text2sql.protect('sampled.parcels', 'open');
ALTER TABLE sampled.parcels ENABLE ROW LEVEL SECURITY;
SELECT text2sql.protect('sampled.parcels.way', 'sample');
SELECT count(*) FROM text2sql.suggest('samples', '{sampled.parcels}');
SELECT text2sql.describe('sampled.parcels.way', samples => '"pigeon"');
RESET ROLE;
SELECT text2sql.forget('model', 'regress_strict');
DROP SCHEMA sampled CASCADE;
\echo those of dropped tables are for the owner of the extension
SELECT problem, count(*) FROM text2sql.samples GROUP BY 1;
SELECT count(*) FROM (SELECT text2sql.forget('sample', id) FROM text2sql.samples) AS forgotten;
SELECT text2sql.revoke_access('regress_owner');
DROP OWNED BY regress_owner;
DROP ROLE regress_owner;
