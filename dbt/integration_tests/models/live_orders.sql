-- depends_on: {{ ref("orders") }}
{{ text2sql.to_sql('How many orders are there?') }}
