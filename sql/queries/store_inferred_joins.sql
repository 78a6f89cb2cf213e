-- Stores inferred joins. $1 json: the proposals; $2 text: the catalog of the OIDs; $3 text: the role that refreshes. A join
-- that was accepted or rejected stays as it is. Returns a row for each one that is new or differs. Run in
-- src/pg/search/refresh/joins/store.rs.
WITH proposed AS MATERIALIZED (
    SELECT p.* FROM json_to_recordset($1) AS p(oids oid[], numbers int2[], certainty real, evidence text)
), changed AS (
    UPDATE text2sql._joins j
    SET certainty = p.certainty, evidence = CASE j.origin WHEN 'inferred' THEN p.evidence ELSE j.evidence END,
        taught_by = CASE j.origin WHEN 'inferred' THEN $3::name ELSE j.taught_by END, taught_at = now()
    FROM proposed p
    WHERE j.catalog = $2 AND j.object_oids = p.oids AND j.column_numbers = p.numbers AND j.status = 'suggested'
      -- Every change makes all sessions read the tables anew.
      AND (j.certainty IS NULL OR abs(j.certainty - p.certainty) >= 0.01)
    RETURNING j.id
), added AS (
    INSERT INTO text2sql._joins (catalog, object_oids, column_numbers, object_names, origin, evidence, status, certainty, taught_by)
    SELECT $2, p.oids, p.numbers, named.list, 'inferred', p.evidence, 'suggested', p.certainty, $3::name
    FROM proposed p
    CROSS JOIN LATERAL (
        SELECT array_agg(text2sql._object_name(object.oid, object.number) ORDER BY object.place) AS list
        FROM unnest(p.oids, p.numbers) WITH ORDINALITY AS object(oid, number, place)
    ) AS named
    WHERE array_position(named.list, NULL) IS NULL
      AND NOT EXISTS (
          SELECT FROM text2sql._joins j
          WHERE j.catalog = $2 AND j.object_oids = p.oids AND j.column_numbers = p.numbers)
    RETURNING id
)
SELECT id FROM changed UNION ALL SELECT id FROM added
