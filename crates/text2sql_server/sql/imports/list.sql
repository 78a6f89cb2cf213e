-- Imported files, as far as the caller may see what they gave. A database of an older version has none.
SELECT pg_catalog.json_build_object('imports',
    (SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(i) ORDER BY i.imported_at DESC, i.source), '[]')
       FROM (SELECT l.source, l.kind, l.imported_by, l.imported_at, l.taken, l.known, l.refused, l.problems FROM text2sql.imports l) AS i))::text
