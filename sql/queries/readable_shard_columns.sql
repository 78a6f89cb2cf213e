-- Numbers of the columns $2 (text[]) of the shard $1 (oid), in that order, if the current user may read them all and no
-- row-level security hides rows; else no row. Run by src/pg/search/shard_rows.rs.
SELECT array_agg(a.attnum ORDER BY wanted.place)
FROM pg_class c
CROSS JOIN unnest($2) WITH ORDINALITY AS wanted(name, place)
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = wanted.name AND a.attnum > 0 AND NOT a.attisdropped
    AND has_column_privilege(c.oid, a.attnum, 'SELECT')
WHERE c.oid = $1 AND NOT c.relrowsecurity AND has_schema_privilege(c.relnamespace, 'USAGE')
HAVING bool_and(a.attnum IS NOT NULL)
