"""The tables of a database as a program would find them: CREATE TABLE of what the role may read, with its keys."""

import suite

DEFINITIONS = """
SELECT 'CREATE TABLE ' || c.oid::regclass || E' (\\n    ' || string_agg(p.part, E',\\n    ' ORDER BY p.place) || E'\\n);'
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
       LATERAL (SELECT attnum AS place, quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) AS part
                  FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
                   AND has_column_privilege(c.oid, attnum, 'SELECT')
                UNION ALL
                SELECT 10000, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'f')) AS p
 WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition AND pg_table_is_visible(c.oid)
   AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
   AND has_any_column_privilege(c.oid, 'SELECT')
 GROUP BY c.oid, c.relname ORDER BY c.relname
"""


def definitions(database):
    """A statement for each table of the search path."""
    with suite.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(DEFINITIONS)
        return [definition for (definition,) in cursor.fetchall()]
