-- The planner's statistics that this node has of shards of the table $1 (text, as written in SQL) and its partitions, of the
-- columns $2 (text[]) that the current user may read, as one JSON array: name, rows of the shard, share of NULL, distinct
-- values, and values of each; values are those of the columns $3 (text[]). Run by src/pg/search/shard_rows.rs.
SELECT json_agg(json_build_array(
           p.attname, c.reltuples, p.null_frac, p.n_distinct,
           CASE WHEN p.attname::text = ANY ($3) THEN ARRAY(
               SELECT sampled.value
               FROM unnest(p.most_common_vals::text::text[] || p.histogram_bounds::text::text[]) AS sampled(value)
               WHERE length(sampled.value) <= 100) ELSE '{}' END))::text
FROM pg_dist_shard s
JOIN pg_dist_placement placed ON placed.shardid = s.shardid AND placed.shardstate = 1
JOIN pg_dist_local_group here ON here.groupid = placed.groupid
JOIN pg_class t ON t.oid = s.logicalrelid
JOIN pg_namespace n ON n.oid = t.relnamespace
JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r' AND c.relowner = t.relowner
    AND CASE WHEN c.relname ~ '_[0-9]{1,18}$' THEN substring(c.relname, '_([0-9]+)$')::int8 END = s.shardid
    AND shard_name(t.oid::regclass, s.shardid) IN (quote_ident(c.relname), quote_ident(n.nspname) || '.' || quote_ident(c.relname))
JOIN pg_stats p ON p.schemaname = n.nspname AND p.tablename = c.relname
WHERE t.oid IN (SELECT $1::regclass UNION SELECT tree.relid FROM pg_partition_tree($1::regclass) AS tree)
  AND p.attname::text = ANY ($2) AND has_schema_privilege(n.oid, 'USAGE')
