-- Counts the readable tables, stopping at $1. Called by src/pg/catalog with $1 bigint: where to stop.
WITH candidate AS (
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition AND oid >= 16384
), %READABLE%
SELECT count(*) FROM (SELECT FROM readable LIMIT $1) AS counted
