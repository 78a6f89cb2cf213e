-- What people call things, as far as the caller may read what it is about.
SELECT pg_catalog.json_build_object(
    'definitions', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(d) ORDER BY d.term), '[]')
                      FROM text2sql.definitions d),
    'synonyms', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
                            'object', d.object, 'synonyms', d.synonyms) ORDER BY d.object), '[]')
                   FROM text2sql.descriptions d WHERE pg_catalog.cardinality(d.synonyms) > 0),
    'instructions', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(i) ORDER BY i.id), '[]')
                       FROM text2sql.instructions i),
    'joins', (SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(j) ORDER BY j.id), '[]')
                FROM text2sql.joins j WHERE j.status = 'accepted'))::text
