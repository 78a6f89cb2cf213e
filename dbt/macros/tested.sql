{# The node that a generic test is about. #}
{% macro tested_node() -%}
  {%- set node = graph.nodes.get(context['model'].attached_node) -%}
  {%- if not node or not node.raw_code -%}
    {{ exceptions.raise_compiler_error('tests of text2sql are for models') }}
  {%- endif -%}
  {{ return(node) }}
{%- endmacro %}

{# The question of a pinned model, or that of the test. #}
{% macro tested_question(node, question=none) -%}
  {%- set pinned = (node.config.meta or {}).get('text2sql', {}) -%}
  {%- if not (question or pinned.get('question')) -%}
    {{ exceptions.raise_compiler_error(node.name ~ ' is no pinned answer: name the question, or make it with text2sql.pin') }}
  {%- endif -%}
  {%- if pinned.get('fingerprint') and pinned.fingerprint != text2sql.fingerprint(node.raw_code) -%}
    {%- do log('text2sql: ' ~ node.name ~ ' was changed after it was pinned', info=true) -%}
  {%- endif -%}
  {{ return(question or pinned.question) }}
{%- endmacro %}
