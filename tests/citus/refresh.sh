# shellcheck shell=bash
# Sourced by scripts/test_citus.sh: values, sizes and statistics of distributed tables, and that no code of an owner runs
# for them. The superuser reads as text2sql_reader, which is there.
as_owner -f tests/citus/refresh.sql >/dev/null
as_owner -c "ALTER SYSTEM SET text2sql.run_as = 'text2sql_reader'" -c "SELECT pg_reload_conf()" >/dev/null
on_node() { PGHOST=${host[$1]} PGPORT=${port[$1]} query -U postgres -d shop "${@:2}"; }
refreshed() { as_owner "$@" -c "CALL text2sql.refresh()" 2>&1; }
values_of() {
  as_owner -c "SELECT string_agg(v.value, ', ' ORDER BY v.value) FROM text2sql._index_values v
    JOIN pg_attribute a ON a.attrelid = v.relation AND a.attnum = v.attribute
    WHERE v.is_first AND v.relation = '$1'::regclass AND a.attname = '$2'"
}
rows_of() { as_owner -c "SELECT rows FROM text2sql._index_distributed_tables WHERE relation = '$1'::regclass"; }
runs_of_evil() {
  local node
  for node in "${nodes[@]}"; do grep -ho 'evil ran as <[a-z0-9_]*>' "${host[$node]}/log"; done | sort | uniq -c | tr -s ' ' | { grep -v '<mallory>' || true; }
}
# Repeats a command until it prints that text, for at most 30 s: counters of rows arrive late.
until_it_says() {
  local deadline=$((SECONDS + 30)) found
  while found=$("${@:2}") && [ "$found" != "$1" ] && ((SECONDS < deadline)); do sleep 0.5; done
  printf '%s\n' "$found"
}

said=$(refreshed)
same "values of distributed tables are found" "cancelled, open, paid" "$(values_of orders status)"
same "and of reference tables" "France, Germany, Spain" "$(values_of countries name)"
same "and of a table in one shard" "turquoise" "$(values_of settings_of_one value)"
same "and of a partitioned one" "dubious, precise" "$(values_of readings quality)"
same "and of one whose names need quotes, in a schema outside the path" "Rückruf, walk-in" "$(values_of '"Far Away"."Visits"' 'Kind "of" Visit')"
same "blanks that pad a value do not count" "padded" "$(values_of '"Far Away"."Visits"' letters)"
same "labels of an enum are values" "angry, calm" "$(values_of '"Far Away"."Visits"' mood)"
same "long texts are not" "" "$(values_of '"Far Away"."Visits"' note)"
same "sizes are those of all shards" "6000 100 40" "$(rows_of orders) $(rows_of readings) $(rows_of '"Far Away"."Visits"')"
same "a prompt has a size and a value that nobody taught" "orders (distributed by customer_id; about 6000 rows; primary key customer_id, order_id)
orders.status = 'cancelled' for \"cancelled\"" "$(
  as_analyst -c "SELECT text2sql.preview_prompt('How many cancelled orders are there?')" | grep -E "^orders( |\.status = )"
)"
same "shares of NULL and numbers of values are known" "0.2 2" "$(
  as_owner -c "SELECT null_shares[2], distinct_values[2] FROM text2sql._index_distributed_tables WHERE relation = 'huge'::regclass" -F ' '
)"
same "a prompt has no column that its reader may not read" "" "$(
  as_owner -c "REVOKE SELECT ON orders FROM analyst" -c "GRANT SELECT (order_id, customer_id) ON orders TO analyst"
  as_analyst -c "SELECT text2sql.preview_prompt('How many cancelled orders are there?')" | grep -E "cancelled'|^  status" || true
  as_owner -c "GRANT SELECT ON orders TO analyst"
)"
again() { refreshed | grep -o '[0-9]* values read from [0-9]* tables*'; }
same "nothing is read again that has not changed" "0 values read from 0 tables" "$(until_it_says "0 values read from 0 tables" again)"

# What owners attached to their tables, on the coordinator or to a shard by hand, does not run.
for kind in expression predicate check statistics generated part domain shard; do
  same "a table with a trap in its $kind is read" "bait of $kind" "$(values_of "mallory.by_$kind" bait)"
done
same "one with a policy is not" "" "$(values_of mallory.by_policy bait)"
same "no code of an owner ran, on no node" "" "$(runs_of_evil)"
for kind in expression shard; do
  coordinator text2sql_reader -c "SELECT count(*) FROM mallory.by_$kind" >/dev/null
  same "an ordinary query runs it: by_$kind" yes "$([ -n "$(runs_of_evil)" ] && echo yes)"
  for node in "${nodes[@]}"; do : >"${host[$node]}/log"; done
done

# What a node returns to a role that asks it directly.
as_owner -c "SELECT text2sql.grant_access('mallory')" >/dev/null
returned_to_mallory() {
  local node
  for node in citus_worker_a citus_worker_b; do
    on_node "$node" -c "SET citus.override_table_visibility = off" -c "SET ROLE mallory" \
      -c "SELECT text2sql._shard_values('$1', ARRAY['$2'], ARRAY['$2'], 1000)"
  done | grep -oE 'permission denied for public.[a-z]+|bait of [a-z]+' | sort -u
}
same "a node returns nothing that the caller may not read" "permission denied for public.orders" "$(returned_to_mallory public.orders status)"
same "and what he may read" "bait of domain" "$(returned_to_mallory mallory.by_domain bait)"

as_owner -c "INSERT INTO orders VALUES (9001, 5, 'returned', 1, '2026-01-01')"
returned() { refreshed >/dev/null && values_of orders status; }
same "new rows are read" "cancelled, open, paid, returned" "$(until_it_says "cancelled, open, paid, returned" returned)"

# A table of another owner with the name of a shard, on a node without that shard.
forged=$(as_owner -c "SELECT shard_name FROM citus_shards WHERE table_name = 'orders'::regclass AND nodeport = ${port[citus_worker_a]} LIMIT 1")
on_node citus_worker_b -c "SET citus.enable_ddl_propagation = off" -c "CREATE TABLE $forged (LIKE orders)" \
  -c "ALTER TABLE $forged OWNER TO mallory" -c "INSERT INTO $forged VALUES (1, 1, 'forged', 1, '2026-01-01')" >/dev/null
for right in GRANT REVOKE; do
  on_node citus_worker_b -c "SET citus.enable_ddl_propagation = off" \
    -c "$right SELECT ON $forged $([ $right = GRANT ] && echo TO || echo FROM) PUBLIC" >/dev/null
  as_owner -c "DELETE FROM text2sql._index_value_tables WHERE relation = 'orders'::regclass"
  same "a table with the name of a shard is not read: $right" "0 cancelled, open, paid, returned" \
    "$(refreshed | grep -c 'could not read values of public.orders' || true) $(values_of orders status)"
done
on_node citus_worker_b -c "SET citus.enable_ddl_propagation = off" -c "DROP TABLE $forged" >/dev/null
as_owner -c "TRUNCATE settings_of_one" -c "INSERT INTO settings_of_one VALUES ('colour', 'crimson')"
emptied() { refreshed >/dev/null && values_of settings_of_one value; }
same "and those after TRUNCATE" "crimson" "$(until_it_says crimson emptied)"
as_owner -c "SELECT text2sql.protect('orders.status', 'private')" >/dev/null
refreshed >/dev/null
same "values of a protected column are forgotten" "" "$(values_of orders status)"
as_owner -c "SELECT text2sql.protect('orders', 'private')" >/dev/null
refreshed >/dev/null
same "and what was counted in a protected table" t "$(as_owner -c "SELECT attributes IS NULL FROM text2sql._index_distributed_tables WHERE relation = 'orders'::regclass")"
as_owner -c "SELECT text2sql.protect('orders', 'open')" >/dev/null
as_owner -c "SELECT text2sql.protect('orders.status', 'open')" >/dev/null

# A table too large to be read, as far as the planner knows.
as_owner -c "ANALYZE huge"
for node in citus_worker_a citus_worker_b; do
  on_node "$node" -c "SET citus.override_table_visibility = off" \
    -c "UPDATE pg_class SET reltuples = 400000 WHERE relname ~ '^huge_[0-9]+$'" >/dev/null
done
as_owner -c "INSERT INTO huge VALUES (1, 'unheard of')"
as_owner -c "DELETE FROM text2sql._index_value_tables WHERE relation = 'huge'::regclass"
refreshed >/dev/null
same "of a large table the statistics of the workers are used" "excellent, mediocre 1600000 t" "$(values_of huge grade) $(rows_of huge) $(
  as_owner -c "SELECT abs(null_shares[2] - 0.2) < 0.01 FROM text2sql._index_distributed_tables WHERE relation = 'huge'::regclass"
)"

# A table of which a shard is locked is left, and other tables are read.
as_owner -c "DELETE FROM text2sql._index_value_tables WHERE relation = 'items'::regclass"
as_owner -c "UPDATE text2sql._index_value_tables SET rows = 'shards/1 1' WHERE relation = 'customers'::regclass"
locked=$(as_owner -c "SELECT shard_name FROM citus_shards WHERE table_name = 'customers'::regclass AND nodeport = ${port[citus_worker_a]} LIMIT 1")
is_held() { on_node citus_worker_a -c "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation::regclass::text = '$locked'"; }
end_holder() { on_node citus_worker_a -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holder'" >/dev/null; }
hold() {
  on_node citus_worker_a -c "SET citus.enable_manual_changes_to_shards = on" -c "SET application_name = 'holder'" \
    -c "BEGIN; LOCK TABLE $1 IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)" >/dev/null 2>&1 &
  holder=$!
  until_it_says 1 is_held >/dev/null
}
hold "$locked"
same "a table with a locked shard waits for the next call" "1 locked table left for the next call" "$(refreshed | grep -o '1 locked table left for the next call')"
same "other tables are read, and what was known stays" "Product 0 t" "$(values_of items product | cut -d, -f1) $(as_owner -c "SELECT count(*) > 0 FROM text2sql._index_values WHERE relation = 'customers'::regclass")"
end_holder
wait "$holder" 2>/dev/null || true
customers_are_read() { refreshed >/dev/null && as_owner -c "SELECT rows LIKE 'shards/% 300' FROM text2sql._index_value_tables WHERE relation = 'customers'::regclass"; }
same "the next call reads it" t "$(until_it_says t customers_are_read)"
as_owner -c "UPDATE text2sql._index_value_tables SET rows = 'shards/1 1' WHERE relation = 'customers'::regclass"
same "a time limit is a warning" "could not read values of public.customers: it took longer than text2sql.query_timeout (1 ms)" \
  "$(refreshed -c "SET text2sql.query_timeout = '1ms'" | grep -o 'could not read values of public.customers.*')"
same "what was known stays" t "$(as_owner -c "SELECT count(*) > 0 FROM text2sql._index_values WHERE relation = 'customers'::regclass")"
refreshed >/dev/null

# A worker that does not answer at once.
locked=pg_dist_shard
hold "$locked"
started=$EPOCHREALTIME
same "a cancel ends refresh()" "canceling statement due to statement timeout" "$(refreshed -c "SET statement_timeout = '500ms'" | grep -o 'canceling.*')"
same "within 2 s" yes "$(awk "BEGIN { print ($EPOCHREALTIME - $started < 2 ? \"yes\" : \"no\") }")"
same "a node that does not answer in time is left out" "did not answer: a node did not answer within 1200 ms" \
  "$(refreshed -c "SET text2sql.query_timeout = '200ms'" | grep -o 'did not answer: .*' | sort -u)"
same "without a cancel it waits for some seconds" "canceling statement due to lock timeout" "$(refreshed | grep -o 'canceling.*')"
as_owner -c "UPDATE text2sql._index_value_tables SET rows = 'shards/1 1' WHERE relation = 'countries'::regclass"
same "a copy on another node is read" "France, Germany, Spain t" "$(refreshed >/dev/null && values_of countries name) $(
  as_owner -c "SELECT rows LIKE 'shards/% 3' FROM text2sql._index_value_tables WHERE relation = 'countries'::regclass"
)"
end_holder
wait "$holder" 2>/dev/null || true

same "a role that cannot log in is named" "pg_read_all_data" "$(
  refreshed -c "SET text2sql.run_as = 'pg_read_all_data'" | grep -o 'read as role "[a-z_]*"' | sort -u | cut -d'"' -f2
)"

# The background worker does the same.
as_owner -c "INSERT INTO orders VALUES (9002, 6, 'mislaid', 1, '2026-01-01')"
as_owner -c "ALTER SYSTEM SET text2sql.maintenance_interval = '1s'" -c "SELECT pg_reload_conf()" -c "ALTER DATABASE shop RESET text2sql.maintenance_interval" >/dev/null
same "a background worker reads them, too" "cancelled, mislaid, open, paid, returned" "$(until_it_says "cancelled, mislaid, open, paid, returned" values_of orders status)"
as_owner -c "ALTER DATABASE shop SET text2sql.maintenance_interval = 0"
