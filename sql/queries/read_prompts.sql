-- The prompt templates that are replaced, each in its newest version, as one JSON document. Called by
-- src/pg/stored/knowledge/prompts.rs.
SELECT coalesce(json_agg(json_build_object('name', newest.name, 'version', newest.version, 'text', newest.text)
                         ORDER BY newest.name), '[]')::text
FROM (SELECT DISTINCT ON (p.name) p.name, p.version, p.text
      FROM text2sql._prompts p ORDER BY p.name, p.version DESC) AS newest
WHERE newest.text IS NOT NULL
