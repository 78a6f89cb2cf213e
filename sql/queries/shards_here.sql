-- The shards of Citus that this node has: number, OID, file, changes ever, planner's rows, and live rows of each; with
-- $1 text, a table as written in SQL, only its own. Run by src/pg/search/shard_rows.rs. It takes no lock of a shard and reads none of
-- its rows. The name of a shard ends with its number; shard_name() has the whole name. A table of another
-- owner with that name, or what moving a shard left behind, is left out.
SELECT s.shardid, c.oid, c.relfilenode::int8,
       pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid),
       CASE WHEN c.relkind = 'p' THEN 0 ELSE c.reltuples END::float8, pg_stat_get_live_tuples(c.oid)::float8
FROM pg_dist_shard s
JOIN pg_dist_placement placed ON placed.shardid = s.shardid AND placed.shardstate = 1
JOIN pg_dist_local_group here ON here.groupid = placed.groupid
JOIN pg_class t ON t.oid = s.logicalrelid
JOIN pg_namespace n ON n.oid = t.relnamespace
JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relowner = t.relowner
    AND CASE WHEN c.relname ~ '_[0-9]{1,18}$' THEN substring(c.relname, '_([0-9]+)$')::int8 END = s.shardid
    AND shard_name(t.oid::regclass, s.shardid) IN (quote_ident(c.relname), quote_ident(n.nspname) || '.' || quote_ident(c.relname))
WHERE $1::text IS NULL OR t.oid = $1::regclass
