{# on-run-end: "{{ text2sql.import_project() }}" teaches text2sql what this project declares, after each run. Only what
   has changed is written. The result is logged, and nothing is left for dbt to run. #}
{% macro import_project() %}
  {%- if execute and flags.WHICH in ['run', 'build', 'run-operation'] -%}
    {%- set manifest = {'nodes': {}, 'sources': {}, 'metrics': graph.metrics, 'semantic_models': graph.semantic_models} -%}
    {%- for id, node in graph.nodes.items() if node.resource_type in ['model', 'seed', 'snapshot', 'test'] -%}
      {%- do manifest.nodes.update({id: text2sql.declared(node)}) -%}
    {%- endfor -%}
    {%- for id, node in graph.sources.items() -%} {%- do manifest.sources.update({id: text2sql.declared(node)}) -%} {%- endfor -%}
    {%- set outcomes = run_query('select kind, name, outcome, reason from text2sql.import_knowledge('
          ~ text2sql.literal(tojson(manifest)) ~ ", 'dbt')") -%}
    {%- set counts = {} -%}
    {%- for row in outcomes.rows -%}
      {%- do counts.update({row[2]: counts.get(row[2], 0) + 1}) -%}
      {#- What is not built yet is known to whoever did not build it. -#}
      {%- if row[2] == 'left out' or row[2] == 'refused' and not row[3].endswith('does not exist') -%}
        {%- do log('text2sql: ' ~ row[2] ~ ': ' ~ row[0] ~ ' ' ~ row[1] ~ ': ' ~ row[3], info=true) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- set said = [] -%}
    {%- for outcome, number in counts.items() -%} {%- do said.append(number ~ ' ' ~ outcome) -%} {%- endfor -%}
    {%- do log('text2sql: imported this project: ' ~ ((said | join(', ')) or 'it declares nothing'), info=true) -%}
    {%- if flags.WHICH == 'run-operation' -%} {%- do run_query('commit') -%} {%- endif -%}
  {%- endif -%}
{% endmacro %}

{# What import_knowledge reads of a node: the code of the models would be most of the text. #}
{% macro declared(node) -%}
  {%- set short = {} -%}
  {%- for name in ['resource_type', 'schema', 'name', 'alias', 'identifier', 'description', 'columns', 'config', 'meta', 'tags',
        'depends_on', 'attached_node', 'column_name', 'test_metadata'] -%}
    {%- if node.get(name) is not none -%} {%- do short.update({name: node.get(name)}) -%} {%- endif -%}
  {%- endfor -%}
  {{ return(short) }}
{%- endmacro %}

{# on-run-end: "{{ text2sql.refresh() }}" brings the search index up to date with what was built. Where a background
   worker does that (`SELECT * FROM text2sql.status()`), it is not needed. #}
{% macro refresh() -%}
  {%- if execute and flags.WHICH in ['run', 'build', 'seed', 'snapshot'] -%} {{ return('call text2sql.refresh()') }} {%- endif -%}
{%- endmacro %}
