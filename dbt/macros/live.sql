{# Live macros ask again at each compile, and dbt sees no lineage. Pin an answer (pin.sql) where it is to stay. #}

{# The SQL of a question, in place of a model's. Nothing is asked while dbt parses or writes its documentation. #}
{% macro to_sql(question, options=none) -%}
  {%- if text2sql.may_ask() -%} {{ return(text2sql.written_sql(question, options)) }} {%- endif -%}
  {{ return('select null::text as not_asked where false') }}
{%- endmacro %}

{# The rows of a question. With `columns`, a dictionary of names and types, the question is asked when the model is
   read, and compiling asks nothing; without, it is asked for its columns at compile time as well. #}
{% macro ask_rows(question, columns=none, options=none) -%}
  {%- set definitions = [] -%}
  {%- if columns -%}
    {%- for name, type in columns.items() -%} {%- do definitions.append(adapter.quote(name) ~ ' ' ~ type) -%} {%- endfor -%}
  {%- elif text2sql.may_ask() -%}
    {%- set asked = text2sql.one_row('select status, answer, result_columns::text as columns from text2sql.ask(question => '
          ~ text2sql.literal(question) ~ ', options => ' ~ text2sql.options(options) ~ ')') -%}
    {%- if asked.status != 'ok' -%}
      {{ exceptions.raise_compiler_error('"' ~ question ~ '" is ' ~ asked.status ~ ': ' ~ asked.answer) }}
    {%- endif -%}
    {%- for column in fromjson(asked.columns) -%}
      {%- do definitions.append(adapter.quote(column.name) ~ ' ' ~ column.type) -%}
    {%- endfor -%}
  {%- else -%}
    {{ return('select null::text as not_asked where false') }}
  {%- endif -%}
  {{ return('select * from text2sql.ask_rows(question => ' ~ text2sql.literal(question) ~ ', options => '
            ~ text2sql.options(options) ~ ') as t(' ~ (definitions | join(', ')) ~ ')') }}
{%- endmacro %}
