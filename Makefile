# Two commands are all a newcomer needs: `make run` and `make test`. Both set up .venv first, quickly the second time.
#   make run ARGS="forecast llama-2-7b --device w7900"
#   TORCH=skip|cpu|rocmX.Y, WHEELS=folder, V=1: see packaging/bootstrap.py

PYTHON := $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export TORCH WHEELS V

.PHONY: run test check bench tapes clean help setup setup-dev

run: setup
	@$(BIN)/vramtuner $(ARGS)

test: setup-dev check
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: setup-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup-dev
	$(BIN)/python tests/bench/run.py

tapes: setup-dev
	$(BIN)/python packaging/record_tapes.py

setup: python
	@$(PYTHON) packaging/bootstrap.py

setup-dev: python
	@$(PYTHON) packaging/bootstrap.py --dev

.PHONY: python
python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: sudo apt-get install python3" >&2; exit 1; }

clean:
	rm -rf .venv build dist *.egg-info packaging/src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

help:
	@sed -n 's/^# \{0,1\}//p' Makefile | head -4
