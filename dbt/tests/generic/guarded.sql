{# Fails for SQL that the guard of text2sql refuses, and for findings of trust_report: `severities` says which. #}
{% test guarded(model, severities=['error', 'warning']) %}
  {%- if execute -%}
    {%- set node = text2sql.tested_node() -%}
    {%- set sql = text2sql.literal(text2sql.model_sql(node)) -%}
    {%- set judged = text2sql.one_row('select allowed, rule, reason from text2sql.validate(' ~ sql ~ ')') -%}
    {%- if judged.allowed -%}
      select finding, severity, basis, evidence, fix from text2sql.trust_report({{ sql }})
      where severity = any (array[{% for severity in severities %}{{ text2sql.literal(severity) }}{{ ', ' if not loop.last }}{% endfor %}]::text[])
    {%- else -%}
      select {{ text2sql.literal(judged.rule) }} as finding, 'error' as severity, {{ text2sql.literal(judged.reason) }} as evidence
    {%- endif -%}
  {%- endif -%}
{% endtest %}
