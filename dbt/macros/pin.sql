{# Prints a model that answers a question, for a file in models/:
     dbt --quiet run-operation text2sql.pin --args '{question: "How many orders by month?"}' >models/orders_by_month.sql
   Asked once, here: the model that is committed has SQL, and the lineage of every other model. #}
{% macro pin(question, materialized=none, options=none) %}
  {%- if execute -%}
    {%- set pinned = text2sql.pinned(question, options) -%}
    {%- set known = text2sql.project_relations() -%}
    {%- set reads = [] -%}
    {%- for name in pinned.relations -%}
      {%- if text2sql.bare(name) not in known -%} {%- do reads.append(name) -%} {%- endif -%}
    {%- endfor -%}
    {%- if reads -%}
      {%- do log('text2sql: the project has neither a model nor a source for ' ~ (reads | join(', '))
            ~ ': its name is written as it is, and dbt sees no lineage', info=true) -%}
    {%- endif -%}
    {%- set settings = [] -%}
    {%- if materialized -%} {%- do settings.append('materialized=' ~ tojson(materialized)) -%} {%- endif -%}
    {%- do settings.append('meta={"text2sql": ' ~ tojson({'question': question, 'fingerprint': pinned.fingerprint}) ~ '}') -%}
    {%- do print('{{ config(' ~ (settings | join(', ')) ~ ') }}\n' ~ pinned.template) -%}
    {{ return(pinned) }}
  {%- endif -%}
{% endmacro %}

{# The SQL of a question as a dictionary: sql, template, fingerprint, relations. #}
{% macro pinned(question, options=none) -%}
  {%- set sql = text2sql.written_sql(question, options) -%}
  {%- set template = text2sql.template(sql) -%}
  {#- What is pinned must be what was judged: the same statement, with the names that dbt gives. -#}
  {%- set rendered = text2sql.model_sql({'raw_code': template, 'name': question, 'depends_on': {'nodes': graph.nodes.keys() | list}}) -%}
  {%- set judged = text2sql.one_row('select allowed, reason, to_json(read_relations)::text as relations from text2sql.validate('
        ~ text2sql.literal(rendered) ~ ')') -%}
  {%- set before = text2sql.one_row('select to_json(read_relations)::text as relations from text2sql.validate(' ~ text2sql.literal(sql) ~ ')') -%}
  {%- if not judged.allowed -%}
    {{ exceptions.raise_compiler_error('the SQL of "' ~ question ~ '" could not be written with ref() and source(): ' ~ judged.reason) }}
  {%- elif judged.relations != before.relations -%}
    {{ exceptions.raise_compiler_error('the SQL of "' ~ question ~ '" would read ' ~ judged.relations ~ ' instead of ' ~ before.relations) }}
  {%- endif -%}
  {{ return({'sql': sql, 'template': template, 'fingerprint': text2sql.fingerprint(template),
             'relations': fromjson(judged.relations)}) }}
{%- endmacro %}

{# A name of the server without its quotes. #}
{% macro bare(name) -%}
  {%- set words = [] -%}
  {%- for word in modules.re.findall('"(?:[^"]|"")+"|[^."]+', name) -%}
    {%- do words.append(word[1:-1].replace('""', '"') if word.startswith('"') else word) -%}
  {%- endfor -%}
  {{ return(words | join('.')) }}
{%- endmacro %}

{# Prints an exposure for a question that people ask outside dbt: what it reads, as depends_on. #}
{% macro exposure(name, question, owner, type='analysis', options=none) %}
  {%- if execute -%}
    {%- set pinned = text2sql.pinned(question, options) -%}
    {%- set known = text2sql.project_relations() -%}
    {%- set lines = ['exposures:', '  - name: ' ~ name, '    label: ' ~ tojson(question), '    type: ' ~ type,
          '    owner:', '      email: ' ~ tojson(owner),
          '    description: ' ~ tojson('Asked with text2sql: ' ~ question),
          '    config:', '      meta:', '        text2sql:', '          question: ' ~ tojson(question),
          '          fingerprint: ' ~ pinned.fingerprint, '    depends_on:'] -%}
    {%- for relation in pinned.relations -%}
      {%- set call = known.get(text2sql.bare(relation)) -%}
      {%- if call -%} {%- do lines.append('      - ' ~ call[3:-3]) -%}
      {%- else -%} {%- do log('text2sql: the project has neither a model nor a source for ' ~ relation, info=true) -%} {%- endif -%}
    {%- endfor -%}
    {%- do print(lines | join('\n')) -%}
  {%- endif -%}
{% endmacro %}
