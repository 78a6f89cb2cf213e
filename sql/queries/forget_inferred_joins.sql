-- Removes inferred joins that are no longer proposed. $1 json: the proposals; $2 text: the catalog of the OIDs;
-- $3 oid[]: the tables that were looked at as the role $4 oid; what was inferred from columns that it cannot read stays
-- while their tables exist. Returns a row for each. Run in src/pg/search/refresh/joins/store.rs.
WITH proposed AS MATERIALIZED (
    SELECT p.oids, p.numbers FROM json_to_recordset($1) AS p(oids oid[], numbers int2[])
), gone AS MATERIALIZED (
    SELECT j.id, j.origin
    FROM text2sql._joins j
    WHERE j.status = 'suggested' AND j.certainty IS NOT NULL
      AND NOT (j.catalog = $2 AND EXISTS (
            SELECT FROM proposed p WHERE p.oids = j.object_oids AND p.numbers = j.column_numbers))
      AND (j.catalog <> $2
           OR j.object_oids <@ $3 AND NOT EXISTS (
                SELECT FROM unnest(j.object_oids, j.column_numbers) AS used(oid, number)
                WHERE NOT has_column_privilege($4, used.oid, used.number, 'SELECT'))
           OR EXISTS (SELECT FROM unnest(j.object_oids) AS used(oid) WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = used.oid)))
), removed AS (
    DELETE FROM text2sql._joins j USING gone WHERE gone.id = j.id AND gone.origin = 'inferred' RETURNING j.id
), kept AS (
    -- Suggested from statements, too.
    UPDATE text2sql._joins j SET certainty = NULL FROM gone WHERE gone.id = j.id AND gone.origin <> 'inferred' RETURNING j.id
)
SELECT id FROM removed UNION ALL SELECT id FROM kept
