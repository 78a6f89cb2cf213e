{# Asks the question again and compares the results of both queries, where the SQL is another: each row that only one of
   them has is a failure. It warns: an answer may change for good reasons. #}
{% test same_answer(model, question=none, options=none) %}
  {{ config(severity='warn') }}
  {%- if execute -%}
    {%- set node = text2sql.tested_node() -%}
    {%- set asked = text2sql.pinned(text2sql.tested_question(node, question), options) -%}
    {%- if asked.fingerprint == text2sql.fingerprint(node.raw_code) -%}
      select null::text as differs where false
    {%- else -%}
      with pinned as ({{ text2sql.model_sql(node) }}
      ), asked as ({{ asked.sql }}
      )
      (select 'only pinned' as differs, p::text as row from pinned p except all select 'only pinned', a::text from asked a)
      union all
      (select 'only now', a::text from asked a except all select 'only now', p::text from pinned p)
    {%- endif -%}
  {%- endif -%}
{% endtest %}
