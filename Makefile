# Two commands: `make report` and `make test`. Both need only python3 (3.11 or newer) and make.
# `make docs` also needs npm.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
# two test workers with two threads of linear algebra each would fight for the cores
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# tests start many processes; without compiled modules on disk each would compile all of Gardner again
unexport PYTHONDONTWRITEBYTECODE

# test processes; a third of the time a test waits for children of its own, so three fill two cores
WORKERS ?= 3
COUNT ?= 10000
SEED ?= 0

.PHONY: report board docs test-site test tests test-slow test-lowest test-modal test-torch coverage fuzz check format clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gardner needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

report: $(READY)
	$(BIN)/gardner reproduce --out out

# the site, with its own pinned versions; MathJax and axe-core come from npm, by the checksums of the lock file
DOCS := .venv-docs
SITE := out/site
$(DOCS)/.ready: pyproject.toml constraints-docs.txt docs/site/package.json docs/site/package-lock.json
	@command -v npm >/dev/null || { echo "make docs needs npm, for MathJax (Debian: apt-get install npm)" >&2; exit 1; }
	$(PYTHON) -m venv $(DOCS)
	PIP_CONSTRAINT=$(CURDIR)/constraints-docs.txt $(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[docs]'
	cp docs/site/package.json docs/site/package-lock.json $(DOCS)/
	npm ci --prefix $(DOCS) --ignore-scripts --no-audit --no-fund --silent
	touch $@

# warnings and dead links fail; the tutorials run on the way
docs: $(DOCS)/.ready
	rm -rf $(SITE) $(SITE)-source $(SITE)-doctrees
	$(DOCS)/bin/python -m tools.website stage $(SITE)-source
	GARDNER_NODE_MODULES=$(CURDIR)/$(DOCS)/node_modules $(ONE_THREAD) $(DOCS)/bin/python -m sphinx -W --keep-going --quiet \
		-d $(SITE)-doctrees $(SITE)-source $(SITE)
	$(DOCS)/bin/python -m tools.website links $(SITE)

# the built site in a browser, page by page
test-site: $(READY)
	$(BIN)/pytest tests/browser/test_site.py tests/contracts/test_website.py

# everyone's strategies on the same pools (docs/board.md); it can be stopped, and goes on
board: $(READY)
	$(BIN)/python -m benchmarks.board fetch
	$(ONE_THREAD) nice -n 10 $(BIN)/python -m benchmarks.board run
	$(BIN)/python -m benchmarks.board table

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# style, types and imports beside the tests: they keep one core busy for half a minute
test: $(READY)
	+$(MAKE) --no-print-directory --jobs=2 check tests

# the last line says how many lines of src the tests ran; below 90 % it fails
# the tests of a file share what is dear to make, so one process runs them all; files go in their order, since
# sorted by their number of tests the fuzzer, one long test, would be the last
tests: $(READY)
	rm -rf .coverage
	$(ONE_THREAD) $(BIN)/pytest -m 'not slow' -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cov --cov-report=

# the lines that the last `make test` did not run
coverage: $(READY)
	$(BIN)/coverage report --show-missing

test-slow: $(READY) test-modal test-torch
	$(ONE_THREAD) $(BIN)/pytest -m slow -n $(WORKERS)

# modAL's learner wants a scikit-learn before 1.8: an environment of its own, where our strategies run in its loop
MODAL := .venv-modal
$(MODAL)/.ready: pyproject.toml
	$(PYTHON) -m venv $(MODAL)
	$(MODAL)/bin/python -m pip install --quiet --disable-pip-version-check --editable . pytest hypothesis \
		'modAL-python>=0.4.2' 'scikit-learn<1.8'
	touch $@

test-modal: $(MODAL)/.ready
	$(ONE_THREAD) $(MODAL)/bin/pytest tests/modal

# the device path on PyTorch, in an environment of its own: PyTorch is large, and all else runs without it
TORCH := .venv-torch
$(TORCH)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(TORCH)
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable . pytest hypothesis array-api-strict 'torch==2.13.0'
	touch $@

test-torch: $(TORCH)/.ready
	$(ONE_THREAD) $(TORCH)/bin/pytest tests/unit/inference/device tests/unit/inference/test_message_passing.py \
		tests/unit/experiment/device tests/unit/experiment/question/test_device.py tests/unit/experiment/loop/test_device.py

# the lowest versions that pyproject.toml allows, in an environment of their own, on a quick part of the tests
LOWEST := .venv-lowest
$(LOWEST)/.ready: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	PIP_CONSTRAINT=$(CURDIR)/constraints-lowest.txt $(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check \
		--editable . pytest hypothesis array-api-strict
	touch $@

test-lowest: $(LOWEST)/.ready
	$(ONE_THREAD) $(LOWEST)/bin/pytest -m 'not slow' tests/unit/cli/test_commands.py tests/unit/theory/answers/test_bounds.py \
		tests/unit/inference/test_message_passing.py tests/unit/records tests/unit/report/test_cells.py \
		tests/unit/experiment/question/test_spec.py tests/unit/experiment/sweep/test_tasks.py

# command lines and files at random; the same SEED gives the same ones
fuzz: $(READY)
	$(ONE_THREAD) $(BIN)/python -m tests.fuzz --count $(COUNT) --seed $(SEED)

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(LOWEST) $(MODAL) $(TORCH) $(DOCS) $(SITE) $(SITE)-source $(SITE)-doctrees out/report.html out/tables out/figures .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
