# shellcheck shell=bash
# Sourced by the scripts that run tests in stages: runs them one after the other or side by side, continues after a
# failure, adds up the results, notes the times. Only one such script of a project runs at a time.

passed=0 failed=0 skipped=0 stage=0
broken=()
# Stages in the background: number, process and name of each.
beside=()
stages_begin=$EPOCHSECONDS
# The pg_config of the second server, where there is one.
aside_config=

# begin CLUSTER COPY: makes the place for the logs. Both are removed at the end, and what a killed run left now; so are
# those of stages beside others, which have a cluster and a copy of their own.
begin() {
  stages_cluster=$1 stages_copy=$2
  if has_memory; then
    export TEXT2SQL_STATE_BASE=$memory
    state=$(state_dir)
  fi
  make_state_dir
  exec 9<scripts/stages.sh
  if ! flock -n 9; then
    say "waiting for another test run of this project"
    flock 9
  fi
  logs=$(mktemp -d)
  mkdir -p "${stages_file%/*}"
  skips=$logs/skips
  : >"$skips"
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  remove_server
  # Tests that need it look there.
  if [ -d ../shared ]; then TEXT2SQL_SHARED=$(cd ../shared && pwd -P) && export TEXT2SQL_SHARED; fi
}
# Whether the clusters can be in memory. Tests make and drop hundreds of databases of hundreds of files each: on ext4,
# finding free inodes for them was a sixth of the time of a test run.
memory=/dev/shm
has_memory() {
  local available room
  [ -z "${TMPDIR:-}${TEXT2SQL_STATE_BASE:-}" ] && [ "$(stat -f -c %T "$memory" 2>/dev/null)" = tmpfs ] || return 1
  available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
  room=$(df -Pm "$memory" | awk 'NR == 2 { print $4 }')
  [ "$available" -ge 12000 ] && [ "$room" -ge 8000 ] || return 1
  # Programs run there.
  local program
  program=$(mktemp "$memory/.new.XXXXXX") || return 1
  cp "$(type -P true)" "$program"
  chmod 755 "$program"
  as_server_user "$program" 2>/dev/null
  local status=$?
  rm -f "$program"
  return "$status"
}
remove_server() {
  local suffix
  # The programs of PG_CONFIG stop both of them.
  for suffix in '' _aside; do scripts/cluster.sh remove "$stages_cluster$suffix" || true; done
  for suffix in '' _aside; do rm -rf "${state:?}/$stages_copy$suffix"; done
  make_state_dir
}
clean_up() {
  local status=$?
  trap - EXIT INT TERM
  local entry number process
  for entry in "${beside[@]}"; do
    read -r number process _ <<<"$entry"
    [ -f "$logs/$number.ended" ] || kill -- "-$process" 2>/dev/null || true
  done
  remove_server
  rm -rf "$logs"
  rmdir "$state" 2>/dev/null || true
  exit "$status"
}

# Adds up the output of a stage: cargo's results, pg_regress' lines, `ok - ` and `not ok - `. A skipped test prints
# `skipped: NAME needs …` (tests/server/src/skipped.rs) and ends successfully, so cargo counts it as passed:
# here it is not. Scripts print `skipped: SCRIPT/NAME needs …`, and no other line.
count() {
  awk -v skips="$skips" '
    /^skipped: [a-z_]+\/[a-z_]+ needs / { left_out++; print substr($0, 10) >>skips; next }
    match($0, /skipped: [a-zA-Z0-9_:]+ needs .*/) { away++; print substr($0, RSTART + 9) >>skips }
    /^test result: / { passed += $4; failed += $6; next }
    /^test .* \.\.\. ok +[0-9]+ ms/ { passed++ }
    /^test .* \.\.\. FAILED/ && / ms *$/ { failed++ }
    # pg_regress since 16: `ok 12  - name  30 ms`, and `+` for tests side by side.
    /^ok ([0-9]+ +)?[-+] / { passed++ }
    /^not ok ([0-9]+ +)?[-+] / { failed++ }
    END { print passed - away, failed + 0, away + left_out }' "$1"
}
# record NAME LOG STATUS START END: counts the tests of a stage that has ended, and notes its time for stage_times.sh.
record() {
  local name=$1 log=$2 status=$3 start=$4 end=$5 outcome=passed seconds stage_passed stage_failed stage_skipped
  read -r stage_passed stage_failed stage_skipped < <(count "$log")
  if [ "$status" != 0 ] && [ "$stage_failed" = 0 ]; then stage_failed=1; fi
  passed=$((passed + stage_passed)) failed=$((failed + stage_failed)) skipped=$((skipped + stage_skipped))
  seconds=$(awk "BEGIN { printf \"%.1f\", $end - $start }")
  if [ "$status" != 0 ]; then
    outcome=failed
    broken+=("$name")
    say "── $name: FAILED after $seconds s"
  else
    if [ "$stage_passed" = 0 ] && [ "$stage_skipped" != 0 ]; then outcome=skipped; fi
    say "── $name: done in $seconds s"
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "${start%.*}" "$(basename "$0" .sh)" "$name" "$seconds" "$outcome" \
    "$stage_passed" "$stage_failed" "$stage_skipped" >>"$stages_file"
}
# run NAME COMMAND …
run() {
  local name=$1 start=$EPOCHREALTIME status=0
  shift
  stage=$((stage + 1))
  printf '\n── %s\n' "$name"
  # No test may wait for the terminal, and no server may inherit the lock.
  "$@" </dev/null 9>&- 2>&1 | tee "$logs/$stage" || status=$?
  record "$name" "$logs/$stage" "$status" "$start" "$EPOCHREALTIME"
  return "$status"
}
# run_beside NAME COMMAND …: a stage beside those of `run`. Stages begun so run one after the other. await_beside prints
# what they printed.
run_beside() {
  local name=$1 before=
  shift
  if [ ${#beside[@]} -gt 0 ]; then read -r before _ <<<"${beside[-1]}"; fi
  stage=$((stage + 1))
  # In a process group of its own, which clean_up ends.
  set -m
  (
    while [ -n "$before" ] && [ ! -f "$logs/$before.ended" ]; do sleep 0.2; done
    start=$EPOCHREALTIME status=0
    "$@" >"$logs/$stage" 2>&1 </dev/null 9>&- || status=$?
    printf '%s %s %s\n' "$status" "$start" "$EPOCHREALTIME" >"$logs/$stage.new"
    mv "$logs/$stage.new" "$logs/$stage.ended"
  ) &
  set +m
  beside+=("$stage $! $name")
}
# Waits for the stages in the background, and prints and counts each.
await_beside() {
  local entry number process name status start end
  for entry in "${beside[@]}"; do
    read -r number process name <<<"$entry"
    wait "$process" || true
    printf '\n── %s\n' "$name"
    cat "$logs/$number"
    read -r status start end <"$logs/$number.ended" || { status=1 && start=$EPOCHREALTIME && end=$start; }
    record "$name" "$logs/$number" "$status" "$start" "$end"
  done
  beside=()
}
# Prints the times and the totals; fails if a stage failed.
finish() {
  local totals="$passed passed, $failed failed"
  say ""
  scripts/stage_times.sh "$stages_begin"
  if [ ${#broken[@]} -gt 0 ]; then
    say "failed stages:"
    printf '  %s\n' "${broken[@]}"
  fi
  if [ -s "$skips" ]; then
    say "skipped:"
    sort -u "$skips" | sed 's/^/  /'
  fi
  if [ "$skipped" != 0 ]; then totals="$totals, $skipped skipped"; fi
  say "$totals"
  [ ${#broken[@]} = 0 ]
}

# The parts of a test run on one server, that of PG_CONFIG. A stage runs without errexit.
install_extension() {
  scripts/build.sh debug && scripts/install.sh debug >/dev/null && scripts/cluster.sh start "$stages_cluster"
}
# A second copy of the server, with the extension that was built, and a cluster of it.
install_aside() {
  scripts/install.sh debug >/dev/null && scripts/cluster.sh start "${stages_cluster}_aside"
}
# aside COMMAND …: on that cluster.
aside() {
  PG_CONFIG=$aside_config
  eval "$(scripts/cluster.sh env "${stages_cluster}_aside")"
  "$@"
}
load_demo() {
  scripts/load_demo.sh && say "ok - the demo database loads"
}
each_script() {
  local script status=0
  for script in "$1"/*.sh; do
    [ -x "$script" ] || continue
    "$script" || status=1
  done
  return "$status"
}
# The binaries of tests/server/tests whose tests run side by side. Those of `cluster` change the whole server: they have
# one of their own, and run one after the other. Some of each run the program text2sql-server.
side_by_side=(--test asking --test evaluation --test guard --test knowledge --test web)
guards_corpus() {
  cargo test "${everything[@]}" --test guard -- corpus::
}
server_tests() {
  cargo test "${everything[@]}" "${side_by_side[@]}" --no-fail-fast -- --test-threads "$((2 * $(nproc)))"
}
cluster_tests() {
  cargo test "${everything[@]}" --test cluster -- --test-threads 1
}
