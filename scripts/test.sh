#!/usr/bin/env bash
# Runs the checks and tests on the PostgreSQL of PG or PG_CONFIG; the last line shows how many passed, failed and were
# skipped. Continues after a failure, so that one run shows all of them, and then exits with an error. The extension is
# tested in a copy of the PostgreSQL installation and in clusters of its own.
#   test.sh         what every commit is held to
#   test.sh all     everything: CONTRIBUTING.md lists what that is more (nightly.sh)
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/stages.sh
source scripts/stages.sh

case ${1:-} in '' | all) extent=${1:-} ;; *) fail "usage: test.sh [all]" ;; esac
is_all() { [ "$extent" = all ]; }
scripts/setup.sh test
require_server
# Tests of the embedder multilingual fail if its file is not there, where it could be had.
if [ -f "$encoder_file" ]; then TEXT2SQL_ENCODER_FILE=$(realpath "$encoder_file") && export TEXT2SQL_ENCODER_FILE; fi
forget_callers_server
if is_all; then export TEXT2SQL_KILLS=${TEXT2SQL_KILLS:-1000}; fi
begin test_cluster test_server

formatting() {
  cargo fmt --all --check && cargo fmt "${research[@]:0:2}" --all --check
}
lints() {
  # Not --all-targets: it would compile a test of the library, which has none.
  nice -n 5 cargo clippy "${everything[@]}" --lib --bins --tests -- -D warnings
}
documentation() {
  RUSTDOCFLAGS=-Dwarnings cargo doc "${everything[@]}" --no-deps
}
pipeline_tests() {
  cargo test "${everything[@]}" --exclude text2sql_server_tests --no-fail-fast
}
# All at once: stages that compile would wait for each other.
compile_tests() {
  scripts/text2sql_server.sh build debug && cargo test "${everything[@]}" --no-run
}

run "formatting" formatting || true
if is_all; then run "documentation" documentation || true; fi
run "setup: which server, and where it comes from" each_script tests/setup || true

PG_CONFIG=$(scripts/server_copy.sh "$stages_copy")
aside_config=$(scripts/server_copy.sh "${stages_copy}_aside")
export PG_CONFIG
if ! run "install" install_extension || ! PG_CONFIG=$aside_config run "install a second time" install_aside; then
  run "lints" lints || true
  run "ring 1: pipeline, without a server" pipeline_tests || true
else
  eval "$(scripts/cluster.sh env "$stages_cluster")"
  run "programs for the tests" compile_tests || true
  # Beside stages that compile nothing.
  run_beside "lints" lints
  # On a server of their own: they change or restart it, or wait most of the time.
  run_beside "ring 4: life cycle" aside each_script tests/lifecycle
  run_beside "demo database of the second server" aside load_demo
  # Before other tests use the demo database: the pages show the answers of a new one.
  run_beside "documents: links, reference, examples" aside each_script tests/docs
  run_beside "ring 3: the whole server, from outside" aside cluster_tests
  run_beside "other programs: MCP, A2A, the shape of OpenAI's API" aside scripts/test_agents.sh
  run_beside "drivers and tools: psycopg, asyncpg, SQLAlchemy, JDBC, ODBC, Node, pgcli" aside scripts/test_clients.sh
  run_beside "behind pgbouncer in transaction mode" aside scripts/test_clients.sh pool
  run_beside "dbt package" aside scripts/test_dbt.sh
  run "ring 3: SQL surface, pg_regress" scripts/regress.sh || true
  run "demo database" load_demo || true
  run "ring 1: pipeline, without a server" pipeline_tests || true
  run "the page: modules, without a browser" scripts/test_page_modules.sh || true
  run "ring 2: adapters, inside a server" scripts/adapter_tests.sh || true
  run "ring 3: SQL surface, from outside" server_tests || true
  run "server tests behind pgbouncer" scripts/test_clients.sh server_pool "${extent:-sessions}" || true
  run "the page, in a browser" scripts/test_page.sh || true
  await_beside
  if is_all; then
    run "text2sql-server: what a fuzzing client sends" scripts/test_api.sh || true
    run "Debian package" tests/packages/deb.sh || true
    run "Debian package of the server" tests/packages/server.sh || true
    run "Debian package of text2sql_eval" tests/packages/eval.sh || true
    run "research: lints and tests" scripts/research.sh || true
  fi
fi
finish
