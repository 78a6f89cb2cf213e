-- Which role may ask, teach, approve and evaluate, which models it may use, what it may spend, and whether its questions
-- wait for approval, each with the statement that gave it. Run once by CREATE EXTENSION, after question_budgets.sql and approvals.sql.
--
-- It shows what the catalogs show to all roles. Budgets and rules of approval are listed for roles to which they apply, and
-- for roles that may set budgets, or approve. Not SECURITY INVOKER: the table of budgets is readable by no other role, and the guard would refuse the view
-- to superusers, whose questions run as a role from which row-level security hides budgets. has_function_privilege() and
-- pg_has_role() are about the caller in any view.

CREATE VIEW text2sql.access WITH (security_barrier = true) AS
WITH right_of AS (
    -- What the levels of grant_access() give, by one function and one relation that is typical for each: approvers have no
    -- function of their own.
    SELECT r.may, p.oid AS function_oid, p.proowner AS owner, c.relacl AS typical_acl,
           CASE r.may WHEN 'approve' THEN coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner)) ELSE coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner)) END AS acl,
           CASE r.may WHEN 'approve' THEN 'SELECT' ELSE 'EXECUTE' END AS privilege,
           r.level, pg_catalog.format('%s %s', CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, p.oid::regprocedure) AS target,
           n.oid AS schema_oid
      FROM (VALUES ('ask', 'text2sql', 'ask', 'text2sql', '_conversation_turns', 'usage'),
                   ('teach', 'text2sql', 'define', 'text2sql', '_suggestions', 'curator'),
                   ('approve', 'text2sql', 'accept', 'text2sql', '_approval_rules', 'approver'),
                   ('evaluate', 'text2sql_eval', 'evaluate', 'text2sql_eval', 'cases', 'evaluation'))
               AS r(may, schema_name, function_name, relation_schema, relation_name, level)
      JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema_name
      JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid AND p.proname = r.function_name
      JOIN pg_catalog.pg_namespace m ON m.nspname = r.relation_schema
      JOIN pg_catalog.pg_class c ON c.relnamespace = m.oid AND c.relname = r.relation_name
), given AS (
    -- The holder of a privilege, as granted: a role, PUBLIC (0), or the owner.
    SELECT o.may, NULL::text AS object_name, o.owner, held.grantee, o.schema_oid,
           CASE WHEN held.grantee <> 0 AND EXISTS (SELECT FROM pg_catalog.aclexplode(o.typical_acl) AS t WHERE t.grantee = held.grantee)
                THEN pg_catalog.format('SELECT text2sql.grant_access(%L%s);', pg_catalog.pg_get_userbyid(held.grantee),
                         CASE WHEN o.level <> 'usage' THEN pg_catalog.format(', %L', o.level) END)
                ELSE pg_catalog.format('GRANT EXECUTE ON %s TO %s;', o.target,
                         CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(held.grantee)) END)
           END AS statement
      FROM right_of o
     CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) AS held
     WHERE held.privilege_type = o.privilege
    UNION ALL
    SELECT 'use', s.srvname::text, s.srvowner, held.grantee, NULL::oid AS schema_oid,
           pg_catalog.format('GRANT USAGE ON FOREIGN SERVER %I TO %s;', s.srvname,
               CASE held.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(held.grantee)) END)
      FROM pg_catalog.pg_foreign_server s
      JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw AND w.fdwname = 'text2sql'
     CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(s.srvacl, pg_catalog.acldefault('S', s.srvowner))) AS held
     WHERE held.privilege_type = 'USAGE'
)
SELECT r.rolname::text AS role_name, g.may, g.object_name,
       CASE WHEN g.grantee = 0 THEN 'PUBLIC'
            WHEN g.grantee = g.owner THEN 'owner'
            WHEN g.grantee <> r.oid THEN pg_catalog.pg_get_userbyid(g.grantee)::text END AS through,
       CASE WHEN g.grantee <> g.owner THEN g.statement END AS statement, NULL::name AS set_by, NULL::timestamptz AS set_at
  FROM pg_catalog.pg_roles r
  JOIN given g ON g.grantee = 0 OR pg_catalog.pg_has_role(r.oid, g.grantee, 'USAGE')
 WHERE NOT r.rolsuper AND r.rolname NOT LIKE 'pg\_%'
   AND (g.schema_oid IS NULL OR pg_catalog.has_schema_privilege(r.oid, g.schema_oid, 'USAGE'))
UNION ALL
SELECT r.rolname::text, g.may, g.object_name, 'superuser', pg_catalog.format('ALTER ROLE %I SUPERUSER;', r.rolname), NULL, NULL
  FROM pg_catalog.pg_roles r
 CROSS JOIN (SELECT DISTINCT o.may, o.object_name FROM given o) AS g
 WHERE r.rolsuper AND r.rolname NOT LIKE 'pg\_%'
UNION ALL
SELECT r.rolname::text, 'spend',
       pg_catalog.concat_ws(', ',
           b.questions_per_day || ' questions', b.tokens_per_day || ' tokens', b.cost_per_day || ' ' || b.currency) || ' a day',
       CASE WHEN h.oid <> r.oid THEN b.role_name::text END,
       pg_catalog.format('SELECT text2sql.set_budget(%s);', pg_catalog.concat_ws(', ', pg_catalog.quote_literal(b.role_name),
           'questions_per_day => ' || b.questions_per_day, 'tokens_per_day => ' || b.tokens_per_day,
           'cost_per_day => ' || b.cost_per_day, CASE WHEN b.cost_per_day IS NOT NULL THEN pg_catalog.format('currency => %L', b.currency) END)), NULL, NULL
  FROM text2sql._budgets b
  JOIN pg_catalog.pg_roles h ON h.rolname = b.role_name
  JOIN pg_catalog.pg_roles r ON r.oid = h.oid OR (pg_catalog.pg_has_role(r.oid, h.oid, 'MEMBER') AND NOT r.rolsuper)
 WHERE r.rolname NOT LIKE 'pg\_%'
   AND (pg_catalog.has_function_privilege('text2sql.set_budget(text, integer, bigint, numeric, text)', 'EXECUTE')
        OR pg_catalog.pg_has_role(h.oid, 'MEMBER'))
UNION ALL
-- A rule of a role that is gone is listed as well: it can be removed.
SELECT coalesce(r.rolname, w.role_name)::text, 'wait',
       CASE w.approval WHEN 'always' THEN 'for approval of every query'
            ELSE 'for approval of doubtful queries, and below a confidence of ' || w.min_confidence END,
       CASE WHEN h.oid <> r.oid THEN w.role_name::text END,
       pg_catalog.format('SELECT text2sql.set_approval(%s);', pg_catalog.concat_ws(', ', pg_catalog.quote_literal(w.role_name), pg_catalog.quote_literal(w.approval),
           CASE w.approval WHEN 'uncertain' THEN 'min_confidence => ' || w.min_confidence END)),
       w.set_by, w.set_at
  FROM text2sql._approval_rules w
  LEFT JOIN pg_catalog.pg_roles h ON h.rolname = w.role_name
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = h.oid OR (pg_catalog.pg_has_role(r.oid, h.oid, 'MEMBER') AND NOT r.rolsuper)
 WHERE pg_catalog.has_table_privilege('text2sql._approval_rules', 'SELECT') OR pg_catalog.pg_has_role(h.oid, 'MEMBER');
COMMENT ON VIEW text2sql.access IS
    'Which role may ask, teach, approve and evaluate, use which model, spend how much, and whose questions wait for approval, each with the statement that gave it. There is a row for each way: a role may have the same right directly and through a group.';
COMMENT ON COLUMN text2sql.access.role_name IS 'The role.';
COMMENT ON COLUMN text2sql.access.may IS 'ask, teach, approve, evaluate; use: a model; spend: it has a budget; wait: its questions wait for approval.';
COMMENT ON COLUMN text2sql.access.object_name IS 'The model that it may use, what it may spend in a day, or which of its queries wait; otherwise NULL.';
COMMENT ON COLUMN text2sql.access.through IS 'The role of which it is a member and that was granted the right or the budget, PUBLIC, owner or superuser; NULL where it was granted to the role itself.';
COMMENT ON COLUMN text2sql.access.statement IS 'The statement that gives the right, or sets the budget or rule; NULL for the owner.';
COMMENT ON COLUMN text2sql.access.set_by IS 'The role that set the rule of approval.';
COMMENT ON COLUMN text2sql.access.set_at IS 'When it was set.';
