{# What a name of the database is in the project: `schema.name` -> ref() or source(). #}
{% macro project_relations() -%}
  {%- set known = {} -%}
  {%- if execute -%}
    {%- for node in graph.sources.values() -%}
      {%- do known.update({node.schema ~ '.' ~ node.identifier:
            "{{ source(" ~ tojson(node.source_name) ~ ", " ~ tojson(node.name) ~ ") }}"}) -%}
    {%- endfor -%}
    {%- for node in graph.nodes.values() -%}
      {%- if node.resource_type in ['model', 'seed', 'snapshot'] and node.config.materialized != 'ephemeral' -%}
        {%- set package = '' if node.package_name == project_name else tojson(node.package_name) ~ ', ' -%}
        {%- set version = '' if not node.version else ', v=' ~ tojson(node.version) -%}
        {%- do known.update({node.schema ~ '.' ~ (node.alias or node.name):
              "{{ ref(" ~ package ~ tojson(node.name) ~ version ~ ") }}"}) -%}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(known) }}
{%- endmacro %}

{# SQL with the project's relations as ref() and source(). Texts, comments and quoted names are left alone; what Jinja
   would read as its own is put between raw and endraw. Returns the text, and the relations that no node is. #}
{% macro template(sql) -%}
  {%- set known = text2sql.project_relations() -%}
  {%- set name = '(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)' -%}
  {%- set pattern = '(?P<kept>\\b[eE]\'(?:\\\\.|\'\'|[^\'\\\\])*\'|\'(?:\'\'|[^\'])*\'|\\$(?P<tag>\\w*)\\$[\\s\\S]*?\\$(?P=tag)\\$'
        ~ '|--[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?P<name>' ~ name ~ '(?:\\s*\\.\\s*' ~ name ~ ')+)(?P<call>\\s*\\()?' -%}
  {%- set parts = [] -%}
  {%- set other = [] -%}
  {%- set place = namespace(end=0) -%}
  {%- for found in modules.re.finditer(pattern, sql) -%}
    {%- if found.group('name') and not found.group('call') -%}
      {%- set words = [] -%}
      {%- for word in modules.re.findall(name, found.group('name')) -%}
        {%- do words.append(word[1:-1].replace('""', '"') if word.startswith('"') else word) -%}
      {%- endfor -%}
      {%- set relation = words | join('.') -%}
      {%- if words | length == 3 and words[0] == target.database -%}
        {%- set relation = words[1:] | join('.') -%}
      {%- endif -%}
      {%- if relation in known -%}
        {%- do parts.append(text2sql.raw(sql[place.end:found.start()])) -%}
        {%- do parts.append(known[relation]) -%}
        {%- set place.end = found.end() -%}
      {%- endif -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do parts.append(text2sql.raw(sql[place.end:])) -%}
  {{ return(parts | join('')) }}
{%- endmacro %}

{# SQL with schemas before the names of tables in FROM and JOIN. `relations` are those that it reads, `schema.name`. #}
{% macro qualified(sql, relations) -%}
  {%- set full = {} -%}
  {%- for relation in relations -%} {%- do full.update({text2sql.bare(relation).split('.')[-1]: relation}) -%} {%- endfor -%}
  {%- set parts = [] -%}
  {%- set place = namespace(end=0) -%}
  {%- for found in modules.re.finditer('(?i)\\b(?:from|join)\\s+("(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)(?!\\s*[.(]|[a-z0-9_$])', sql) -%}
    {%- set name = text2sql.bare(found.group(1)) -%}
    {%- if name in full and not modules.re.search('(?i)[\\s,"]' ~ name ~ '"?\\s+as\\s+(not\\s+|materialized\\s+)*\\(', sql) -%}
      {%- do parts.append(sql[place.end:found.start(1)] ~ full[name]) -%}
      {%- set place.end = found.end(1) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do parts.append(sql[place.end:]) -%}
  {{ return(parts | join('')) }}
{%- endmacro %}

{# The text, so that Jinja leaves it alone. #}
{% macro raw(text) -%}
  {%- if '{{' not in text and '{%' not in text and '{#' not in text -%} {{ return(text) }} {%- endif -%}
  {%- if modules.re.search('\\{%-?\\s*endraw', text) -%}
    {{ exceptions.raise_compiler_error('the SQL contains the text "endraw" of Jinja, which cannot be written in a model') }}
  {%- endif -%}
  {{ return('{' ~ '% raw %' ~ '}' ~ text ~ '{' ~ '% endraw %' ~ '}') }}
{%- endmacro %}

{# The SQL of a model whose Jinja is no more than config(), ref(), source(), raw and comments, as `dbt compile` writes
   it. A generic test does not get the compiled SQL of the model that it tests. #}
{% macro model_sql(node) -%}
  {%- set pattern = '\\{%-?\\s*raw\\s*-?%\\}(?P<raw>[\\s\\S]*?)\\{%-?\\s*endraw\\s*-?%\\}|\\{#[\\s\\S]*?#\\}'
        ~ '|\\{\\{-?\\s*(?P<call>config|ref|source)\\s*\\((?P<arguments>(?:"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|[^"\'])*?)\\)\\s*-?\\}\\}|(?P<other>\\{[{%])' -%}
  {%- set parts = [] -%}
  {%- set place = namespace(end=0) -%}
  {%- for found in modules.re.finditer(pattern, node.raw_code) -%}
    {%- do parts.append(node.raw_code[place.end:found.start()]) -%}
    {%- set place.end = found.end() -%}
    {%- if found.group('other') -%}
      {{ exceptions.raise_compiler_error(
           'the tests of text2sql read models with ref(), source(), config() and raw only; ' ~ node.name
           ~ ' has other Jinja at "' ~ node.raw_code[found.start():found.start() + 30] ~ '"') }}
    {%- elif found.group('raw') -%}
      {%- do parts.append(found.group('raw')) -%}
    {%- elif found.group('call') in ['ref', 'source'] -%}
      {%- do parts.append(text2sql.relation_of(found.group('call'), found.group('arguments'), node)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- do parts.append(node.raw_code[place.end:]) -%}
  {{ return((parts | join('')).strip()) }}
{%- endmacro %}

{% macro relation_of(call, arguments, node) -%}
  {%- set words = [] -%}
  {%- for word in modules.re.findall('(?:^|,)\\s*(?:v\\s*=\\s*|version\\s*=\\s*)?["\']?([^,"\']+)["\']?', arguments) -%}
    {%- do words.append(word.strip()) -%}
  {%- endfor -%}
  {%- if call == 'source' -%}
    {%- for known in graph.sources.values() -%}
      {%- if [known.source_name, known.name] == words -%} {{ return(known.relation_name) }} {%- endif -%}
    {%- endfor -%}
  {%- else -%}
    {%- set has_version = modules.re.search('\\bv(ersion)?\\s*=', arguments) -%}
    {%- set version = words.pop() if has_version else none -%}
    {%- for known in graph.nodes.values() -%}
      {%- if known.unique_id in node.depends_on.nodes and known.name == words[-1]
            and (words | length == 1 or known.package_name == words[0])
            and (version is none or known.version | string == version) and known.relation_name -%}
        {{ return(known.relation_name) }}
      {%- endif -%}
    {%- endfor -%}
  {%- endif -%}
  {{ exceptions.raise_compiler_error('found no relation for ' ~ call ~ '(' ~ arguments ~ ') of ' ~ node.name) }}
{%- endmacro %}

{# What identifies the SQL of a model in every target: the body with ref() and source(), without config and comments,
   spaces as one. #}
{% macro fingerprint(template) -%}
  {%- set body = modules.re.sub('\\{\\{-?\\s*config\\s*\\((?:"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|[^"\'])*?\\)\\s*-?\\}\\}', '', template) -%}
  {%- set body = modules.re.sub('(?m)^\\s*--[^\\n]*$', '', body) -%}
  {{ return(local_md5(modules.re.sub('\\s+', ' ', body).strip())) }}
{%- endmacro %}
