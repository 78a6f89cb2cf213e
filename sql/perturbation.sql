-- Perturbed copies of the data: a query that is right by luck gives itself away on other rows (Zhong, Yu,
-- Klein 2020). Each copy keeps the keys and the references, so that what must be equal stays equal, but
-- has fewer rows and, in every version but the first, values that have changed rows within their column and
-- the values at which gold statements change their mind.

-- The copies, by the table they stand in for. They belong to who made them and are not dumped.
CREATE TABLE text2sql.perturbed_tables (
    version  integer NOT NULL,
    original regclass NOT NULL,
    copy     regclass NOT NULL,
    made_by  name NOT NULL DEFAULT current_user,
    made_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (version, original)
);

CREATE FUNCTION text2sql.drop_perturbed() RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $drop_perturbed$
DECLARE
    made record;
    dropped integer := 0;
BEGIN
    FOR made IN SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = 'text2sql_perturbed' AND c.oid IN (SELECT p.copy FROM text2sql.perturbed_tables p) LOOP
        EXECUTE format('DROP TABLE %I.%I', made.nspname, made.relname);
        dropped := dropped + 1;
    END LOOP;
    DELETE FROM text2sql.perturbed_tables;
    RETURN dropped;
END
$drop_perturbed$;

-- Makes one copy. The columns have the numbers that they have in the original, also behind dropped ones:
-- the judged tree names columns by number.
CREATE FUNCTION text2sql._perturb_table(version integer, original oid, keep double precision, max_rows integer) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $perturb_table$
DECLARE
    copy_name text := format('text2sql_perturbed.copy_%s_%s', version, original);
    made_columns text;
    dropped_columns text;
    copied text;
    share double precision;
    row_total bigint;
BEGIN
    SELECT string_agg(CASE
               WHEN a.attisdropped THEN format('gone_%s integer', a.attnum)
               WHEN a.attgenerated = 's' THEN format('%I %s GENERATED ALWAYS AS (%s) STORED', a.attname,
                    format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid))
               ELSE format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                    CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END)
               END, ', ' ORDER BY a.attnum),
           string_agg(format('DROP COLUMN gone_%s', a.attnum), ', ') FILTER (WHERE a.attisdropped),
           string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE NOT a.attisdropped AND a.attgenerated = '')
      INTO made_columns, dropped_columns, copied
      FROM pg_attribute a LEFT JOIN pg_type t ON t.oid = a.atttypid
           LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = original AND a.attnum > 0;
    EXECUTE format('CREATE UNLOGGED TABLE %s (%s)', copy_name, coalesce(made_columns, ''));
    IF dropped_columns IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s %s', copy_name, dropped_columns);
    END IF;
    EXECUTE format('SELECT count(*) FROM %s', original::regclass) INTO row_total;
    -- Whoever is referred to is kept more often: what refers to a missing row goes, too.
    share := CASE WHEN EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = original AND f.conrelid <> original)
                  THEN 1 - (1 - keep) / 4 ELSE keep END;
    share := least(share, max_rows::float8 / greatest(row_total, 1));
    -- A handful of rows stays whole: a lookup table that loses a value makes every query empty.
    IF row_total <= 5 THEN share := 1; END IF;
    EXECUTE format('INSERT INTO %s (%s) SELECT %s FROM %s AS t WHERE (hashtextextended(t::text, $1) & 65535) < $2 * 65536',
                   copy_name, copied, copied, original::regclass) USING version, share;
    -- Or taking rows out that refer to nothing would be planned for empty tables.
    EXECUTE format('ANALYZE %s', copy_name);
    RETURN copy_name::regclass;
END
$perturb_table$;

-- Takes rows out that refer to nothing, until none is left.
CREATE FUNCTION text2sql._repair_references(version integer) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $repair_references$
DECLARE
    reference record;
    taken bigint;
    taken_in_all bigint;
BEGIN
    FOR pass IN 1 .. 50 LOOP
        taken_in_all := 0;
        FOR reference IN
            SELECT child.copy AS child, parent.copy AS parent,
                   string_agg(format('c.%I IS NOT NULL', ca.attname), ' AND ') AS is_set,
                   string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' AND ') AS matches
              FROM pg_constraint f
              JOIN text2sql.perturbed_tables child ON child.original = f.conrelid AND child.version = _repair_references.version
              JOIN text2sql.perturbed_tables parent ON parent.original = f.confrelid AND parent.version = _repair_references.version
              CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS k(child_number, parent_number)
              JOIN pg_attribute ca ON ca.attrelid = f.conrelid AND ca.attnum = k.child_number
              JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = k.parent_number
             WHERE f.contype = 'f' AND f.conparentid = 0
             GROUP BY f.oid, child.copy, parent.copy
        LOOP
            EXECUTE format('DELETE FROM %s c WHERE %s AND NOT EXISTS (SELECT FROM %s p WHERE %s)',
                           reference.child, reference.is_set, reference.parent, reference.matches);
            GET DIAGNOSTICS taken = ROW_COUNT;
            taken_in_all := taken_in_all + taken;
        END LOOP;
        EXIT WHEN taken_in_all = 0;
    END LOOP;
END
$repair_references$;

-- Lets values change rows within their column. What stays in its row: primary keys, keys of several
-- columns, references of several columns and to the own table (a manager of oneself is no manager), and
-- what is generated. A reference still finds its row, because its values are only dealt anew.
CREATE FUNCTION text2sql._shuffle_table(version integer, original oid, copy regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET join_collapse_limit = 1
SET enable_nestloop = off
SET enable_mergejoin = off
SET jit = off
AS $shuffle_table$
DECLARE
    assigned text;
    chosen text;
    dealt text;
BEGIN
    SELECT string_agg(format('%1$I = s.%1$I', m.attname), ', '),
           string_agg(format('p%s.%I', m.attnum, m.attname), ', '),
           string_agg(format('JOIN (SELECT %2$I, row_number() OVER (ORDER BY hashtextextended(ctid::text, %3$s)) AS n FROM %4$s) p%1$s USING (n)',
                             m.attnum, m.attname, version * 1000 + m.attnum, copy), ' ')
      INTO assigned, chosen, dealt
      FROM pg_attribute m
     WHERE m.attrelid = original AND m.attnum > 0 AND NOT m.attisdropped AND m.attgenerated = ''
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = original AND i.indisunique AND m.attnum = ANY (i.indkey)
                          AND (i.indisprimary OR i.indnatts > 1))
       AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = original AND m.attnum = ANY (f.conkey)
                          AND (cardinality(f.conkey) > 1 OR f.confrelid = original));
    IF assigned IS NOT NULL THEN
        EXECUTE format('UPDATE %s t SET %s FROM (SELECT b.id, %s FROM (SELECT ctid AS id, row_number() OVER () AS n FROM %s) b %s) s WHERE t.ctid = s.id',
                       copy, assigned, chosen, copy, dealt);
    END IF;
END
$shuffle_table$;

-- Puts the values at which gold statements change their mind, and their neighbours, into some rows of the
-- columns of that name. What identifies or refers stays; what a domain refuses is left out.
CREATE FUNCTION text2sql._plant_boundaries(version integer, suite text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $plant_boundaries$
DECLARE
    place record;
    number bigint := 0;
BEGIN
    FOR place IN
        SELECT p.copy, a.attname, format_type(a.atttypid, a.atttypmod) AS type_name, v.value
          FROM (SELECT DISTINCT b.value ->> 'column' AS name, b.value ->> 'kind' AS kind, b.value ->> 'value' AS value
                  FROM text2sql.cases c, unnest(c.gold) AS g, jsonb_array_elements(text2sql._boundaries(g)) AS b(value)
                 WHERE _plant_boundaries.suite IS NULL OR c.suite = _plant_boundaries.suite
                 ORDER BY 1, 2, 3 LIMIT 300) AS b
          JOIN text2sql.perturbed_tables p ON p.version = _plant_boundaries.version
          JOIN pg_attribute a ON a.attrelid = p.original AND a.attname = b.name AND a.attnum > 0
               AND NOT a.attisdropped AND a.attgenerated = ''
          JOIN pg_type t ON t.oid = a.atttypid AND t.typcategory = CASE b.kind WHEN 'number' THEN 'N' WHEN 'date' THEN 'D' ELSE t.typcategory END
          CROSS JOIN LATERAL (
               SELECT b.value WHERE b.kind <> 'date' AND t.typcategory IN ('N', 'S', 'E')
               UNION ALL SELECT (b.value::numeric + n)::text FROM unnest(ARRAY[-1, 1]) AS n WHERE b.kind = 'number'
               UNION ALL SELECT (left(b.value, 10)::date + n)::text FROM unnest(ARRAY[-1, 0, 1]) AS n WHERE b.kind = 'date') AS v(value)
         WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = p.original AND i.indisunique AND a.attnum = ANY (i.indkey))
           AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = p.original AND a.attnum = ANY (f.conkey))
    LOOP
        number := number + 1;
        BEGIN
            EXECUTE format('UPDATE %s SET %I = %L::%s WHERE (hashtextextended(ctid::text, %s) & 15) = 0',
                           place.copy, place.attname, place.value, place.type_name, number);
        EXCEPTION WHEN data_exception OR check_violation OR not_null_violation THEN
            CONTINUE;
        END;
    END LOOP;
END
$plant_boundaries$;

CREATE FUNCTION text2sql.perturb(
    versions integer DEFAULT 2, keep double precision DEFAULT 0.6, schemas text[] DEFAULT NULL, max_rows integer DEFAULT 20000,
    suite text DEFAULT NULL
) RETURNS TABLE (version integer, tables bigint, "rows" bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $perturb$
DECLARE
    made record;
    counted bigint;
BEGIN
    IF perturb.versions IS NULL OR perturb.versions NOT BETWEEN 1 AND 9 THEN
        RAISE EXCEPTION 'versions is not from 1 to 9: %', perturb.versions USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF perturb.keep IS NULL OR NOT perturb.keep > 0 OR perturb.keep > 1 THEN
        RAISE EXCEPTION 'keep is not above 0 and at most 1: %', perturb.keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    CREATE SCHEMA IF NOT EXISTS text2sql_perturbed;
    PERFORM text2sql.drop_perturbed();
    FOR number IN 1 .. perturb.versions LOOP
        FOR made IN
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
               AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'text2sql', 'text2sql_perturbed')
               AND n.nspname NOT LIKE 'pg\_%' AND (perturb.schemas IS NULL OR n.nspname = ANY (perturb.schemas))
               AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
             ORDER BY c.oid
        LOOP
            INSERT INTO text2sql.perturbed_tables (version, original, copy)
            VALUES (number, made.oid, text2sql._perturb_table(number, made.oid, perturb.keep, perturb.max_rows));
        END LOOP;
        PERFORM text2sql._repair_references(number);
        version := number;
        tables := 0;
        "rows" := 0;
        -- The first version keeps its rows as they are: where an invariant of the data stands in for a
        -- condition (a total that is the sum of its lines), other values would be unfair.
        IF number > 1 THEN
            PERFORM text2sql._shuffle_table(number, p.original, p.copy) FROM text2sql.perturbed_tables p WHERE p.version = number;
            PERFORM text2sql._plant_boundaries(number, perturb.suite);
        END IF;
        FOR made IN SELECT p.original, p.copy FROM text2sql.perturbed_tables p WHERE p.version = number LOOP
            EXECUTE format('ANALYZE %s', made.copy);
            EXECUTE format('SELECT count(*) FROM %s', made.copy) INTO counted;
            tables := tables + 1;
            "rows" := "rows" + counted;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END
$perturb$;

COMMENT ON TABLE text2sql.perturbed_tables IS 'copies of tables with other rows, on which a right answer must stay right';
COMMENT ON FUNCTION text2sql._plant_boundaries(integer, text) IS 'puts values that gold statements compare with into perturbed copies';
COMMENT ON FUNCTION text2sql.perturb(integer, double precision, text[], integer, text) IS
    'makes perturbed copies of the readable tables, for evaluate(…, settings => ''{"copies": true}'')';
COMMENT ON FUNCTION text2sql.drop_perturbed() IS 'drops the perturbed copies';
COMMENT ON FUNCTION text2sql._perturb_table(integer, oid, double precision, integer) IS 'makes one perturbed copy';
COMMENT ON FUNCTION text2sql._repair_references(integer) IS 'takes rows out of perturbed copies that refer to nothing';
COMMENT ON FUNCTION text2sql._shuffle_table(integer, oid, regclass) IS 'lets values of a perturbed copy change rows';
