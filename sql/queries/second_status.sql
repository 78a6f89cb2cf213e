-- The vectors of the second embedder and those of the index, in one row: name as a setting, what made them, length,
-- whether they are built, and an HNSW index over those of tables; number and size of the vectors of the index, then of
-- the second embedder; then what waits for its vectors: tables, definitions, examples, words, passages. Run by
-- src/pg/search/search_index/second_report.rs as the owner. $1 (bool): words get vectors; $2 (bool): passages of rows do;
-- $3 (bool): those of documents do; $4 (bool): those of protected documents, too.
SELECT s.model, s.embedder, s.dimensions, s.built_at IS NOT NULL,
       to_regclass('text2sql._second_vectors_s_hnsw') IS NOT NULL,
       (SELECT count(*) FROM text2sql._index_vectors) + (SELECT count(w.embedding) FROM text2sql._index_words w)
           + (SELECT count(*) FROM text2sql._passage_vectors),
       pg_size_pretty(pg_total_relation_size('text2sql._index_vectors') + pg_total_relation_size('text2sql._index_words')
           + pg_total_relation_size('text2sql._passage_vectors')),
       (SELECT count(*) FROM text2sql._second_vectors) + (SELECT count(*) FROM text2sql._second_words)
           + (SELECT count(*) FROM text2sql._second_passage_vectors),
       pg_size_pretty(pg_total_relation_size('text2sql._second_vectors') + pg_total_relation_size('text2sql._second_words')
           + pg_total_relation_size('text2sql._second_passage_vectors')),
       waiting.tables, waiting.definitions, waiting.examples,
       (SELECT count(*) FROM text2sql._index_words w
         WHERE $1 AND NOT EXISTS (SELECT FROM text2sql._second_words k WHERE k.word = w.word)),
       (SELECT count(*) FROM text2sql._passages p LEFT JOIN text2sql._documents d ON d.id = p.document
         WHERE CASE WHEN p.document IS NULL THEN $2
                    ELSE $3 AND ($4 OR NOT EXISTS (SELECT FROM text2sql._document_protections r WHERE r.source = d.source)) END
           AND NOT EXISTS (SELECT FROM text2sql._second_passage_vectors v WHERE v.passage = p.id))
FROM text2sql._second_embedder s
CROSS JOIN (
    SELECT count(*) FILTER (WHERE d.collection = 's') AS tables, count(*) FILTER (WHERE d.collection = 'd') AS definitions,
           count(*) FILTER (WHERE d.collection = 'e') AS examples
    FROM text2sql._index_documents d
    WHERE NOT EXISTS (SELECT FROM text2sql._second_documents k WHERE k.collection = d.collection AND k.item = d.item)) AS waiting
