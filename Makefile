# Each target installs its dependencies into .venv. Start with `make demo` or `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install --constraint constraints.txt
# pip compiles nothing that it installs. Python compiles what is imported, and keeps it.
export PIP_COMPILE := no
export PYTHONDONTWRITEBYTECODE :=
# The index of PyTorch's build for CPUs, which is a tenth of the size. If it is empty
# (`make install TORCH_INDEX=`) or out of reach, pip's own index has the build for GPUs.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
CORE := skparaphrase/_core
# Tests run in one process per core with one thread each; `make test WORKERS=0` uses one
# process. SELECT leaves out tests that take over 20 s or need other libraries, which
# `make nightly` runs.
WORKERS ?= auto
SELECT ?= -m 'not slow and not integration'
TESTS ?= tests skparaphrase
MINUTES ?= 30
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

.PHONY: install demo test coverage integration together matrix nightly soak sanitize lint \
	bench papers docs dist clean

install: $(VENV)/test

$(VENV)/python: pyproject.toml setup.cfg setup.py constraints.txt $(CORE)/_compiled.pyx
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --no-deps $(TORCH_INDEX:%=--extra-index-url=%) torch
	$(INSTALL) --editable .
	@$(BIN)/python -c 'from skparaphrase._core import COMPILED; print("Installed the", \
		"compiled core." if COMPILED else "plain core, which is slower: no C++ compiler.")'
	touch $@

# pip keeps the installed package, and adds the dependencies of the extra.
$(VENV)/%: $(VENV)/python
	$(INSTALL) 'skparaphrase[$*]'
	touch $@

demo: $(VENV)/plot $(VENV)/train
	$(BIN)/python examples/quickstart.py

test: $(VENV)/test
	$(PYTEST) $(SELECT) $(OPTIONS) $(TESTS)

coverage:
	$(MAKE) test OPTIONS="$(OPTIONS) --cov --cov-context test --cov-report html"

# Tests with skrub, imbalanced-learn, Optuna, Dask, gensim, spaCy and other libraries.
integration: $(VENV)/integration
	$(PYTEST) -m integration $(OPTIONS) tests

# An environment on top of .venv, in which pip installs what follows.
define ON_TOP
$(BIN)/python -m venv $(VENV)-$*
$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
	> $$(echo $(VENV)-$*/lib/python*/site-packages)/base.pth
$(VENV)-$*/bin/python -m pip --quiet --disable-pip-version-check install
endef

# The tests with older versions of scikit-learn, each with NumPy, SciPy and polars of its
# time: polars 2 needs scikit-learn 1.9.
OLDER := 1.6 1.7 1.8
matrix: $(OLDER:%=matrix-%)
matrix-%: $(VENV)/test
	$(ON_TOP) scikit-learn==$*.* numpy==2.0.* scipy==1.13.* polars==1.*
	OMP_NUM_THREADS=1 PYTHONPATH=$(CURDIR) $(VENV)-$*/bin/python -m pytest --numprocesses $(WORKERS) \
		--dist worksteal $(SELECT) $(OPTIONS) $(TESTS)

# The examples with other tools and engines, each in an environment of its own on top of
# .venv. Spark needs Java 17 or later, and Daft an older pyarrow.
TOOLS := bertopic chromadb daft duckdb keybert langchain-core llama-index-core mteb \
	pyspark ray semhash
CONSTRAIN := --constraint constraints.txt
together-daft: CONSTRAIN :=
together: $(TOOLS:%=together-%)
together-%: $(VENV)/test
	$(ON_TOP) $(CONSTRAIN) $*
	$(VENV)-$*/bin/python -m pytest docs/tests/test_together.py docs/tests/test_engines.py \
		-k $(firstword $(subst -, ,$*))

# All that `make test` leaves out, which takes an hour.
nightly:
	$(MAKE) test SELECT="-m 'slow and not integration'" OPTIONS=--durations=25
	SKPARAPHRASE_CORE=plain $(MAKE) test TESTS="tests/core tests/text tests/vectors"
	$(MAKE) soak MINUTES=1
	$(MAKE) integration OPTIONS=--durations=25
	$(MAKE) together
	$(MAKE) matrix

# Attacks on texts, files and processes with new seeds, and a table of failures. It uses
# as many threads as users do.
soak: $(VENV)/test
	$(BIN)/python tests/robustness/soak.py $(MINUTES)

# The tests of the core under the sanitizers of GCC: of addresses and undefined behaviour,
# then of threads. Python itself is not instrumented, so that leaks are not reported.
SANITIZED := build/sanitize
sanitize: $(VENV)/test sanitize-address,undefined sanitize-thread
sanitize-%: $(VENV)/test
	rm -rf $(SANITIZED)
	$(INSTALL) Cython setuptools
	CFLAGS=-fsanitize=$* CXXFLAGS=-fsanitize=$* LDFLAGS=-fsanitize=$* $(BIN)/python setup.py \
		--quiet build_ext --force --build-lib $(SANITIZED) --build-temp $(SANITIZED)
	cp -r tests pyproject.toml $(SANITIZED)
	cp -rn skparaphrase $(SANITIZED)
	cd $(SANITIZED) && ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc \
		-print-file-name=lib$(if $(findstring thread,$*),tsan,asan).so)" PYTHONPATH=. \
		OMP_NUM_THREADS=1 $(CURDIR)/$(BIN)/python -m pytest -p no:cacheprovider tests/core

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The tests of the benchmarks, then the comparison with the recorded ratios.
bench: $(VENV)/test
	$(PYTEST) benchmarks/tests
	$(BIN)/python benchmarks/speed/guard.py

# The tables of the papers beside the published ones, the short form: less than an hour. In
# a clone without ../shared, a few minutes on bundled data.
papers: $(VENV)/test
	$(BIN)/python benchmarks/papers/run_papers.py --short --out build/papers

# The tests of the pages and docstrings, then the site.
docs: $(VENV)/docs $(VENV)/integration
	$(PYTEST) docs/tests
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx --builder html --fail-on-warning \
		--keep-going docs docs/_build/html

dist: $(VENV)/dist
	rm -rf build dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*

clean:
	rm -rf $(VENV) $(VENV)-* build dist htmlcov .coverage docs/_build docs/api/generated docs/api/backreferences \
		docs/auto_examples docs/sg_execution_times.rst *.egg-info $(CORE)/*.cpp $(CORE)/*.so \
		$(CORE)/*.pyd
