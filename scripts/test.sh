#!/usr/bin/env bash
# Runs every check and every test; the last line shows how many passed, failed and were skipped. Continues after
# a failure, so that one run shows all of them, and then exits with an error. The extension is tested in a copy
# of the PostgreSQL installation and in clusters of its own.
#   test.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

scripts/setup.sh test
require_pg_config
forget_callers_server
make_state_dir
exec 9<scripts/test.sh
if ! flock -n 9; then
  say "waiting for another test run of this project"
  flock 9
fi

copy=test_server
cluster=test_cluster
ring2=$state/test_adapters
logs=$(mktemp -d)
remove_servers() {
  local pid_file
  for pid_file in "$ring2"/*/postmaster.pid; do
    [ -f "$pid_file" ] || continue
    as_server_user "$bindir/pg_ctl" stop -D "$(dirname "$pid_file")" -m immediate -s || true
  done
  scripts/cluster.sh remove "$cluster" || true
  rm -rf "${state:?}/$copy" "${ring2:?}"
}
clean_up() {
  local status=$?
  trap - EXIT INT TERM
  remove_servers
  rm -rf "$logs"
  rmdir "$state" 2>/dev/null || true
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A killed run leaves its clusters behind.
remove_servers
make_state_dir

passed=0 failed=0 skipped=0 stage=0
broken=()
skips=$logs/skips
: >"$skips"
# Adds up the output of a stage: cargo's results, pg_regress' lines, the lifecycle checks. A skipped test prints
# `skipped: NAME needs …` (tests/server/src/skipped.rs) and ends successfully, so cargo counts it as passed:
# here it is not.
count() {
  awk -v skips="$skips" '
    match($0, /skipped: [a-zA-Z0-9_:]+ needs .*/) { away++; print substr($0, RSTART + 9) >>skips }
    /^test result: / { passed += $4; failed += $6; next }
    /^test .* \.\.\. ok +[0-9]+ ms/ { passed++ }
    /^test .* \.\.\. FAILED/ && / ms *$/ { failed++ }
    /^ok - / { passed++ }
    /^not ok - / { failed++ }
    END { print passed - away, failed + 0, away + 0 }' "$1"
}
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

packages=(--workspace --exclude "$extension")
server_tests=text2sql_server_tests
if [ -f tests/server/Cargo.toml ]; then packages+=(--exclude "$server_tests"); fi

adapter_tests() {
  local options=() home=$state/$copy/pgrx build=(--package "$extension" --no-default-features
    --features "pg$postgres_major pg_test")
  # Built under the ordinary configuration: cargo would record the path of the temporary one below, and
  # regenerate the bindings each time.
  cargo test --no-run "${build[@]}"
  cargo build --lib "${build[@]}"
  # cargo-pgrx installs into, and starts, the server named in its configuration.
  mkdir -p "$home"
  printf '[configs]\npg%s = "%s"\n' "$postgres_major" "$PG_CONFIG" >"$home/config.toml"
  if [ "$(id -u)" = 0 ]; then options=(--runas "$server_user"); fi
  install -d -m 755 "$ring2"
  if [ "$(id -u)" = 0 ]; then chown "$server_user" "$ring2"; fi
  # Writing a backtrace for each of the thousands of errors provoked by tests takes minutes.
  PGRX_HOME=$home RUST_BACKTRACE=0 cargo pgrx test "pg$postgres_major" --package "$extension" --pgdata "$ring2" \
    "${options[@]}"
}
install_extension() {
  cargo pgrx install --package "$extension" --pg-config "$PG_CONFIG" >/dev/null
  scripts/cluster.sh start "$cluster"
}
load_demo() {
  scripts/load_demo.sh
  say "ok - the demo database loads"
}
black_box_tests() {
  if [ -d ../shared ]; then TEXT2SQL_SHARED=$(cd ../shared && pwd -P) && export TEXT2SQL_SHARED; fi
  cargo test -p "$server_tests" --no-fail-fast
}
each_script() {
  local script status=0
  for script in "$1"/*.sh; do
    [ -x "$script" ] || continue
    "$script" || status=1
  done
  return "$status"
}

run "formatting" cargo fmt --all --check || true
run "lints" cargo clippy --workspace --all-targets -- -D warnings || true
run "documentation" env RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps || true
run "setup: which server, and where it comes from" each_script tests/setup || true
run "ring 1: pipeline, without a server" cargo test "${packages[@]}" --no-fail-fast || true

PG_CONFIG=$(scripts/server_copy.sh "$copy")
export PG_CONFIG
run "ring 2: adapters, inside a server" adapter_tests || true
if run "install" install_extension; then
  eval "$(scripts/cluster.sh env "$cluster")"
  run "ring 3: SQL surface, pg_regress" scripts/regress.sh || true
  if [ -d demo ]; then run "demo database" load_demo || true; fi
  # Before other tests use the demo database: the pages show the answers of a new one.
  run "documents: links, reference, examples" each_script tests/docs || true
  if [ -f tests/server/Cargo.toml ]; then
    run "ring 3: SQL surface, from outside" black_box_tests || true
  fi
  run "ring 4: life cycle" each_script tests/lifecycle || true
fi

say ""
if [ ${#broken[@]} -gt 0 ]; then
  say "failed stages:"
  printf '  %s\n' "${broken[@]}"
fi
if [ -s "$skips" ]; then
  say "skipped:"
  sed 's/^/  /' "$skips"
fi
totals="$passed passed, $failed failed"
if [ "$skipped" != 0 ]; then totals="$totals, $skipped skipped"; fi
say "$totals"
[ ${#broken[@]} = 0 ]
