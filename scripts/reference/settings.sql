-- The settings of the extension as a page: they exist once the library is loaded.
LOAD 'pg_text2sql';
WITH listed AS (
    SELECT s.name, s.context, s.vartype, s.short_desc, s.extra_desc,
           CASE WHEN s.boot_val = '' OR s.boot_val IS NULL THEN 'empty'
                WHEN s.setting = s.boot_val THEN format('`%s`', current_setting(s.name))
                ELSE format('`%s`', s.boot_val || coalesce(s.unit, '')) END AS default_value,
           CASE WHEN s.vartype = 'enum' THEN (SELECT string_agg(format('`%s`', v), ', ') FROM unnest(s.enumvals) AS v)
                WHEN s.vartype = 'bool' THEN '`on`, `off`'
                WHEN s.vartype = 'string' THEN 'text'
                WHEN s.max_val::float8 >= 2147483647 THEN format('%s from %s', CASE s.vartype WHEN 'integer' THEN 'whole number' ELSE 'number' END, s.min_val)
                ELSE format('%s to %s', s.min_val, s.max_val) END
           || CASE s.unit WHEN 'ms' THEN ', in milliseconds if no unit is given' WHEN 's' THEN ', in seconds if no unit is given'
                          WHEN 'min' THEN ', in minutes if no unit is given'
                          WHEN 'kB' THEN ', in kB if no unit is given' ELSE '' END AS range_of_values,
           CASE s.context WHEN 'user' THEN 'every user' WHEN 'superuser' THEN 'superusers'
                          WHEN 'sighup' THEN 'the configuration file' ELSE s.context END AS set_by
      FROM pg_settings s
     WHERE s.name LIKE 'text2sql.%'
)
SELECT E'# Settings\n\nThis page is written by `make reference` from `pg_settings`.\n'
       'The settings are there once the library is loaded in a session: by the first call of a function, by `LOAD ''pg_text2sql''` or by `session_preload_libraries = ''pg_text2sql''`.\n'
       'How to set them for a role, a database or one call: [administration](../administration.md#settings).\n'
       'Those of superusers can be given to a role with `GRANT SET ON PARAMETER`.\n'
UNION ALL
SELECT E'| setting | default | set by |\n|---|---|---|\n'
       || string_agg(format('| [%s](#%s) | %s | %s |', l.name, replace(l.name, '.', ''), CASE WHEN length(l.default_value) > 60 THEN 'see there' ELSE l.default_value END, l.set_by), E'\n' ORDER BY l.name)
       || E'\n'
  FROM listed l
UNION ALL
SELECT part FROM (
    SELECT format(E'## %s\n\n%s\n%s\n- Values: %s.\n- Default: %s.\n- Set by: %s.\n',
                  l.name, l.short_desc,
                  CASE WHEN l.extra_desc <> '' THEN l.extra_desc || E'\n' ELSE '' END,
                  l.range_of_values, l.default_value, l.set_by) AS part
      FROM listed l
     ORDER BY l.name
) AS parts;
