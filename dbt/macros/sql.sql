{# The text as an SQL literal. Postgres' own escapes are avoided: a backslash means itself. #}
{% macro literal(text) -%}
  {%- if text is none -%} null {%- else -%} '{{ (text | string).replace("'", "''") }}' {%- endif -%}
{%- endmacro %}

{# The options of every question: the variable text2sql_options, with those of the call. #}
{% macro options(given=none) -%}
  {%- set merged = {} -%}
  {%- do merged.update(var('text2sql_options', {})) -%}
  {%- do merged.update(given or {}) -%}
  {{ return(text2sql.literal(tojson(merged)) ~ '::jsonb') }}
{%- endmacro %}

{# One row as a dictionary, or none. Nothing is asked while dbt parses. #}
{% macro one_row(sql) -%}
  {%- if not execute -%} {{ return(none) }} {%- endif -%}
  {%- set table = run_query(sql) -%}
  {%- for row in table.rows -%}
    {%- set found = {} -%}
    {%- for name in table.column_names -%} {%- do found.update({name: row[loop.index0]}) -%} {%- endfor -%}
    {{ return(found) }}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro %}

{# Asks for the SQL of a question, with schemas before the names of tables whatever the search path is. The path is set
   in the statement that asks, because dbt may run it without a transaction, and set back for when it does not. #}
{% macro written_sql(question, options=none) -%}
  {%- if not execute -%} {{ return(none) }} {%- endif -%}
  {%- set before = text2sql.one_row("select current_setting('search_path') as path").path -%}
  {%- set asked = text2sql.one_row(
        "with path as materialized (select set_config('search_path', 'pg_catalog', true) as name)"
        ~ ' select text2sql.to_sql(question => case when path.name is not null then ' ~ text2sql.literal(question)
        ~ ' end, options => ' ~ text2sql.options(options) ~ ') as sql from path') -%}
  {%- do run_query("select set_config('search_path', " ~ text2sql.literal(before) ~ ", true)") -%}
  {{ return(asked.sql) }}
{%- endmacro %}

{# Whether this command builds or tests something: `dbt docs generate` and `dbt compile` compile models too, and
   must not ask a model for that. #}
{% macro may_ask() -%}
  {{ return(execute and flags.WHICH in ['run', 'build', 'test', 'show', 'snapshot', 'run-operation']) }}
{%- endmacro %}
