-- Stores counts of values, $1 json: see src/pg/search/refresh/joins/store.rs.
INSERT INTO text2sql._index_join_counts AS known
SELECT counted.*
FROM json_to_recordset($1) AS counted(from_table oid, from_columns int2[], to_table oid, to_columns int2[], state text,
     sampled int4, found int4, target_rows int4, is_complete boolean, has_duplicates boolean,
     lacks_values boolean)
ON CONFLICT (from_table, to_table, from_columns, to_columns) DO UPDATE
SET state = excluded.state, sampled = excluded.sampled, found = excluded.found, target_rows = excluded.target_rows,
    is_complete = excluded.is_complete, has_duplicates = excluded.has_duplicates,
    lacks_values = excluded.lacks_values
