# Each target sets up all that it needs in .venv; `make demo` and `make test` are a start.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install --constraint constraints.txt
# Processes that tests run in, of one thread each: as many as there are cores, or
# `make test WORKERS=0`, which is all in one.
WORKERS ?= auto

.PHONY: install demo test lint bench docs changes dist clean

install: $(VENV)/test

$(VENV)/python: pyproject.toml setup.cfg constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	touch $@

$(VENV)/%: $(VENV)/python
	$(INSTALL) --editable '.[$*]'
	touch $@

demo: $(VENV)/plot
	$(BIN)/python examples/quickstart.py

test: $(VENV)/test
	OMP_NUM_THREADS=1 SCIPY_ARRAY_API=1 \
		$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/towncrier build --draft --version unreleased > /dev/null

bench: $(VENV)/python
	$(BIN)/python benchmarks/guard.py

docs: $(VENV)/docs
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx --builder html --fail-on-warning \
		--keep-going docs docs/_build/html

changes: $(VENV)/test
	@$(BIN)/towncrier build --draft --version unreleased --date "not yet"

dist: $(VENV)/dev
	rm -rf build dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*

clean:
	rm -rf $(VENV) build dist docs/_build docs/api/generated docs/api/backreferences \
		docs/auto_examples docs/sg_execution_times.rst *.egg-info
