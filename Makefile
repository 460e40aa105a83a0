# Needs only Python 3.11.5 to 3.13 (with venv), git and make. Each target makes the environment that it needs in .venv,
# once: it is made anew only when pyproject.toml has changed.
#
#   make demo    reads the logs in data/, prints the speed, memory and speed-up tables, and writes the site
#   make test    passes every test            (make test ARGS="-k growth -x" for some)
#   make test-long  passes the tests that read all real logs or query their ledger, and the full sets of cases of
#                which `make test` runs a part
#   make test-runners  passes the tests of the PyTorch programs too, in an environment that has it
#   make test-trackers  reads back what trackers write, in an environment that has them: gigabytes, for Lightning
#   make test-frameworks  trains toy models in MXNet, PaddlePaddle, TensorFlow, OneFlow, megatron-core and JAX, each in an
#                environment of its own, which it makes once: gigabytes, and minutes
#   make test-site  passes the tests of the site in a real Chromium: the one of Debian, or one that playwright brings
#   make torture SECONDS=600  kills ingests, lets disks fail, mutates logs and archives for that time, and prints counts
#                (ARGS=--goals goes on until 1,000 kills, 10^6 lines, 50,000 files and 5,000 archives are reached)
#   make watch LOGS=50000  passes a day of so many logs in LOGS/50 seconds to a watch that is ended nine times, and
#                compares the rows with those of one ingest
#   make check   style, types, import contracts, and that wheel and sdist install elsewhere
#   make bench   measures speed and memory of an ingest: ten minutes (for a look: ARGS="--rounds 1 --small-files 400
#                --large-mb 5 --peak-mb 5 --page .bench/look.md"); bench-large: beside 200 million records, a file of 2 GB
#   make fuzz SECONDS=600  fuzzes each reader of bytes for its share of that time; with atheris, if it is installed
#   make native  compiles the native scanner again; native-check: its tests with the compiler's sanitizers, and fuzzed
#   make wheels  builds and checks the wheels with the native scanner in dist/: Linux and macOS, x86-64 and Arm
#   make release  builds and checks what a release uploads, in dist/, and lists it; it uploads only with ARGS=--upload
#   make bench-native  measures the native scanner against the reference reader, on dense logs of each format: minutes
#   make bench-formats  measures what many formats cost, on 2 GB of logs: most of an hour (ARGS="--mb 150": minutes)
#   make bench-answers  measures how long answers take over 20 million step records (ARGS="--millions 20,200": also 200)
#   make bench-compare  measures how often bench compare is wrong, beside asv's, Conbench's and Welch's tests: minutes
#   make bench-history  measures how well bench history finds steps, beside apache-otava, asv and ruptures: minutes
#   make results writes docs/results.md again, from the logs in data/measured
#   make docs    writes the reference of the database's tables and views again, from their comments
#   make site-docs  makes a site of README.md and docs/, with search: .bench/docs/site/
#   make audit-page  writes the checks of the audit again, with LOGS="..." also what they find
#   make rejects-page LOGS="..."  writes why pieces and files of these logs are in no table
#   make clean   removes all that these targets made

.DEFAULT_GOAL := demo
.PHONY: demo test test-long test-runners test-trackers test-frameworks test-site torture watch fuzz check style types contracts packaging native native-check wheels release bench bench-large bench-native bench-formats bench-answers bench-compare bench-history data results docs site-docs audit-page rejects-page clean

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
DEMO_DB := .bench/demo.duckdb
DEMO_SITE := .bench/site

demo: .venv/.runs .venv/.native
	@mkdir -p $(dir $(DEMO_DB)) && rm -f $(DEMO_DB) $(DEMO_DB).private
	@for words in "ingest data/measured" "report speed --campaign h200 --model bert_base --task pretraining" \
	    "report memory --campaign h200 --model bert_base --task pretraining" "report speedup --campaign h200-two" \
	    "export site $(DEMO_SITE)"; do \
	    echo; echo "$$ bench $$words"; BENCH_DB=$(DEMO_DB) BENCH_DEFINITIONS= $(BIN)/bench $$words || exit; done
	@echo; echo "Measured by runners/ on H200 and H100: docs/results.md. The database is $(DEMO_DB); next: BENCH_DB=$(DEMO_DB) $(BIN)/bench runs"
	@echo "The site is $(CURDIR)/$(DEMO_SITE)/index.html: open it in a browser (docs/site.md)"

# By one process more than there are cores, since some tests wait for clocks, disks and other processes. A file's tests
# stay together, because they share what is slow to make, and the order of the files is that of tests/conftest.py.
# Hundreds of processes start: each would compile the program anew where bytecode must not be kept.
test: .venv/.tests .venv/.native
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadfile --no-loadscope-reorder $(ARGS)

test-long: .venv/.tests .venv/.native
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m long --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

# The suite skips what needs PyTorch: here it is, in the environment that `bench run` itself makes and uses.
TORCH := .bench/environments/pytorch
test-runners: .venv/.tests .venv/.native $(TORCH)/.made
	BENCH_TORCH_PYTHON=$(CURDIR)/$(TORCH)/bin/python $(BIN)/python -m pytest --numprocesses auto \
	    tests/runners tests/running/test_pytorch.py $(ARGS)

# Files that TensorBoard's writers, Weights & Biases, MLflow and Lightning write themselves, read back.
TRACKERS := .bench/environments/trackers
test-trackers: .venv/.tests .venv/.native $(TRACKERS)/.made
	BENCH_TRACKERS_PYTHON=$(CURDIR)/$(TRACKERS)/bin/python $(BIN)/python -m pytest -rs tests/trackers $(ARGS)

$(TRACKERS)/.made: tests/trackers/requirements.txt | .venv/.runs
	$(BIN)/python -m venv --clear $(TRACKERS)
	$(TRACKERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r $<
	@touch $@

# A framework whose Python is not here is left out: its tests skip, and say so.
test-frameworks: .venv/.tests
	@for name in mxnet paddlepaddle tensorflow oneflow megatron jax; do \
	    $(MAKE) --no-print-directory .bench/environments/$$name/.made || true; done
	$(BIN)/python -m pytest -m frameworks -rs tests/frameworks $(ARGS)

# Without a Chromium `make test` skips these tests, and says so.
test-site: .venv/.tests .venv/.native
	$(PIP) playwright axe-playwright-python
	@command -v chromium chromium-browser >/dev/null || $(BIN)/python -m playwright install chromium
	$(BIN)/python -m pytest -rs tests/site $(ARGS)

.bench/environments/%/.made: runners/environments/%.txt | .venv/.runs
	$(BIN)/bench run --make-environment $*
	@touch $@

# Rows must be those of an undisturbed ingest: SECURITY.md. ARGS="--seed N" repeats what was run.
SECONDS ?= 60
torture: .venv/.tests .venv/.native
	PYTHONPATH= $(BIN)/python -m tests.torture.run --seconds $(SECONDS) $(ARGS)

LOGS ?= 5000
watch: .venv/.tests .venv/.native
	BENCH_WATCH_LOGS=$(LOGS) $(BIN)/python -m pytest -s -m long tests/ingestion/test_watch.py $(ARGS)

fuzz: .venv/.tests .venv/.native
	PYTHONPATH= $(BIN)/python -m tests.torture.fuzz --seconds $(SECONDS) $(ARGS)

# Parts of their own, so that `make -k check` tells everything that is wrong, not only the first.
check: style types contracts packaging
style: .venv/.tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
types: .venv/.tests
	$(BIN)/mypy
contracts: .venv/.tests
	$(BIN)/lint-imports --no-cache
packaging: .venv/.tests
	$(BIN)/python -m pytest -m packaging tests/packaging

native: .venv/.runs
	$(BIN)/python native/build_hook.py

# An install compiles it too. Without a compiler this says so, and all goes on.
.venv/.native: $(wildcard native/*.c native/*.h native/*.py benchledger/scanning/native_*.py benchledger/scanning/_native.pyi) | .venv/.runs
	@$(BIN)/python native/build_hook.py || echo "make: goes on without the native scanner" >&2
	@touch $@

# Reads memory that is not its own, or overflows: the run stops. Leaks are not looked for: Python keeps what it has.
native-check: .venv/.tests .venv/.native
	$(BIN)/python -m native.check $(ARGS)

# Compiled with zig for every platform, in an environment of its own.
WHEELS := .bench/wheels
$(WHEELS)/.made: native/wheels.txt | .venv/.runs
	$(BIN)/python -m venv --clear $(WHEELS)
	$(WHEELS)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r native/wheels.txt
	@touch $@
wheels: $(WHEELS)/.made
	$(WHEELS)/bin/python -m native.wheels $(ARGS)

RELEASE := .bench/release
$(RELEASE)/.made: native/wheels.txt release/requirements.txt | .venv/.runs
	$(BIN)/python -m venv --clear $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
	    -r native/wheels.txt -r release/requirements.txt
	@touch $@
release: $(RELEASE)/.made
	$(RELEASE)/bin/python -m release.build $(ARGS)

bench: .venv/.runs .venv/.native
	$(BIN)/python -m benchmarks.run $(ARGS)

bench-large: .venv/.runs .venv/.native
	$(BIN)/python -m benchmarks.run --rounds 1 --large-files 2 --peak-mb 250 --multiply 140 --section large $(ARGS)

bench-native: .venv/.runs .venv/.native
	$(BIN)/python -m benchmarks.native $(ARGS)

bench-formats: .venv/.runs .venv/.native
	$(BIN)/python -m benchmarks.formats $(ARGS)

bench-answers: .venv/.runs
	$(BIN)/python -m benchmarks.answers $(ARGS)

# Beside asv and others, in an environment of its own.
PEERS := .bench/peers
$(PEERS)/.made: benchmarks/peers.txt | .venv/.runs
	$(BIN)/python -m venv --clear $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r benchmarks/peers.txt
	@touch $@
bench-compare: $(PEERS)/.made
	$(PEERS)/bin/python -m benchmarks.comparing $(ARGS)
bench-history: $(PEERS)/.made
	$(PEERS)/bin/python -m benchmarks.history $(ARGS)

# Writes the demo's logs again; a test compares them with the maker.
data:
	$(or $(PYTHON),python3) -m data.make_logs

# A test compares the page with the logs.
results: .venv/.runs
	@mkdir -p .bench && rm -f .bench/results.duckdb .bench/results.duckdb.private
	BENCH_DEFINITIONS= $(BIN)/bench --db .bench/results.duckdb ingest data/measured
	BENCH_DEFINITIONS= $(BIN)/bench --db .bench/results.duckdb report --write docs/results.md

# A test compares the pages with the comments.
docs: .venv/.runs
	$(BIN)/python -m docs.make_reference

# Of each page a copy, to which navigation, commands, queries and plots are added. A dead link ends it.
DOCS := .bench/environments/docs
$(DOCS)/.made: docs/requirements.txt | .venv/.runs
	$(BIN)/python -m venv --clear $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --no-input -r $<
	@touch $@
site-docs: .venv/.tests .venv/.native $(DOCS)/.made
	$(BIN)/python -m docs.make_site .bench/docs
	$(DOCS)/bin/zensical build --strict --config-file .bench/docs/zensical.toml
	@echo "For a look: python3 -m http.server --bind 127.0.0.1 --directory .bench/docs/site"

# The checks of docs/audit.md, and with the logs of its test (the corpus and the reference READMEs) all that they find.
audit-page: .venv/.tests
	$(BIN)/python -m docs.make_audit $(LOGS)

# Why pieces and files of the same logs are in no table: docs/rejects.md.
rejects-page: .venv/.runs
	$(BIN)/python -m docs.make_rejects $(LOGS)

clean:
	rm -rf .venv .bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python that is new enough, not too new, and can make an environment; PYTHON=... names one.
.venv/.runs: pyproject.toml
	@for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python); do \
	    if $$python -c 'import sys, ensurepip, venv; sys.exit(not (3, 11, 5) <= sys.version_info[:3] < (3, 14))' \
	        >/dev/null 2>&1; then found=$$python; break; fi; done; \
	if [ -z "$$found" ]; then \
	    echo "make: no Python 3.11 (3.11.5 or later), 3.12 or 3.13 that can make an environment (tried: $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python))." >&2; \
	    echo "Cure: install one (Ubuntu 24.04, Debian 13: apt install python3 python3-venv; Debian 12 has 3.11.2 only: uv, conda or pyenv), or name one: make PYTHON=/path/to/python3.12" >&2; \
	    exit 2; fi; \
	echo "making .venv with $$($$found --version)"; $$found -m venv --clear .venv
	@$(PIP) --editable .
	@touch $@

.venv/.tests: .venv/.runs
	@echo "adding the test tools to .venv"
	@$(PIP) --editable '.[dev]'
	@touch $@
