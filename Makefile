# Everything begins with packaging/bootstrap.py, which makes .venv once and is done at once afterwards.
#   make run ARGS="forecast llama-2-7b --device w7900"
#   make run TORCH=rocm6.4      TORCH=cpu | rocmX.Y | skip: another PyTorch build than the one found
#   make run WHEELS=dir         install offline from a folder of wheels;  V=1 shows the output of pip
#   make bench-accuracy         PEERS=1: other estimators too, from pip;  SECTIONS="limits speed": only these

.DEFAULT_GOAL := help
.PHONY: help run test check bench bench-accuracy screenshot screenshots guide-pictures tapes translations clean
export TORCH WHEELS V

# The Python of .venv if there is one, so that a newer one on the system changes nothing; else the newest there is.
PYTHON ?= $(shell for p in .venv/bin/python python3.14 python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
NO_PYTHON = vramtuner needs Python 3.11 or newer; install it, for example: sudo apt install python3 python3-venv
BOOTSTRAP = $(or $(PYTHON),$(error $(NO_PYTHON))) packaging/bootstrap.py
BIN = .venv/bin

help: ## show these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

run: ## install if needed, then start vramtuner with ARGS (none: the window)
	@$(BOOTSTRAP)
	@$(BIN)/vramtuner $(ARGS)

check: ## style, types and import rules
	@$(BOOTSTRAP) --dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check ## check, then all tests
	$(BIN)/pytest -n 2 --dist loadgroup

bench: ## measure what the documents promise
	@$(BOOTSTRAP)
	$(BIN)/python tests/bench/run.py

bench-accuracy: ## how right the forecast is, against recordings, real passes and published figures
	@$(BOOTSTRAP)
	$(BIN)/python tests/bench/accuracy.py $(SECTIONS) $(if $(PEERS),--peers)

screenshot: ## take the README's picture anew, from the journey test
	@$(BOOTSTRAP) --dev
	$(BIN)/pytest -q tests/gui/test_journey.py
	cp build/journey/5-exported.png docs/window.png

screenshots: ## pictures of every panel, light and dark, at three sizes, into build/screenshots; PANELS="live matrix": these
	@$(BOOTSTRAP) --dev
	$(BIN)/python tests/gui/pictures.py build/screenshots $(PANELS)

GUIDE = forecast levers devices compare matrix profiled presenter export diagnose
guide-pictures: ## take the pictures of docs/guide.md anew
	@$(BOOTSTRAP) --dev
	PICTURES_SIZES=1280x720 $(BIN)/python tests/gui/pictures.py build/screenshots $(patsubst profiled,live,$(GUIDE))
	mkdir -p docs/pictures
	for name in $(GUIDE); do cp build/screenshots/$$name-light-1280x720.png docs/pictures/$$name.png; done

translations: ## bring resources/i18n in step with what the window says, and release it for Qt
	@$(BOOTSTRAP)
	$(BIN)/python packaging/translations.py

tapes: ## record the tapes that ship with the presets
	@$(BOOTSTRAP)
	$(BIN)/python packaging/record_tapes.py

clean: ## remove what these targets made, .venv too
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
