-- Where the role may create a table: first the schema that a name without one means, then the others.
SELECT pg_catalog.json_build_object('schemas', coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
           'name', found.name, 'written', pg_catalog.quote_ident(found.name))
           ORDER BY found.place NULLS LAST, found.name), '[]'::json))::text
  FROM (SELECT n.nspname::text AS name,
               pg_catalog.array_position(pg_catalog.current_schemas(false), n.nspname) AS place
          FROM pg_catalog.pg_namespace n
         WHERE pg_catalog.has_schema_privilege(n.oid, 'CREATE')
           AND n.nspname::text !~ '^pg_' AND n.nspname::text <> 'information_schema'
           -- Those of extensions are no place for tables of others.
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                            WHERE d.classid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.objid = n.oid
                              AND d.deptype = 'e')
         ORDER BY place NULLS LAST, n.nspname
         LIMIT 500) AS found
