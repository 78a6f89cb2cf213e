# shellcheck shell=bash
# Sourced by the scripts that run tests in stages: runs them one after the other, continues after a failure, adds
# up the results. Only one such script of a project runs at a time.

passed=0 failed=0 skipped=0 stage=0
broken=()

# begin CLUSTER COPY: makes the place for the logs. Both are removed at the end, and what a killed run left now.
begin() {
  stages_cluster=$1 stages_copy=$2
  make_state_dir
  exec 9<scripts/stages.sh
  if ! flock -n 9; then
    say "waiting for another test run of this project"
    flock 9
  fi
  logs=$(mktemp -d)
  skips=$logs/skips
  : >"$skips"
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  remove_server
  # Tests that need it look there.
  if [ -d ../shared ]; then TEXT2SQL_SHARED=$(cd ../shared && pwd -P) && export TEXT2SQL_SHARED; fi
}
remove_server() {
  scripts/cluster.sh remove "$stages_cluster" || true
  rm -rf "${state:?}/$stages_copy"
  make_state_dir
}
clean_up() {
  local status=$?
  trap - EXIT INT TERM
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
    /^ok - / { passed++ }
    /^not ok - / { failed++ }
    END { print passed - away, failed + 0, away + left_out }' "$1"
}
# run NAME COMMAND …
run() {
  local name=$1 start=$EPOCHREALTIME seconds status=0 stage_passed stage_failed stage_skipped log
  shift
  stage=$((stage + 1))
  log=$logs/$stage
  printf '\n── %s\n' "$name"
  # No test may wait for the terminal, and no server may inherit the lock.
  "$@" </dev/null 9>&- 2>&1 | tee "$log" || status=$?
  read -r stage_passed stage_failed stage_skipped < <(count "$log")
  if [ "$status" != 0 ] && [ "$stage_failed" = 0 ]; then stage_failed=1; fi
  passed=$((passed + stage_passed)) failed=$((failed + stage_failed)) skipped=$((skipped + stage_skipped))
  seconds=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $start }")
  if [ "$status" = 0 ]; then
    say "── $name: done in $seconds s"
  else
    say "── $name: FAILED after $seconds s"
    broken+=("$name")
  fi
  return "$status"
}
# Prints the totals; fails if a stage failed.
finish() {
  local totals="$passed passed, $failed failed"
  say ""
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
each_script() {
  local script status=0
  for script in "$1"/*.sh; do
    [ -x "$script" ] || continue
    "$script" || status=1
  done
  return "$status"
}
# server_tests NAME …: files of tests/server/tests. Those of text2sql-server run the program.
server_tests() {
  local tests
  scripts/text2sql_server.sh build debug
  mapfile -t tests < <(printf -- '--test\n%s\n' "$@")
  cargo test "${programs[@]}" "${tests[@]}" --no-fail-fast
}
