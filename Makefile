# One page of commands. `make` alone prints the menu; every target sets up what it needs.

PYTHON ?= python3
BIN := .venv/bin
LOCKED := .venv/.locked
STAMP := .venv/.installed
LOCK := requirements.lock
PEERS := tests/bench/peers.lock

.DEFAULT_GOAL := help
.PHONY: help setup test lint types layers pytest verify recheck \
	demo crash docs traceability proofs verify-deep bench bench-runtime bench-explore peers spin chromium lock clean

help: ## this menu
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv and install everything from the lock file

# Stamps are written last: an install that was cut short is done again.
$(LOCKED): $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "dhruva needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	@touch $@

$(STAMP): $(LOCKED) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

test: lint types layers pytest ## lint, types, layers and the whole test suite

lint: setup ## ruff: lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## mypy --strict over kernel, models, proofs and tests
	$(BIN)/mypy

layers: setup ## import-linter: the layers of the kernel
	$(BIN)/lint-imports

pytest: setup ## the tests alone
	$(BIN)/python -m pytest -q -n 2

verify: setup ## re-check every rule from nothing, and print what was checked
	$(BIN)/python -m dhruva verify

recheck: setup spin ## a second opinion on the models: Promela, re-verified by real Spin
	$(BIN)/python -m dhruva.verify.recheck

demo: setup ## a night's work on a SQLite file: killed with SIGKILL, resumed, its journal replayed
	$(BIN)/python docs/examples/demo.py

crash: setup ## kill real processes at every bad moment, and look for what was lost
	$(BIN)/python -m tests.crash

docs: setup ## regenerate docs/generated (stale pages fail `make test`)
	$(BIN)/python -m tests.spec.pages --write

traceability: setup ## totals of the traceability matrix (VER-4)
	$(BIN)/python -m tests.spec.pages --totals

bench: setup ## ratios within one run, printed and kept under build/bench
	$(BIN)/python -m tests.bench.table
	$(BIN)/python -m tests.bench.step
	$(BIN)/python -m tests.bench.requests

proofs: setup ## claims for any number of tasks: the real step on symbolic cells, confirmed by cvc5; contracts
	$(BIN)/python -m proofs

verify-deep: setup ## every mutant of tables and wiring put to the proofs (hours; goes on where it was cut short)
	$(BIN)/python -m proofs --deep

bench-runtime: setup ## the runtime beside anyio and DBOS (`make peers` installs them)
	$(BIN)/python -m tests.bench.runtime

peers: setup ## install what bench-runtime is measured against
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(PEERS)

bench-explore: setup ## the explorer beside Spin and its own reference engine
	$(BIN)/python -m tests.bench.explore

spin: ## install Spin, the second opinion of the tests (Debian package; needs root)
	@command -v spin > /dev/null || { apt-get update -qq && apt-get install -y -qq spin > /dev/null; }

COMPILE = uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

chromium: ## install Chromium, which opens the report in the tests (Debian package; needs root)
	@command -v chromium > /dev/null || { apt-get update -qq && apt-get install -y -qq chromium > /dev/null; }

lock: ## re-resolve both lock files (needs uv)
	$(COMPILE) --extra explore --extra proofs --group dev --upgrade -o $(LOCK) pyproject.toml
	$(COMPILE) --extra bench --constraint $(LOCK) --upgrade -o $(PEERS) pyproject.toml

clean: ## remove the environment and everything built
	rm -rf .venv build dist
