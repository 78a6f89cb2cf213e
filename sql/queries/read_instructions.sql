-- The instructions that apply to a question, as one JSON document: first those for the whole database, then those for
-- schemas, then those for tables. Called by src/pg/stored/knowledge/instructions.rs with $1 name, the role that asks, because a
-- superuser's questions are read as another role. A superuser is considered a member of no role.
SELECT coalesce(json_agg(json_build_object(
    'id', i.id,
    'text', i.instruction,
    'table', CASE WHEN now.column_number = 0 THEN now.object_oid::int8 END,
    'schema', CASE WHEN now.column_number = -1 THEN (
        SELECT n.nspname FROM pg_namespace n WHERE n.oid = now.object_oid) END
) ORDER BY now.column_number NULLS FIRST, i.role_name NULLS FIRST, i.id), '[]')::text
FROM text2sql._instructions i
LEFT JOIN LATERAL text2sql._resolve_objects(i.catalog, i.object_names, i.object_oids, i.column_numbers) AS now ON true
WHERE (cardinality(i.object_names) = 0 OR now.object_oid IS NOT NULL)
  AND (i.role_name IS NULL OR EXISTS (
      SELECT FROM pg_roles r, pg_roles a
      WHERE r.rolname = i.role_name AND a.rolname = $1
        AND (a.oid = r.oid OR (pg_has_role(a.oid, r.oid, 'MEMBER') AND NOT a.rolsuper))))
