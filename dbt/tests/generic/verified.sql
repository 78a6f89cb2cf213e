{# Fails unless the SQL of the model is a verified example of text2sql for its question. #}
{% test verified(model, question=none) %}
  {%- if execute -%}
    {%- set node = text2sql.tested_node() -%}
    {%- set asked = text2sql.tested_question(node, question) -%}
    {%- set own = text2sql.fingerprint(node.raw_code) -%}
    {#- Not by its status: with the search path of dbt, a name without a schema may be broken. -#}
    {%- set examples = run_query('select id, sql, to_json(table_names)::text from text2sql.examples where verified_by is not null'
          ~ ' and question = ' ~ text2sql.literal(asked)) -%}
    {%- set found = [] -%}
    {%- for row in examples.rows -%}
      {%- if text2sql.fingerprint(text2sql.template(text2sql.qualified(row[1], fromjson(row[2])))) == own -%} {%- do found.append(row[0]) -%} {%- endif -%}
    {%- endfor -%}
    select {{ text2sql.literal(asked) }} as question, {{ examples.rows | length }} as other_verified_examples
    {%- if found %} where false {%- endif -%}
  {%- endif -%}
{% endtest %}
