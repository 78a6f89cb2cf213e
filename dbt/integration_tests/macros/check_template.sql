{# Texts that are hard to take apart: what the package writes for them, and that it reads as it was. #}
{% macro check_template() %}
  {%- set orders = '{{ ref("orders") }}' -%}
  {%- set place = target.schema -%}
  {%- set cases = [
    ['select 1 from ' ~ place ~ '.orders o', 'select 1 from ' ~ orders ~ ' o'],
    ['select 1 from "' ~ place ~ '"."orders"', 'select 1 from ' ~ orders],
    ['select 1 from ' ~ target.database ~ '.' ~ place ~ '.orders', 'select 1 from ' ~ orders],
    ["select '" ~ place ~ ".orders', $$" ~ place ~ ".orders$$ from " ~ place ~ ".orders",
     "select '" ~ place ~ ".orders', $$" ~ place ~ ".orders$$ from " ~ orders],
    ["select E'it\\'s " ~ place ~ ".orders', 'it''s' -- " ~ place ~ ".orders", none],
    ['/* ' ~ place ~ '.orders */ select "a.b", o.id from orders o', none],
    ['select ' ~ place ~ '.orders(1)', none],
    ['select 1 from public.orders', none],
    ["select '{" ~ "{ x }" ~ "}' from " ~ place ~ ".orders", "{" ~ "% raw %" ~ "}select '{" ~ "{ x }" ~ "}' from {" ~ "% endraw %" ~ "}" ~ orders],
  ] -%}
  {%- for sql, expected in cases -%}
    {%- do check_equal(text2sql.template(sql), expected or sql, sql) -%}
  {%- endfor -%}

  {%- set node = {'name': 'x', 'raw_code': '', 'depends_on': {'nodes': graph.nodes.keys() | list}} -%}
  {%- set relation = '"' ~ target.database ~ '"."' ~ place ~ '"."orders"' -%}
  {%- for raw, expected in [
    ['{{ config(meta={"a": ")}}"}) }}\nselect 1 from {{ ref("orders") }}', 'select 1 from ' ~ relation],
    ["select 1 from {{ref('text2sql_integration_tests', 'orders')}} {# ref('gone') #}", 'select 1 from ' ~ relation],
    ["select {" ~ "% raw %" ~ "}'{" ~ "{ x }" ~ "}'{" ~ "% endraw %" ~ "}", "select '{" ~ "{ x }" ~ "}'"],
  ] -%}
    {%- do node.update({'raw_code': raw}) -%}
    {%- do check_equal(text2sql.model_sql(node), expected, raw) -%}
  {%- endfor -%}

  {%- set same = ['select 1\n  from {{ ref("orders") }}', '{{ config(meta={"a": ")"}) }}\n-- said\nselect 1 from {{ ref("orders") }}\n'] -%}
  {%- do check_equal(text2sql.fingerprint(same[0]), text2sql.fingerprint(same[1]), 'fingerprint') -%}

  {%- do check_equal(
        text2sql.qualified('with a as (select 1 from orders) select * from a join "Odd One" on true join b.orders on true', ['s.orders', 's."Odd One"', 's.a']),
        'with a as (select 1 from s.orders) select * from a join s."Odd One" on true join b.orders on true', 'qualified') -%}
  {%- do check_equal(text2sql.literal("it's a \\"), "'it''s a \\'", 'literal') -%}
  {%- do print('all texts are right') -%}
{% endmacro %}

{% macro check_equal(found, expected, what) %}
  {%- if found != expected -%}
    {{ exceptions.raise_compiler_error(what ~ ' became\n' ~ found ~ '\ninstead of\n' ~ expected) }}
  {%- endif -%}
{% endmacro %}
