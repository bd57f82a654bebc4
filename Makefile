# Nothing but Python (3.11 or newer) and make is needed: every target makes its own environment.
#
#   make demo     denoise a photograph, show the generated code, the graph and the times
#   make test     every test
#   make quick    the tests without the slow ones, and a fifth of the random examples
#   make lint     ruff and mypy;  make format: ruff rewrites
#   make types    mypy and pyright over the examples and every public member
#   make bench    times against hand-written code, to benchmarks/results
#   make peers    times against TensorFlow, JAX, torch and Numba, to docs/performance.md
#   make fuzz     random programs, also of small arrays that are divided, tiled and shared as large
#                 ones, threads and signals at once, and the property tests at random;
#                 PROGRAMS=100000 SECONDS=600 for a night
#   make replay   what programs become, stage by stage, compared with BASE=HEAD; CASES="tests/..."
#   make world    programs that others wrote for Numba, each call beside Python; SECONDS=600 bounds it
#   make jax      the tests of functions on JAX arrays, in an environment with JAX
#   make docs     the documentation site, to build/site
#   make clean    remove what was built
#
# Another Python, beside the first: make test PYTHON=python3.13 VENV=.venv-3.13

VENV ?= .venv
PROGRAMS ?= 3000
SECONDS ?= 60
BASE ?= HEAD
CASES ?=

# A candidate counts only when it runs, is new enough and can make an environment.
ifndef PYTHON
PYTHON := $(shell for name in python3 python python3.13 python3.12 python3.11; do \
	$$name -c "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1 \
	&& echo $$name && break; done)
endif

BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
RUN := $(BIN)/python
READY := $(VENV)/.ready
DEMO := $(VENV)-demo
WORLD := $(VENV)-world
JAX := $(VENV)-jax
DOCS := $(VENV)-docs

# One worker for each core, or as many as said: make test WORKERS=4. With 0, pytest runs them itself.
WORKERS ?= auto
PYTEST = $(RUN) -m pytest -q --numprocesses $(WORKERS) --dist worksteal

# Without bytecode each process that a test starts would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE

# The tests of native code, which run under Numba's compiler too.
NATIVE := $(addprefix tests/runtime/,codegen kernels parallel executors)

# The tests whose functions run on NumPy first, which compile at once too.
COMPILED := $(addprefix tests/,tracing library runtime/gradients runtime/executors)

.PHONY: demo test quick lint format types bench peers fuzz replay world jax docs clean

demo: $(DEMO)/.ready
	$(DEMO)/$(notdir $(BIN))/python examples/denoise.py

test: $(READY)
	$(PYTEST) $(ARGS)

quick: $(READY)
	$(PYTEST) -m "not slow" --hypothesis-profile=quick $(ARGS)

# mypy knows a package by its folder's name, so it sees the checkout through a link of that name.
lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	@mkdir -p $(VENV)/types && ln -sfn "$(CURDIR)" $(VENV)/types/allograph
	MYPYPATH=$(VENV)/types $(RUN) -m mypy

format: $(READY)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

types: $(VENV)/.types
	$(RUN) -m pytest -q tests/tools/test_types.py $(ARGS)

bench: $(READY)
	$(RUN) benchmarks/run.py $(ARGS)

peers: $(READY)
	$(RUN) benchmarks/peers.py --document docs/performance.md --plot docs/performance.svg \
		--history benchmarks/history.jsonl $(ARGS)

fuzz: $(READY)
	$(RUN) tests/fuzz.py $(PROGRAMS)
	$(RUN) tests/fuzz.py $(PROGRAMS) --kernel-compiler numba
	$(RUN) tests/fuzz.py $(PROGRAMS) --thresholds 1 --threads 1 2 4
	$(RUN) tests/fuzz.py $(PROGRAMS) --thresholds mixed --threads 1 2 4 --gradients
	ALLOGRAPH_KERNEL_COMPILER=numba $(PYTEST) $(NATIVE)
	$(PYTEST) --compile-at-once $(COMPILED)
	$(RUN) tests/stress.py --seconds $(SECONDS)
	$(PYTEST) --hypothesis-profile=fuzz $(ARGS)

replay: $(READY)
	PYTHONPATH=tests $(RUN) -P -m replay --base $(BASE) $(ARGS) $(CASES)

world: $(WORLD)/.ready
	$(WORLD)/$(notdir $(BIN))/python benchmarks/world/run.py \
		$(if $(filter-out file,$(origin SECONDS)),--seconds $(SECONDS)) $(ARGS)

jax: $(JAX)/.ready
	$(JAX)/$(notdir $(BIN))/python -m pytest -q $(ARGS) tests/backends/jax \
		'tests/house/test_doctests.py::test_the_examples_of_a_module_are_true[allograph.backends.jax.jax_function]'

docs: $(DOCS)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS)/$(notdir $(BIN))/python -m mkdocs build --quiet --strict

clean:
	rm -rf build dist allograph.egg-info demo-output .pytest_cache .ruff_cache .mypy_cache .hypothesis $(VENV) $(DEMO) $(WORLD) $(JAX) $(DOCS)
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.types: $(READY)
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[types]'
	@echo ready > $(VENV)/.types

$(DOCS)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@echo ready > $(DOCS)/.ready

$(DEMO)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check --editable '.[native,demo]'
	@echo ready > $(DEMO)/.ready

$(WORLD)/.ready: pyproject.toml benchmarks/world/requirements.txt
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(WORLD)
	$(WORLD)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check \
		--prefer-binary --editable '.[native]' --requirement benchmarks/world/requirements.txt
	@echo ready > $(WORLD)/.ready

$(JAX)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(JAX)
	$(JAX)/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check \
		--editable '.[jax,cli]' 'pytest>=8.2' 'hypothesis>=6.100' coverage debugpy flax equinox
	@echo ready > $(JAX)/.ready

# Python compiles what a test imports; pip would compile every module of every package, one by one.
$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; name one: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@echo ready > $(READY)
