-- The roles that may ask, teach, approve and evaluate, use models and spend money, through privileges of their own, through
-- a group or as superusers. `direct` has what was granted to the role itself: only that can be taken from it.
SELECT pg_catalog.json_build_object(
           'roles', coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(listed) ORDER BY listed.role_name), '[]'))::text
  FROM (
    SELECT r.role_name, r.can_login, r.is_superuser, r.member_of,
           may.ask, may.teach, may.approve, may.evaluate, may.direct, may.models, may.budgets
      FROM text2sql.roles r
     CROSS JOIN LATERAL (
        SELECT coalesce(pg_catalog.bool_or(a.may = 'ask'), false) AS ask,
               coalesce(pg_catalog.bool_or(a.may = 'teach'), false) AS teach,
               coalesce(pg_catalog.bool_or(a.may = 'approve'), false) AS approve,
               coalesce(pg_catalog.bool_or(a.may = 'evaluate'), false) AS evaluate,
               pg_catalog.array_agg(DISTINCT a.may) FILTER (
                   WHERE a.may IN ('ask', 'teach', 'approve', 'evaluate') AND a.through IS NULL) AS direct,
               pg_catalog.array_agg(DISTINCT a.object_name) FILTER (WHERE a.may = 'use') AS models,
               pg_catalog.array_agg(DISTINCT a.object_name) FILTER (WHERE a.may = 'spend') AS budgets
          FROM text2sql.access a
         WHERE a.role_name = r.role_name
     ) AS may
     WHERE may.ask OR may.teach OR may.approve OR may.evaluate OR r.can_login
  ) AS listed
