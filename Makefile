# Everything a developer runs. Each target first makes .venv from the pinned versions in constraints.txt.

PYTHON ?= python3
SUITE ?= all
PAPER := papers/active-learning-amidst-logical-knowledge
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PEERS := modAL-python==0.4.2.1 scikit-activeml==1.0.1 small-text==1.4.1  # to measure beside, in make bench only
PIP_INSTALL := -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test system lint bench paper lock clean

help:  ## what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED)  ## label things of the world on a page of your own
	@$(BIN)/corollary demo

test: lint system  ## lint, then run every test
	@echo "tests"
	@$(BIN)/pytest -q -n 2 --ignore tests/browser
	@echo "tests in a browser"  # apart: they keep an event loop running, which other tests start themselves
	@$(BIN)/pytest -q -n 2 tests/browser || { \
	  echo "once more what failed, alone: a busy machine can keep a browser waiting too long"; \
	  $(BIN)/pytest -q --last-failed tests/browser; }

# What the tests need and pip does not bring.
system:
	@tests/system_packages.sh

lint: $(INSTALLED)  ## style, types and the direction of imports
	@echo "style";   $(BIN)/ruff check --quiet --output-format concise . && $(BIN)/ruff format --quiet --check .
	@echo "types";   $(BIN)/mypy
	@echo "imports"; $(BIN)/lint-imports --no-logo

bench: $(INSTALLED)  ## measure: make bench SUITE=logic (or asking, training, stopping)
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt $(PEERS) \
	  || echo "the peers did not all install; the benchmarks say which are missing"
	@$(BIN)/python -m benchmarks $(SUITE)

paper: $(INSTALLED)  ## re-run the paper's experiments; two minutes of them: make paper QUICK=1
	@for step in checks run figures report; do $(BIN)/python $(PAPER)/$$step.py $(if $(QUICK),--quick) || exit; done

# The build backend goes in first, pinned like the rest: no isolated build that would fetch its own.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Corollary needs Python 3.11 or newer; here $(PYTHON) is: $$($(PYTHON) --version 2>&1)"; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; } >&2
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@echo "installing the versions pinned in constraints.txt (a minute or so, once)"
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt setuptools
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@$(BIN)/corollary demo --prepare
	@touch $@

lock:  ## pin the newest versions that pyproject.toml allows
	@rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	@echo "resolving (a minute or so)"
	@$(VENV)-lock/bin/python $(PIP_INSTALL) --upgrade setuptools
	@$(VENV)-lock/bin/python $(PIP_INSTALL) --no-build-isolation --editable '.[dev]'
	@{ echo "# The versions that make installs. Made by: make lock"; \
	   $(VENV)-lock/bin/python -m pip freeze --all --exclude pip --exclude-editable; } > constraints.txt.new
	@mv constraints.txt.new constraints.txt && rm -rf $(VENV)-lock
	@echo "constraints.txt has $$(grep -c == constraints.txt) versions"

clean:  ## remove the environment and everything made
	@rm -rf $(VENV) $(VENV)-lock build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name '*.egg-info' -prune -exec rm -rf {} + -o -name __pycache__ -prune -exec rm -rf {} +
