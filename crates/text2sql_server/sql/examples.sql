-- Questions to begin with: verified examples of what the caller may read. What somebody has typed is none.
-- $1: how many.
SELECT pg_catalog.json_build_object('examples', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.number), '[]'))::text
  FROM (
    SELECT e.id, e.question, e.sql, e.verified_by::text, 'verified' AS origin,
           pg_catalog.row_number() OVER (ORDER BY e.verified_at DESC, e.id) AS number
      FROM text2sql.examples e
     WHERE e.status = 'verified'
     ORDER BY e.verified_at DESC, e.id
     LIMIT $1::text::bigint
  ) AS listed
