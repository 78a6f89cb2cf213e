-- Definitions and verified examples that differ from what the search index holds. Run by src/pg/search/refresh/knowledge.rs
-- with $1 text: the collection, d or e; $2 int8: the id of the only one to compare, or NULL. Rows: id, fingerprint (NULL: gone),
-- then term, meaning, synonyms, or question, SQL, nothing.
WITH now AS (
    SELECT d.id::oid AS item, hashtextextended(concat_ws(E'\n', d.term, d.meaning, d.synonyms::text), 0) AS fingerprint,
           d.term AS first, d.meaning AS second, d.synonyms AS others
    FROM text2sql._definitions d
    WHERE $1 = 'd' AND ($2 IS NULL OR d.id = $2)
    UNION ALL
    SELECT e.id::oid, hashtextextended(concat_ws(E'\n', e.question, e.sql), 0), e.question, e.sql, '{}'
    FROM text2sql._examples e
    WHERE $1 = 'e' AND ($2 IS NULL OR e.id = $2) AND e.verified_at IS NOT NULL
)
SELECT coalesce(now.item, known.item), now.fingerprint, now.first, now.second, now.others
FROM now
FULL JOIN (SELECT * FROM text2sql._index_documents WHERE collection = $1::"char" AND ($2 IS NULL OR item = $2::oid)) AS known ON known.item = now.item
WHERE now.fingerprint IS DISTINCT FROM known.fingerprint OR NOT known.is_embedded
ORDER BY 1
