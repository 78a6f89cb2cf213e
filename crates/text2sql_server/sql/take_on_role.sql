-- Settings in the order in which they are written; the role is the last of them. A setting that only a superuser or
-- who was granted it may set could not be set after the role was taken on.
SELECT count(pg_catalog.set_config(s.key, s.value, true))::text
FROM pg_catalog.json_each_text($1::json) AS s
