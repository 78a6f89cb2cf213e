-- One fingerprint of the comments that src/pg/access/catalog/comment_words.rs may read. Called by src/pg/access/catalog before a cached
-- search is used again, because COMMENT ON sends no invalidation message.
SELECT count(*)::text || ':' || coalesce(sum(hashtextextended(left(seen.description, 4000), seen.objoid::int8 * 2048 + seen.objsubid)), 0)::text
FROM (SELECT objoid, objsubid, classoid, description FROM pg_description
      WHERE objoid >= 16384 LIMIT 20000) AS seen
WHERE seen.classoid = 'pg_class'::regclass
