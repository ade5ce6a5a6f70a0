# Clindex's commands for people and CI. `make` shows them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
PORT ?= 8080
export QUERY
# A user's site-packages and a foreign PYTHONPATH would mix other versions in.
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH

.PHONY: help setup demo test test-fast chaos check fix schemas bench lock up down secrets clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Virtual environment, locked packages, system packages; does only what is missing
	@scripts/setup

demo: setup ## Nightly run through Airflow on the samples; QUERY="breast cancer" takes live studies
	@$(BIN)/clindex demo $${QUERY:+--query "$$QUERY"}

test: setup check ## Everything that CI runs: all checks, then all tests, two files at a time
	@$(BIN)/python -m pytest -n 2 --dist loadfile

test-fast: setup ## Tests that need neither a server nor many seconds
	@$(BIN)/python -m pytest -m "not slow and not service"

chaos: setup ## Kills at every write, time-outs, full disks, two runs at once, while readers search; SEED=1 JSON=FILE
	@CLINDEX_CHAOS=full CLINDEX_CHAOS_SEED=$${SEED:-1} CLINDEX_CHAOS_JSON=$${JSON:-} $(BIN)/python -m pytest tests/chaos

check: setup ## Lint, format, types, layers, schemas, lock, compose, Dockerfile, scripts; read-only
	@scripts/check

fix: setup ## Mend what can be mended: lint, format, schemas
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .
	@$(MAKE) schemas

schemas: setup ## Write schemas/ anew from the models
	@$(BIN)/python -m pipeline.cli.schemas

bench: setup ## Measure: indexing, unchanged runs, reconciliation, memory
	@$(BIN)/python -m bench

lock: ## Pin anew what pyproject.toml asks for; UPGRADE=1 takes the newest versions
	@scripts/lock $(if $(UPGRADE),--upgrade)

up: setup ## Airflow's own UI on this home, in the foreground; PORT=8080
	@$(BIN)/python scripts/airflow_up.py --port $(PORT)

down: setup ## Stop it from another terminal
	@$(BIN)/python scripts/airflow_up.py --stop

secrets: ## Random secrets for docker-compose.yaml in secrets/ (never committed); existing ones stay
	@scripts/make-secrets

clean: ## Remove the virtual environment and caches; homes with data stay
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov build dist
