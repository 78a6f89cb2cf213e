-- What decides which rows of relations ($1) a role ($2) sees beside its privileges, a line for each that has it: the policies
-- of row-level security, and which of them are for the role; definitions of views.
SELECT format('rows of %s.%s: %s', n.nspname, c.relname, md5(concat_ws(E'\n', c.relrowsecurity, c.relforcerowsecurity,
           c.relrowsecurity AND row_security_active(c.oid), CASE WHEN c.relkind IN ('v', 'm') THEN concat_ws(' ', c.reloptions, left(pg_get_viewdef(c.oid), 1000000)) END, (
           SELECT string_agg(concat_ws(' ', p.polname, p.polcmd, p.polpermissive, p.polroles, left(pg_get_expr(p.polqual, p.polrelid), 100000),
                                       0 = ANY (p.polroles) OR EXISTS (SELECT FROM unnest(p.polroles) AS r(oid) WHERE r.oid <> 0 AND pg_has_role($2, r.oid, 'USAGE'))),
                             E'\n' ORDER BY p.polname)
             FROM pg_policy AS p WHERE p.polrelid = c.oid AND c.relrowsecurity))))
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.oid = ANY ($1) AND (c.relrowsecurity OR c.relkind IN ('v', 'm'))
 ORDER BY n.nspname, c.relname
