{{ text2sql.ask_rows('How many orders are there?', columns={'orders': 'bigint'}) }}
