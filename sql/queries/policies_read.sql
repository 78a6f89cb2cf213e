-- How row-level security decides about the rows of relations ($1) for a role ($2), a line for each that has it: its policies,
-- and which of them are for the role. Without such relations there is no line.
SELECT format('rows of %s.%s: %s', n.nspname, c.relname, md5(concat_ws(E'\n', c.relforcerowsecurity, row_security_active(c.oid), (
           SELECT string_agg(concat_ws(' ', p.polname, p.polcmd, p.polpermissive, p.polroles, pg_get_expr(p.polqual, p.polrelid),
                                       0 = ANY (p.polroles) OR EXISTS (SELECT FROM unnest(p.polroles) AS r(oid) WHERE r.oid <> 0 AND pg_has_role($2, r.oid, 'USAGE'))),
                             E'\n' ORDER BY p.polname)
             FROM pg_policy AS p WHERE p.polrelid = c.oid))))
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.oid = ANY ($1) AND c.relrowsecurity
 ORDER BY n.nspname, c.relname
