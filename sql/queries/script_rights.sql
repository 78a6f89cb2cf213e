-- What a script needs of the objects that it reads and writes, as JSON: for each of them in order whether it exists,
-- whether the current user has the privilege, and which of the columns it lacks. $1 the needs, $2 the schemas of the
-- caller's path in order, $3 the one in which it creates. Called by src/statement/script_checks.rs.
SELECT COALESCE(json_agg(json_build_object(
           'exists', c.oid IS NOT NULL,
           'allowed', CASE w.wanted
               WHEN 'CREATE' THEN n.oid IS NULL OR has_schema_privilege(n.oid, 'CREATE')
               WHEN 'OWNER' THEN c.oid IS NULL OR pg_has_role(c.relowner, 'USAGE')
               WHEN 'DELETE' THEN c.oid IS NULL OR has_table_privilege(c.oid, 'DELETE')
               WHEN 'TRUNCATE' THEN c.oid IS NULL OR has_table_privilege(c.oid, 'TRUNCATE')
               ELSE c.oid IS NULL OR has_table_privilege(c.oid, w.wanted)
                    OR has_any_column_privilege(c.oid, w.wanted)
           END,
           'lacking', ARRAY(
               SELECT k.name
               FROM json_array_elements_text(w.columns) AS k(name)
               WHERE c.oid IS NOT NULL
                 AND NOT EXISTS (
                     SELECT FROM pg_attribute a
                     WHERE a.attrelid = c.oid AND a.attname = k.name AND a.attnum > 0 AND NOT a.attisdropped)))
           ORDER BY w.place), '[]')::text
FROM (
    SELECT t.value ->> 'schema' AS schema, t.value ->> 'name' AS name, t.value ->> 'wanted' AS wanted,
           t.value -> 'columns' AS columns, t.place
    FROM json_array_elements($1) WITH ORDINALITY AS t(value, place)) AS w
LEFT JOIN pg_namespace n ON CASE WHEN w.schema IS NULL THEN n.oid = $3 ELSE n.nspname = w.schema END
LEFT JOIN LATERAL (
    SELECT r.oid, r.relowner
    FROM pg_class r
    JOIN pg_namespace s ON s.oid = r.relnamespace
    WHERE r.relname = w.name
      AND CASE WHEN w.schema IS NULL
               THEN s.oid = ANY ($2::oid[]) OR s.oid = pg_my_temp_schema() OR s.nspname = 'pg_catalog'
               ELSE s.nspname = w.schema END
    ORDER BY s.oid = pg_my_temp_schema() DESC, array_position($2::oid[], s.oid)
    LIMIT 1) c ON true
