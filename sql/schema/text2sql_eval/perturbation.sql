-- Perturbed copies of the data: a query that is correct by chance is wrong on other rows (Zhong, Yu, Klein
-- 2020). Each copy keeps the keys and the references, but has fewer rows. In every version but the first,
-- values move to other rows of their column, and some are replaced by the values that gold statements compare
-- with.

-- A copy holds values as stored, in plain columns: no default, constraint, index, trigger or generated column,
-- so that no code of another user runs when it is created, read or analyzed.

-- The copies of all evaluators. Each role sees and drops its own.
CREATE SCHEMA text2sql_perturbed;

-- The copies, by the role that created them and the table that they replace. Written only by
-- text2sql_eval._fill_copy and text2sql_eval._forget_copies, as the owner
-- (src/pg/stored/evaluation/perturbed_tables.rs). Not dumped.
CREATE TABLE text2sql_eval._perturbed_tables (
    made_by  name NOT NULL,
    version  integer NOT NULL,
    original regclass NOT NULL,
    copy     regclass NOT NULL,
    made_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (made_by, version, original)
);
ALTER TABLE text2sql_eval._perturbed_tables ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_copies ON text2sql_eval._perturbed_tables FOR SELECT
    USING (EXISTS (SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolname OPERATOR(pg_catalog.=) made_by AND pg_catalog.pg_has_role(r.oid, 'MEMBER')));

-- Drops the copies of the caller. Called by a superuser, it drops all copies.
CREATE FUNCTION text2sql_eval._drop_copies() RETURNS integer
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $drop_copies$
DECLARE
    made record;
    dropped integer := 0;
BEGIN
    FOR made IN SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
                 WHERE n.nspname = 'text2sql_perturbed' AND c.relkind = 'r' AND c.relname LIKE 'copy\_%'
                   AND r.rolname = current_user AND (c.relowner = r.oid OR r.rolsuper) LOOP
        EXECUTE format('DROP TABLE text2sql_perturbed.%I', made.relname);
        dropped := dropped + 1;
    END LOOP;
    PERFORM text2sql_eval._forget_copies();
    RETURN dropped;
END
$drop_copies$;

-- Whether comparing, analyzing and reading values of a type runs only code installed by a superuser: built-in
-- types, base types of extensions, enums, and arrays of and domains over these. A copy only stores values of
-- other types (row types and ranges defined by users).
CREATE FUNCTION text2sql_eval._is_plain_type(type oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $is_plain_type$
    WITH RECURSIVE behind AS (
        SELECT t.oid, t.typtype, t.typbasetype, t.typelem, t.typcategory FROM pg_type t WHERE t.oid = _is_plain_type.type
        UNION ALL
        SELECT t.oid, t.typtype, t.typbasetype, t.typelem, t.typcategory
          FROM behind b
          JOIN pg_type t ON t.oid = CASE WHEN b.typtype = 'd' THEN b.typbasetype WHEN b.typcategory = 'A' THEN b.typelem END)
    SELECT coalesce(bool_or(b.typtype = 'e' OR b.oid < 16384 OR b.typtype = 'b' AND EXISTS (
               SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = b.oid AND d.deptype = 'e')), false)
      FROM behind b WHERE b.typtype <> 'd' AND b.typcategory <> 'A'
$is_plain_type$;

-- Creates one copy, or returns NULL if the table cannot be copied. Columns keep their numbers, also after
-- dropped ones, because the tree of a judged query identifies columns by number.
CREATE FUNCTION text2sql_eval._perturb_table(version integer, original oid, keep double precision, max_rows integer) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $perturb_table$
DECLARE
    -- With a random part: other roles may create tables in this schema, too.
    copy_name text := format('text2sql_perturbed.copy_%s_%s_%s', version, original, left(md5(gen_random_uuid()::text), 8));
    made_columns text;
    dropped_columns text;
    unread_columns text;
    grantee text;
    share double precision;
BEGIN
    SELECT string_agg(CASE
               WHEN a.attisdropped THEN format('%I integer', '(gone) ' || a.attnum)
               ELSE format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                    CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END)
               END, ', ' ORDER BY a.attnum),
           string_agg(format('DROP COLUMN %I', '(gone) ' || a.attnum), ', ') FILTER (WHERE a.attisdropped),
           -- For ANALYZE, and for autovacuum, which runs it as the owner of the copy.
           string_agg(format('ALTER COLUMN %I SET STATISTICS 0', a.attname), ', ')
               FILTER (WHERE NOT a.attisdropped AND NOT text2sql_eval._is_plain_type(a.atttypid))
      INTO made_columns, dropped_columns, unread_columns
      FROM pg_attribute a LEFT JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = original AND a.attnum > 0;
    EXECUTE format('CREATE UNLOGGED TABLE %s (%s) USING heap', copy_name, coalesce(made_columns, ''));
    IF dropped_columns IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s %s', copy_name, dropped_columns);
    END IF;
    IF unread_columns IS NOT NULL THEN
        EXECUTE format('ALTER TABLE %s %s', copy_name, unread_columns);
    END IF;
    -- Granted by default privileges.
    FOR grantee IN
        SELECT DISTINCT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END
          FROM pg_class c, aclexplode(c.relacl) AS acl WHERE c.oid = copy_name::regclass AND acl.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM %s', copy_name, grantee);
    END LOOP;
    -- More rows are kept if other tables reference the table, because rows that reference a missing row are
    -- deleted.
    share := CASE WHEN EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = original AND f.conrelid <> original)
                  THEN 1 - (1 - keep) / 4 ELSE keep END;
    IF text2sql_eval._fill_copy(version, original, copy_name::regclass, share, max_rows) IS NULL THEN
        EXECUTE format('DROP TABLE %s', copy_name);
        RETURN NULL;
    END IF;
    -- Otherwise _repair_references() would be planned for empty tables.
    EXECUTE format('ANALYZE %s', copy_name);
    RETURN copy_name::regclass;
EXCEPTION WHEN OTHERS THEN
    -- One failing table does not prevent the copies of others. These errors are about the session or the
    -- server.
    IF SQLSTATE ~ '^(25|40|53|57|58|XX)' THEN
        RAISE;
    END IF;
    RAISE NOTICE 'text2sql: % is not copied: %', original::regclass, SQLERRM;
    RETURN NULL;
END
$perturb_table$;

-- Deletes rows with dangling references, until there are none.
CREATE FUNCTION text2sql_eval._repair_references(version integer) RETURNS void
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
                   -- The operator of the foreign key, and no cast created by a user.
                   string_agg(CASE WHEN o.oprleft = 'anyenum'::regtype THEN format('enum_eq(p.%I, c.%I)', pa.attname, ca.attname)
                                   ELSE format('p.%I::%s OPERATOR(%I.%s) c.%I::%s', pa.attname, o.oprleft::regtype,
                                               n.nspname, o.oprname, ca.attname, o.oprright::regtype) END, ' AND ') AS matches
              FROM pg_constraint f
              JOIN text2sql_eval._perturbed_tables child ON child.original = f.conrelid AND child.version = _repair_references.version
               AND child.made_by = current_user
              JOIN text2sql_eval._perturbed_tables parent ON parent.original = f.confrelid AND parent.version = _repair_references.version
               AND parent.made_by = current_user
              CROSS JOIN LATERAL unnest(f.conkey, f.confkey, f.conpfeqop) AS k(child_number, parent_number, operator)
              JOIN pg_attribute ca ON ca.attrelid = f.conrelid AND ca.attnum = k.child_number
              JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = k.parent_number
              JOIN pg_operator o ON o.oid = k.operator
              JOIN pg_namespace n ON n.oid = o.oprnamespace
             WHERE f.contype = 'f' AND f.conparentid = 0
             GROUP BY f.oid, child.copy, parent.copy
            HAVING bool_and(text2sql_eval._is_plain_type(ca.atttypid) AND text2sql_eval._is_plain_type(pa.atttypid)
                            AND (o.oprleft = 'anyenum'::regtype OR NOT EXISTS (
                                SELECT FROM pg_type y WHERE y.oid IN (o.oprleft, o.oprright) AND y.typtype = 'p')))
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

-- Whether a column is dropped, generated, or the source of a generated one: a copy holds the generated values.
CREATE FUNCTION text2sql_eval._is_generated(original oid, number smallint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $is_generated$
    SELECT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = original AND a.attnum = number AND (a.attisdropped OR a.attgenerated <> ''))
        OR EXISTS (
           SELECT FROM pg_attribute g
             JOIN pg_attrdef e ON e.adrelid = g.attrelid AND e.adnum = g.attnum
             JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = original AND d.refobjsubid = number
              AND (d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid
                   OR d.classid = 'pg_class'::regclass AND d.objid = original AND d.objsubid = g.attnum)
            WHERE g.attrelid = original AND g.attgenerated <> '')
$is_generated$;

-- Moves values to other rows of their column. These are not moved: primary keys, keys and references of several
-- columns, references to the table itself (employees are never their own managers), generated columns with
-- their sources, and values of user-defined types. References remain valid, because their values are only
-- permuted.
CREATE FUNCTION text2sql_eval._shuffle_table(version integer, original oid, copy regclass) RETURNS void
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
    SELECT string_agg(format('%I = s.v%s', m.attname, m.attnum), ', '),
           string_agg(format('p%1$s.v AS v%1$s', m.attnum), ', '),
           string_agg(format('JOIN (SELECT %2$I, row_number() OVER (ORDER BY hashtextextended(ctid::text, %3$s)) FROM %4$s) p%1$s(v, n) USING (n)',
                             m.attnum, m.attname, version * 1000 + m.attnum, copy), ' ')
      INTO assigned, chosen, dealt
      FROM pg_attribute m
     WHERE m.attrelid = original AND m.attnum > 0 AND NOT text2sql_eval._is_generated(original, m.attnum)
       AND text2sql_eval._is_plain_type(m.atttypid)
       AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = original AND i.indisunique AND m.attnum = ANY (i.indkey)
                          AND (i.indisprimary OR i.indnatts > 1))
       AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = original AND m.attnum = ANY (f.conkey)
                          AND (cardinality(f.conkey) > 1 OR f.confrelid = original));
    IF assigned IS NOT NULL THEN
        EXECUTE format('UPDATE %s t SET %s FROM (SELECT b.id, %s FROM (SELECT ctid, row_number() OVER () FROM %s) b(id, n) %s) s WHERE t.ctid = s.id',
                       copy, assigned, chosen, copy, dealt);
    END IF;
END
$shuffle_table$;

-- Puts the values that gold statements compare with, and their neighbors, into some rows of the columns of that
-- name. Unique and referencing columns keep their values, and so do domains, whose checks are code of their
-- owners.
CREATE FUNCTION text2sql_eval._add_boundary_values(version integer, suite text) RETURNS void
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
                  FROM text2sql_eval.cases c, unnest(c.gold) AS g, jsonb_array_elements(text2sql_eval._boundaries(g)) AS b(value)
                 WHERE _add_boundary_values.suite IS NULL OR c.suite = _add_boundary_values.suite
                 ORDER BY 1, 2, 3 LIMIT 300) AS b
          JOIN text2sql_eval._perturbed_tables p ON p.version = _add_boundary_values.version AND p.made_by = current_user
          JOIN pg_attribute a ON a.attrelid = p.original AND a.attname = b.name AND a.attnum > 0
               AND NOT text2sql_eval._is_generated(a.attrelid, a.attnum)
          JOIN pg_type t ON t.oid = a.atttypid AND t.typtype IN ('b', 'e') AND text2sql_eval._is_plain_type(t.oid) AND t.typcategory = CASE b.kind WHEN 'number' THEN 'N' WHEN 'date' THEN 'D' ELSE t.typcategory END
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
        EXCEPTION WHEN data_exception THEN
            CONTINUE;
        END;
    END LOOP;
END
$plant_boundaries$;

CREATE FUNCTION text2sql_eval.perturb(
    versions integer DEFAULT 2, keep double precision DEFAULT 0.6, schemas text[] DEFAULT NULL, max_rows integer DEFAULT 20000,
    suite text DEFAULT NULL
) RETURNS TABLE (version integer, table_count bigint, row_count bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $perturb$
DECLARE
    made record;
    counted bigint;
    owner text;
BEGIN
    IF perturb.versions IS NULL OR perturb.versions NOT BETWEEN 1 AND 9 THEN
        RAISE EXCEPTION 'versions must be between 1 and 9: %', perturb.versions USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF perturb.keep IS NULL OR NOT perturb.keep > 0 OR perturb.keep > 1 THEN
        RAISE EXCEPTION 'keep must be greater than 0 and at most 1: %', perturb.keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF perturb.max_rows IS NULL OR perturb.max_rows < 1 THEN
        RAISE EXCEPTION 'max_rows must be greater than 0: %', perturb.max_rows USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Nor by a member of a superuser role: a superuser's table is analyzed as the superuser.
    IF EXISTS (SELECT FROM pg_roles r WHERE r.rolsuper AND pg_has_role(r.oid, 'MEMBER')) THEN
        RAISE EXCEPTION 'perturbed copies cannot be created by a superuser or a member of one'
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Create them as the role that evaluates: CREATE ROLE evaluator; SELECT text2sql.grant_access(''evaluator'', ''evaluation''); '
                         'GRANT SELECT ON ALL TABLES IN SCHEMA public TO evaluator; SET ROLE evaluator; SELECT * FROM text2sql_eval.perturb();';
    END IF;
    SELECT pg_get_userbyid(n.nspowner) INTO owner FROM pg_namespace n
     WHERE n.nspname = 'text2sql_perturbed' AND pg_get_userbyid(n.nspowner) <> current_user
       AND n.nspowner <> (SELECT e.extowner FROM pg_extension e WHERE e.extname = 'pg_text2sql');
    IF FOUND THEN
        RAISE EXCEPTION 'schema "text2sql_perturbed" belongs to "%"', owner
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'Its owner could drop or replace the copies.',
                  HINT = 'A superuser can restore its owner, the owner of the extension: ALTER SCHEMA text2sql_perturbed OWNER TO postgres;';
    END IF;
    PERFORM text2sql_eval._drop_copies();
    FOR number IN 1 .. perturb.versions LOOP
        FOR made IN
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
               AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'text2sql', 'text2sql_eval', 'text2sql_perturbed')
               AND n.nspname NOT LIKE 'pg\_%' AND (perturb.schemas IS NULL OR n.nspname = ANY (perturb.schemas))
               AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
             ORDER BY c.oid
        LOOP
            PERFORM text2sql_eval._perturb_table(number, made.oid, perturb.keep, perturb.max_rows);
        END LOOP;
        PERFORM text2sql_eval._repair_references(number);
        version := number;
        table_count := 0;
        row_count := 0;
        -- The first version keeps its rows unchanged. Where a query relies on an invariant of the data (a total is the
        -- sum of its lines), other values would be unfair.
        IF number > 1 THEN
            PERFORM text2sql_eval._shuffle_table(number, p.original, p.copy) FROM text2sql_eval._perturbed_tables p
              WHERE p.version = number AND p.made_by = current_user;
            PERFORM text2sql_eval._add_boundary_values(number, perturb.suite);
        END IF;
        FOR made IN SELECT p.original, p.copy FROM text2sql_eval._perturbed_tables p WHERE p.version = number AND p.made_by = current_user LOOP
            EXECUTE format('ANALYZE %s', made.copy);
            EXECUTE format('SELECT count(*) FROM %s', made.copy) INTO counted;
            table_count := table_count + 1;
            row_count := row_count + counted;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END
$perturb$;

COMMENT ON TABLE text2sql_eval._perturbed_tables IS
    'Copies of tables with other rows, on which a correct answer must remain correct.';
COMMENT ON FUNCTION text2sql_eval._add_boundary_values(integer, text) IS
    'Inserts values that gold statements compare with into perturbed copies.';
COMMENT ON FUNCTION text2sql_eval.perturb(integer, double precision, text[], integer, text) IS
    'Creates perturbed copies of the readable tables, for CALL text2sql_eval.evaluate(''sales'', settings => ''{"copies": true}'').';
COMMENT ON FUNCTION text2sql_eval._drop_copies() IS
    'Drops the perturbed copies of the caller, and returns their number.';
COMMENT ON FUNCTION text2sql_eval._perturb_table(integer, oid, double precision, integer) IS
    'Creates one perturbed copy.';
COMMENT ON SCHEMA text2sql_perturbed IS
    'Copies of tables with other rows, for evaluations only.';
COMMENT ON FUNCTION text2sql_eval._fill_copy(integer, oid, oid, double precision, integer) IS
    'Fills a perturbed copy and records it.';
COMMENT ON FUNCTION text2sql_eval._forget_copies() IS
    'Deletes the records of the perturbed copies of the caller, and of copies that do not exist.';
COMMENT ON FUNCTION text2sql_eval._is_plain_type(oid) IS
    'Whether comparing and analyzing values of a type runs no user code.';
COMMENT ON FUNCTION text2sql_eval._is_generated(oid, smallint) IS
    'Whether a column is generated, or the source of a generated one.';
COMMENT ON FUNCTION text2sql_eval._repair_references(integer) IS
    'Deletes rows of perturbed copies with dangling references.';
COMMENT ON FUNCTION text2sql_eval._shuffle_table(integer, oid, regclass) IS
    'Moves values of a perturbed copy to other rows.';
COMMENT ON FUNCTION text2sql_eval._boundaries IS
    'Returns the values that the conditions of a statement compare with, for perturbed copies.';
