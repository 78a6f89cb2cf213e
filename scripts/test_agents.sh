#!/usr/bin/env bash
# Tests what text2sql-server offers to other programs (MCP, A2A, the shape of OpenAI's API) with the clients that
# people have, from the Python package registry. tests/agents/README.md explains the tests. The database server is
# that of PGHOST and PGPORT, with a database `demo` to copy; without PGHOST one is started, and removed at the end.
#   test_agents.sh [PYTEST-ARGUMENT…]      for example: test_agents.sh test_mcp.py -k rows
#   test_agents.sh soak                    two roles take turns ten thousand times
# Clients that cannot be fetched are a skipped test. With CI set it is a failure where they could have been.
set -euo pipefail
# shellcheck source=scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# shellcheck source=scripts/client_tests.sh
source scripts/client_tests.sh

make_python agents/clients agents tests/agents/requirements.txt "the clients mcp, a2a-sdk and openai"
debug_build --bin text2sql-server --bin model_double
require_pg_config
if [ -z "${PGHOST:-}" ]; then start_server agent_tests; fi

TEXT2SQL_PROGRAMS=$(realpath "${CARGO_TARGET_DIR:-target}/debug")
TEXT2SQL_PSQL=$bindir/psql
export TEXT2SQL_PROGRAMS TEXT2SQL_PSQL PYTHONDONTWRITEBYTECODE=1
if [ -z "${TEXT2SQL_SHARED:-}" ] && [ -d ../shared ]; then
  TEXT2SQL_SHARED=$(realpath ../shared) && export TEXT2SQL_SHARED
fi
if [ "${1:-}" = soak ]; then
  shift
  export TEXT2SQL_ROUNDS=${TEXT2SQL_ROUNDS:-10000}
  set -- test_isolation.py "$@"
fi
cd tests/agents && "$python" -m pytest -p no:cacheprovider "$@"
