# `make demo` needs git, make and Python 3.11 or newer with venv; `make test` also needs Chromium.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto
STAMP := $(VENV)/.installed

.PHONY: demo test lint types docs bench clean

demo: $(STAMP)
	$(BIN)/python -m tests.demo

test: lint types
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deptry hookspecs pi_pkg pi_core

types: $(STAMP)
	$(BIN)/mypy

# References and the picture of the house are made from the code; then the whole site.
docs: $(STAMP)
	$(BIN)/python -m tests.docs.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(STAMP)
	$(BIN)/python -m compileall -q hookspecs pi_core pi_pkg
	$(BIN)/python -m tests.bench

# An environment is made once and refreshed when the project's dependencies change.
$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pi needs Python 3.11 or newer; set PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=23.2'
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m compileall -q $(VENV)/lib >/dev/null 2>&1 || true
	touch $@

clean:
	rm -rf site $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
