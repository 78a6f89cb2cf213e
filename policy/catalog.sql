-- The functions of a server's catalog, for scripts/policy.sh and the test that compares them with the policy:
-- number, signature, and the facts that make a function another one than that of the version before.
--
-- initdb numbers the functions from 12000 on (those of information_schema, snowball and plpgsql), so their
-- OIDs differ from machine to machine: `-` stands for them.
SET search_path = pg_catalog;
CREATE TEMP VIEW listed_functions AS
SELECT p.oid, CASE WHEN p.oid < 12000 THEN p.oid::text ELSE '-' END AS number,
    CASE WHEN p.pronamespace <> 'pg_catalog'::regnamespace THEN n.nspname || '.' ELSE '' END
        || p.proname || '('
        || (SELECT coalesce(string_agg(format_type(type, NULL), ',' ORDER BY position), '')
            FROM unnest(p.proargtypes) WITH ORDINALITY AS argument(type, position))
        || ')' AS signature,
    concat_ws(' ',
        CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
        CASE WHEN p.prosecdef THEN 'security definer' END,
        CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window function' WHEN 'p' THEN 'procedure'
            ELSE 'function' END,
        'in ' || l.lanname || ',',
        CASE
        WHEN a.aggfnoid IS NOT NULL THEN concat_ws(' and ', a.aggtransfn::text, nullif(a.aggfinalfn::text, '-'))
        WHEN p.prosrc ~ '^\w+$' THEN p.prosrc
        ELSE 'body ' || left(md5(p.prosrc || coalesce(pg_get_function_sqlbody(p.oid), '')), 8)
        END,
        CASE WHEN p.provariadic <> 0 THEN 'variadic' END,
        CASE WHEN p.pronargdefaults > 0 THEN p.pronargdefaults || ' defaults' END,
        CASE WHEN p.prosupport <> 0 THEN 'helped by ' || p.prosupport::text END,
        'returns',
        CASE WHEN p.proretset THEN 'rows of' END,
        format_type(p.prorettype, NULL)) AS facts
FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_language l ON l.oid = p.prolang
    LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
WHERE p.oid < 16384;
