# shellcheck shell=bash
# Sourced after check.sh by tests that need a cluster of their own, because they change what it loads at its
# start. Sets cluster, data and log; the cluster is removed at the end.
#   own_cluster NAME        makes and starts it; PGHOST, PGPORT and PGUSER then name it
#   restart_with SETTINGS   starts it again with these settings in its configuration, and no earlier ones

own_cluster() {
  cluster=$1
  trap 'scripts/cluster.sh remove "$cluster"' EXIT
  scripts/cluster.sh remove "$cluster"
  scripts/cluster.sh start "$cluster"
  eval "$(scripts/cluster.sh env "$cluster")"
  data=$PGHOST/data
  log=$PGHOST/log
  as_server_user tee -a "$data/postgresql.conf" >/dev/null <<<"include_if_exists 'tried.conf'"
}

restart_with() {
  scripts/cluster.sh stop "$cluster"
  as_server_user tee "$data/tried.conf" >/dev/null <<<"$1"
  scripts/cluster.sh start "$cluster"
}

# The number of lines in the server's log, and the lines after so many.
log_length() { as_server_user cat "$log" | wc -l; }
log_after() { as_server_user tail -n "+$(($1 + 1))" "$log"; }

# What psql prints, errors and warnings included; a failure is part of the text.
told() { "$bindir/psql" -X -At -q "$@" 2>&1 || true; }

# Waits until a query prints the text.
wait_for() {
  local text=$1 found
  shift
  for _ in {1..300}; do
    found=$(query "$@")
    [ "$found" != "$text" ] || return 0
    sleep 0.1
  done
  printf '%s\n' "$found"
  return 1
}
