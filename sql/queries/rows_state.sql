-- The state of the rows of the table c (pg_class): it differs after any change of them. Included as %ROWS%.
concat_ws(' ', c.relfilenode, (
    -- The counters are updated a moment after a commit: at worst a table is read once more. What this session has
    -- changed and not yet reported is in those of xact.
    SELECT sum(pg_stat_get_tuples_inserted(part.oid) + pg_stat_get_tuples_updated(part.oid)
               + pg_stat_get_tuples_deleted(part.oid) + pg_stat_get_xact_tuples_inserted(part.oid)
               + pg_stat_get_xact_tuples_updated(part.oid) + pg_stat_get_xact_tuples_deleted(part.oid))
    FROM (SELECT c.oid WHERE c.relkind <> 'p'
          UNION ALL
          SELECT leaf.relid FROM pg_partition_tree(CASE WHEN c.relkind = 'p' THEN c.oid END) AS leaf) AS part))
