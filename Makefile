# `make demo` and `make test` need nothing but Python 3.11 or later and make.
PYTHON ?= python3
VENV := .venv
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(SCRIPTS)
PIP := python -m pip install --quiet --disable-pip-version-check
# A file goes to one worker, which makes its fixtures once.
PYTEST := pytest -q -n auto --dist loadfile --no-loadscope-reorder
# Tests start many processes, which would compile the package anew each time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-python test-newest test-oldest test-slow mutants bench docs docs-links pictures looks changelog lint lint-platforms clean
.PHONY: dist test-wheel test-sdist test-threads docs-publish release-check release-announce

# Made anew whenever what is to be installed changes.
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "palio needs Python 3.11 or later: make PYTHON=python3.11")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/$(PIP) --constraint constraints.txt --editable '.[dev]'
	touch $@

# Other environments, each beside the first, with what they INSTALL.
$(VENV)-%/.installed: pyproject.toml constraints.txt constraints-oldest.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/$(SCRIPTS)/$(PIP) $(INSTALL)
	touch $@

demo: $(VENV)/.installed
	$(BIN)/palio demo

lint: $(VENV)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# The types as macOS and Windows have them; a minute, and seconds the second time.
lint-platforms: $(VENV)/.installed
	for each in darwin win32; do \
	  $(BIN)/mypy --platform $$each --cache-dir .mypy_cache/$$each src || exit 1; done

# Debian's Chromium, for the tests that look at pages. Where it cannot be had these tests say so:
# they are skipped with a reason, and fail where CI=true.
$(VENV)/.browser: $(VENV)/.installed
	command -v chromium >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq chromium; } \
	  || echo 'Chromium is not there and cannot be installed.'
	touch $@

test: lint $(VENV)/.browser
	$(BIN)/$(PYTEST)

# The versions that constraints.txt names, on another Python: make test-python PYTHON=python3.13
# Without doctests on Windows: they print paths and letters of one system.
PYTHON_ENV := $(VENV)-$(notdir $(PYTHON))
$(PYTHON_ENV)/.installed: INSTALL = --constraint constraints.txt --editable '.[dev]'
test-python: $(PYTHON_ENV)/.installed
	$(PYTHON_ENV)/$(SCRIPTS)/$(PYTEST) $(if $(filter Windows_NT,$(OS)),tests)

# The newest versions there are, and the oldest that pyproject.toml promises; what these need is newer,
# and warns of how they use it.
$(VENV)-newest/.installed: INSTALL = --editable '.[dev]'
test-newest: $(VENV)-newest/.installed
	$(VENV)-newest/$(SCRIPTS)/$(PYTEST)

$(VENV)-oldest/.installed: INSTALL = --constraint constraints-oldest.txt --editable '.[dev]'
$(VENV)-oldest/.installed: PYTHON = python3.11
test-oldest: $(VENV)-oldest/.installed
	$(VENV)-oldest/$(SCRIPTS)/$(PYTEST) -W default::DeprecationWarning

# Python without its lock (python3.14t). psycopg, polars and the server of PostgreSQL are not made for it.
$(VENV)-threads/.installed: INSTALL = --editable '.[bayes,dask,excel,learners,parquet,web,test]'
test-threads: $(VENV)-threads/.installed
	$(VENV)-threads/$(SCRIPTS)/$(PYTEST)

# Another engine for the Bayesian models, and libraries of boosting, which only the slow tests need.
$(VENV)/.oracle: $(VENV)/.installed
	$(BIN)/$(PIP) --constraint constraints.txt --editable '.[boosting,oracle]'
	touch $@

test-slow: $(VENV)/.oracle
	$(BIN)/pytest -q -n auto -m slow --durations=10
	$(BIN)/pytest -q -n auto --hypothesis-profile thorough tests/properties tests/comparison/test_prediction_tests.py

# Faults put in on purpose, a sample of them; half an hour. mutmut wants an older pytest.
$(VENV)-mutants/.installed: INSTALL = --editable '.[mutants]'
mutants: $(VENV)-mutants/.installed
	mkdir -p mutants/src
	PYTHONPATH=$(CURDIR)/mutants/src $(VENV)-mutants/$(SCRIPTS)/python tests/mutants.py

# The peers have demands of their own, so they live in an environment of their own.
$(VENV)-bench/.installed: INSTALL = --editable '.[bench]'
bench: $(VENV)-bench/.installed
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/multitest.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/compare.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/run.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/rank.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/bayes.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/web.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/startup.py
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/leaderboard.py --figure leaderboard.svg
	$(VENV)-bench/$(SCRIPTS)/python benchmarks/items.py

# Into site/. Figures and examples are made anew, so it takes a minute or two. Warnings are errors.
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d .doctrees docs site
	$(BIN)/python -m docs.pages.links site

# Addresses of others, which the workflow looks at from time to time.
docs-links: $(VENV)/.installed
	$(BIN)/python -m sphinx -q -b linkcheck -d .doctrees docs site-links

# What the next release says; RELEASE=yes writes it into CHANGELOG.md, and empties changes/.
changelog: $(VENV)/.installed
	$(BIN)/towncrier build $(if $(RELEASE),--yes,--draft)

# The wheel and the source, into dist/; the same commit gives the same bytes.
$(VENV)-dist/.installed: INSTALL = build hatchling hatch-fancy-pypi-readme twine uv
dist: export SOURCE_DATE_EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),1600000000)
dist: $(VENV)-dist/.installed
	rm -rf dist
	$(VENV)-dist/$(SCRIPTS)/python -m build --no-isolation
	$(VENV)-dist/$(SCRIPTS)/python -m twine check --strict dist/*

# Both where this folder is not: without extras, with those of the README, its examples and the demo;
# the tests that the source holds, all or TESTS='tests/stats …'.
test-wheel: dist
	$(PYTHON) -m tools.installed wheel dist
	$(VENV)-dist/$(SCRIPTS)/uvx --from dist/*.whl palio study:ulas2008

test-sdist: dist
	$(PYTHON) -m tools.installed sdist dist $(TESTS)

# Onto the branch gh-pages, in a folder per version: REF=v1.2.3 is 1.2, everything else dev.
REF ?= main
DOCS_VERSION := $(if $(filter v%,$(REF)),$(basename $(REF:v%=%)),dev)
docs-publish: export PALIO_DOCS_VERSION = $(DOCS_VERSION)
docs-publish: docs
	-git fetch origin gh-pages:gh-pages
	$(BIN)/python -m tools.publish site $(DOCS_VERSION) $(PALIO_DOCS_URL)
	git push origin gh-pages

# Of a release: TAG=v1.2.3 is the version and has its part in the changelog; then, when it is published.
release-check:
	$(PYTHON) -m tools.release $(TAG) release-notes.md

release-announce:
	gh release create $(TAG) dist/* --verify-tag --title 'Palio $(TAG:v%=%)' --notes-file release-notes.md

# The picture of the workbench that the README and the documentation show.
pictures: $(VENV)/.browser
	$(BIN)/python -m docs.pages.pictures

# The pages with 3, 14, 60 and 150 algorithms, at three widths, light, dark and on paper, into looks/.
looks: $(VENV)/.browser
	$(BIN)/pytest -q -m 'slow or not slow' --screenshots looks tests/app/web/test_looks.py

clean:
	rm -rf $(VENV) $(VENV)-* mutants site site-links .doctrees looks .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
