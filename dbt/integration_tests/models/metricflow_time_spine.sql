select day::date as date_day from generate_series('2025-01-01'::date, '2025-12-31'::date, '1 day') as day
