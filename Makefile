# One word for each thing a developer does. `make` alone checks everything that needs no server, browser or model.
BIN ?= .venv/bin
.DEFAULT_GOAL := check
.PHONY: install run dev format lint types test check browser screenshots live bench bench-screen docs

install:  ## everything a developer needs, in .venv
	python3 -m venv .venv
	$(BIN)/pip install -q -e '.[local,postgres,mysql,test,browser,dev]'

run:  ## the app, as a user sees it
	$(BIN)/streamlit run app.py

dev:  ## the app, reloading when a file changes
	$(BIN)/streamlit run app.py --server.fileWatcherType auto --client.showErrorDetails full

format:  ## rewrite to the house style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

test:  ## no key, no network beyond loopback
	$(BIN)/pytest

check: lint types test

browser:  ## the real app in headless Chromium
	$(BIN)/pytest -m browser

PICTURES ?= /tmp/tabulaflow-pictures
screenshots:  ## pictures of every page and state, to look at
	$(BIN)/python -m tests.browser.screenshots $(PICTURES)

live:  ## the embedded model's real weights
	$(BIN)/pytest -m live

bench:  ## figures and ratios, never a test
	$(BIN)/python -m benchmarks.first_answer

bench-screen:  ## first paint, clicks, first word and a crowd, each beside Streamlit alone
	for each in first_paint clicks first_token crowd; do $(BIN)/python -m benchmarks.screen_$$each || exit 1; done

docs:  ## the parts of the docs that are made from the code
	$(BIN)/python -m tabulaflow_core.cli.docs > docs/cli.md
