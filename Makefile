# Callscope: `make` prints this help; `make demo` and `make test` need only Python 3.11+, git and make.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
SOURCES := src tests benchmarks deploy
PYTEST_WORKERS ?= 2
# Without compiled files each start of `callscope` compiles 600 modules: 4.3 s of computing in place of 1.3 s.
unexport PYTHONDONTWRITEBYTECODE
CRASH_KILLS ?= 100
CRASH_BROKER_KILLS ?= 30

.PHONY: help setup run worker demo test test-all fuzz journeys crash sure lint bandit audit sbom types rooms format bench load quality requirements messages screenshots tour llama check-pages

help:  ## Print this help
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "Callscope needs Python 3.11 or newer; none was found on PATH."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@command -v uv >/dev/null || $(BIN)/python -m pip install --quiet uv
	@touch $@

UV = $(shell command -v uv || echo $(BIN)/uv)
INSTALL = VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet

$(VENV)/.demo: requirements/demo.txt pyproject.toml $(VENV)/.created
	@echo "Installing Callscope into $(VENV) ..."
	@$(INSTALL) --require-hashes -r requirements/demo.txt
	@$(INSTALL) --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.demo
	@echo "Installing the development tools into $(VENV) ..."
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

setup: $(VENV)/.dev  ## Install everything for development into .venv

run: $(VENV)/.demo  ## Serve the data folder (./callscope-data) on port 8000
	@$(BIN)/callscope init && $(BIN)/callscope serve

worker: $(VENV)/.demo  ## Run pipeline workers alone
	@$(BIN)/callscope worker

demo: $(VENV)/.demo  ## Run the sample calls through the whole pipeline and serve the result
	@$(BIN)/callscope demo $(DEMO_FLAGS)

test: $(VENV)/.dev  ## Run the tests on SQLite and, where one answers, on PostgreSQL at the same time
	@PYTEST_WORKERS=$(PYTEST_WORKERS) $(BIN)/python tests/run_suites.py

test-all: $(VENV)/.dev  ## Run every test with all of its cases on both databases, for about an hour
	@CALLSCOPE_TEST_EFFORT=20 PYTEST_WORKERS=$(PYTEST_WORKERS) $(BIN)/python tests/run_suites.py

fuzz: $(VENV)/.dev  ## Try harder: thousands of odd requests, files and random worlds, a manifest of 50,000 rows
	@CALLSCOPE_TEST_EFFORT=20 PYTEST_WORKERS=$(PYTEST_WORKERS) $(BIN)/python tests/run_suites.py tests/contract tests/fuzz

journeys: $(VENV)/.dev  ## Run the long journeys: browser, crash, real data
	@$(BIN)/python -m pytest tests -m "journey or slow" -q

CRASH = CALLSCOPE_TEST_EFFORT=20 CALLSCOPE_TEST_CRASH_KILLS=$(CRASH_KILLS) CALLSCOPE_TEST_CRASH_BROKER_KILLS=$(CRASH_BROKER_KILLS) \
	$(BIN)/python -m pytest tests/crash -n 0 -q -s
CALLSCOPE_TEST_POSTGRES_URL ?= postgres://postgres@127.0.0.1:5432/postgres

crash: $(VENV)/.dev  ## Kill processes at named points by the hundred: nothing is lost, nothing is made twice
	@echo "== SQLite"; $(CRASH)
	@echo "== PostgreSQL"; CALLSCOPE_TEST_DATABASE_URL=$(CALLSCOPE_TEST_POSTGRES_URL) $(CRASH)

sure: format-check lint bandit types rooms audit test  ## Format, lint, bandit, types, import rules, pip-audit, tests

.PHONY: format-check
format-check: $(VENV)/.dev
	@$(BIN)/ruff format --check $(SOURCES)

lint: $(VENV)/.dev  ## Find mistakes with ruff
	@$(BIN)/ruff check $(SOURCES)

bandit: $(VENV)/.dev  ## Find insecure code with bandit
	@$(BIN)/bandit --quiet --configfile pyproject.toml --recursive src

audit: $(VENV)/.dev  ## Look for known vulnerabilities in the packages with pip-audit
	@$(BIN)/python tests/audit_packages.py

SBOM ?= callscope-sbom.json
SBOM_PYTHON ?= $(BIN)/python
sbom: $(VENV)/.dev  ## List the installed packages in CycloneDX form (of SBOM_PYTHON, into SBOM)
	@$(BIN)/cyclonedx-py environment $(SBOM_PYTHON) --pyproject pyproject.toml --output-format JSON --output-file $(SBOM)
	@echo "$(SBOM)"

types: $(VENV)/.dev  ## Check types with mypy
	@$(BIN)/mypy src

rooms: $(VENV)/.dev  ## Check that no room looks ahead along the flow
	@$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev  ## Format the code
	@$(BIN)/ruff format $(SOURCES) && $(BIN)/ruff check --fix --quiet $(SOURCES)

messages: $(VENV)/.dev  ## Bring the translations up to date with the texts in the code
	@$(BIN)/python tests/web/messages.py

screenshots: $(VENV)/.dev  ## Take a picture of every page into ./screenshots
	@$(BIN)/python tests/journeys/screenshots.py $(SCREENSHOT_FLAGS)

check-pages: $(VENV)/.dev  ## Check every page as every role: axe, width, signs of the typeface, in both themes
	@$(BIN)/python tests/journeys/check_pages.py $(CHECK_FLAGS)

tour: $(VENV)/.dev  ## Take the pictures of README and docs/tour.md again, from the demonstration
	@$(BIN)/python tests/journeys/screenshots.py --tour $(SCREENSHOT_FLAGS)

BENCH_RESULTS ?= $(or $(TMPDIR),/tmp)/callscope-bench-results.jsonl

bench: $(VENV)/.dev  ## Print the benchmark ratios as one table
	@$(INSTALL) --require-hashes -r requirements/bench.txt
	@rm -f $(BENCH_RESULTS)
	@for f in benchmarks/bench_*.py; do echo "== $$f"; BENCH_RESULTS=$(BENCH_RESULTS) $(BIN)/python $$f || exit 1; done
	@$(BIN)/python benchmarks/measuring.py $(BENCH_RESULTS)

load: $(VENV)/.dev  ## Load a real server with people at work, then abuse it: others have to be served (LOAD_FLAGS="--help")
	@$(BIN)/python benchmarks/load/run.py $(LOAD_FLAGS)

quality: $(VENV)/.dev  ## Print how well Callscope judges, hears and redacts, against labels
	@for f in benchmarks/quality_*.py; do echo "== $$f"; $(BIN)/python $$f || exit 1; done

LLAMA := .venv-llama
$(LLAMA)/.done: requirements/llama.txt
	@echo "Building llama.cpp into $(LLAMA), which takes minutes ..."
	@$(PYTHON) -m venv $(LLAMA)
	@VIRTUAL_ENV=$(CURDIR)/$(LLAMA) $(UV) pip install --quiet --require-hashes -r requirements/llama.txt
	@touch $@

llama: $(VENV)/.dev $(LLAMA)/.done  ## Build llama.cpp and try the analyser against its real server
	@CALLSCOPE_TEST_LLAMA_PYTHON=$(CURDIR)/$(LLAMA)/bin/python $(BIN)/python -m pytest tests/engines/llm/test_llama.py -q -n 0

requirements: $(VENV)/.dev  ## Compile the hashed requirement files again
	@$(UV) pip compile --universal --generate-hashes -q pyproject.toml --extra demo-asr -o requirements/demo.txt
	@$(UV) pip compile --universal --generate-hashes -q pyproject.toml --all-extras --group dev -o requirements/dev.txt
	@$(UV) pip compile --universal --generate-hashes -q pyproject.toml --all-extras --group dev --group bench -o requirements/bench.txt
	@$(UV) pip compile --universal --generate-hashes -q requirements/llama.in -o requirements/llama.txt
