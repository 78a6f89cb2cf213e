-- Tables for tests/citus/refresh.sh: names that need quotes, partitions, one shard, many rows, and an owner whose
-- functions must not run.
SET client_min_messages = warning;
SET citus.shard_count = 4;
CREATE SCHEMA "Far Away";
CREATE TYPE mood AS ENUM ('calm', 'angry');
CREATE TABLE "Far Away"."Visits" ("Visit Id" int PRIMARY KEY, "Kind ""of"" Visit" text COLLATE "en-x-icu", letters char(20), mood mood, "note" text);
SELECT create_distributed_table('"Far Away"."Visits"', 'Visit Id');
INSERT INTO "Far Away"."Visits" SELECT g, (ARRAY['Rückruf', 'walk-in'])[1 + g % 2], 'padded', 'calm', CASE WHEN g % 4 = 0 THEN repeat('x', 300) END FROM generate_series(1, 40) g;
CREATE TABLE readings (device int, taken date, quality text) PARTITION BY RANGE (taken);
CREATE TABLE readings_1 PARTITION OF readings FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE readings_2 PARTITION OF readings FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
SELECT create_distributed_table('readings', 'device');
INSERT INTO readings SELECT g, date '2026-01-01' + g % 50, (ARRAY['dubious', 'precise'])[1 + g % 2] FROM generate_series(1, 100) g;
CREATE TABLE settings_of_one (name text, value text);
SELECT create_distributed_table('settings_of_one', NULL);
INSERT INTO settings_of_one VALUES ('colour', 'turquoise');
-- Not analyzed, as whoever creates it finds it.
CREATE TABLE huge (id int, grade text);
SELECT create_distributed_table('huge', 'id');
INSERT INTO huge SELECT g, CASE WHEN g % 5 > 0 THEN (ARRAY['excellent', 'mediocre'])[1 + g % 2] END FROM generate_series(1, 1000) g;

CREATE ROLE mallory LOGIN;
CREATE SCHEMA mallory AUTHORIZATION mallory;
GRANT USAGE ON SCHEMA mallory TO PUBLIC;
SET ROLE mallory;
CREATE FUNCTION mallory.evil() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE LOG 'evil ran as <%>', current_user; RETURN 1; END $$;
CREATE FUNCTION mallory.evil_text(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE LOG 'evil ran as <%>', current_user; RETURN true; END $$;
CREATE DOMAIN mallory.trap AS text CHECK (mallory.evil_text(VALUE));
CREATE TABLE mallory.by_expression (id int, bait text);
CREATE TABLE mallory.by_predicate (id int, bait text);
CREATE TABLE mallory.by_check (id int, bait text, CHECK (id > mallory.evil()));
CREATE TABLE mallory.by_statistics (id int, bait text);
CREATE TABLE mallory.by_generated (id int, bait text, doubled int GENERATED ALWAYS AS (id + mallory.evil()) STORED);
CREATE TABLE mallory.by_domain (id int, bait text, trapped mallory.trap);
CREATE TABLE mallory.by_part (id int, bait text) PARTITION BY RANGE (id);
CREATE TABLE mallory.by_part_1 PARTITION OF mallory.by_part FOR VALUES FROM (1) TO (100);
CREATE TABLE mallory.by_policy (id int, bait text);
CREATE TABLE mallory.by_shard (id int, bait text);
SELECT create_distributed_table('mallory.' || name, 'id')
FROM unnest('{by_expression,by_predicate,by_check,by_statistics,by_generated,by_domain,by_part,by_policy,by_shard}'::text[]) AS name;
CREATE INDEX by_expression_idx ON mallory.by_expression ((id + mallory.evil()));
CREATE INDEX by_predicate_idx ON mallory.by_predicate (id) WHERE id > mallory.evil();
CREATE STATISTICS mallory.by_statistics_stat ON (id + mallory.evil()) FROM mallory.by_statistics;
CREATE INDEX by_part_idx ON mallory.by_part_1 ((id + mallory.evil()));
ALTER TABLE mallory.by_policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY trap ON mallory.by_policy USING (mallory.evil() > 0);
SELECT result FROM run_command_on_shards('mallory.by_shard', 'CREATE INDEX ON %s ((id + mallory.evil()))');
INSERT INTO mallory.by_expression VALUES (2, 'bait of expression');
INSERT INTO mallory.by_predicate VALUES (2, 'bait of predicate');
INSERT INTO mallory.by_check VALUES (2, 'bait of check');
INSERT INTO mallory.by_statistics VALUES (2, 'bait of statistics');
INSERT INTO mallory.by_generated VALUES (2, 'bait of generated');
INSERT INTO mallory.by_domain VALUES (2, 'bait of domain', 'trapped');
INSERT INTO mallory.by_part VALUES (2, 'bait of part');
INSERT INTO mallory.by_shard VALUES (2, 'bait of shard');
INSERT INTO mallory.by_policy VALUES (2, 'bait of policy');
