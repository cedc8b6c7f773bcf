# The commands of this repository; `make help` lists them. Each is a thin name for CMake or for a script.

PRESET     ?= release
PREFIX     ?= /usr/local
PROMPT     ?= Name three rivers of Europe.
MODEL      ?= $(smollm2)
FUZZ_TIME  ?= 60
TEST_FLAGS ?=
BENCH_FLAGS ?=

build   := build/$(PRESET)
smollm2 := models/SmolLM2-135M-Instruct-Q4_1.gguf
qwen    := models/Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf
llama   := build/models/Llama-3.2-1B-random-Q4_K_M.gguf

# Handed on by the environment and not by the command line, so that a prompt may hold quotes and dollars.
override export PROMPT := $(value PROMPT)
export MODEL

# Prerequisites are met in the order in which they are written; the build inside runs on all cores.
.NOTPARALLEL:
.PHONY: help setup configure build run test models oracle contracts contracts-bite check format fuzz bench bench-parts install clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.* ## /  make \1\t/p' Makefile | expand -t 24

build: configure ## build only; the program is build/release/bin/tenon
	@cmake --build $(build) --target tenon_cli >&2

run: setup build $(filter models/%,$(MODEL)) ## do all set-up, then answer: make run PROMPT="…" MODEL=path
	@$(build)/bin/tenon run "$$MODEL" -p "$$PROMPT"

test: setup models ## do all set-up, then run every test
	@scripts/run_tests.py $(PRESET) $(TEST_FLAGS)

models: $(smollm2) $(qwen) ## fetch the two checkpoints that tests use

oracle: setup models ## build real llama.cpp (cached outside the tree), capture again and compare
	@tools/oracle/run.sh

contracts: models build-all ## id, test and result of every contract that is due
	@scripts/contracts.py $(PRESET)

contracts-bite: models build-all ## run the contracts' tests with their faults put in: each must fail
	@scripts/contracts.py $(PRESET) --bite

check: ## format, include directions, file sizes, names, and the scripts' own tests
	@scripts/check_format.py
	@scripts/check_includes.py
	@scripts/check_size.py
	@scripts/check_names.py
	@scripts/bench_table.py
	@python3 -m unittest discover -q -s scripts -p '*_test.py'

format: ## rewrite the sources as .clang-format wants them
	@scripts/check_format.py --fix

fuzz: ## run each fuzzer for FUZZ_TIME seconds (needs clang)
	@scripts/fuzz.py --seconds $(FUZZ_TIME)

bench: build-all $(smollm2) $(qwen) $(llama) ## whole models against llama.cpp: bench/results, and README's table of them
	@scripts/bench.py $(PRESET) $(BENCH_FLAGS) $(smollm2) $(qwen) $(llama)
	@scripts/bench_table.py --write

bench-parts: build-all $(smollm2) ## owners of the state, then kernels against ggml's
	@$(build)/bin/state_bench $(smollm2)
	@for bench in $(filter-out %/state_bench,$(wildcard $(build)/bin/*_bench)); do $$bench || exit 1; done

install: build-all ## install program, library and header below PREFIX
	@cmake --install $(build) --prefix "$(PREFIX)"

clean: ## remove what was built; models stay
	@rm -rf build

.PHONY: build-all
build-all: configure
	@cmake --build $(build) >&2

setup:
	@scripts/setup.sh

configure:
	@scripts/configure.sh $(PRESET)

# A model file of that name is always whole: it is renamed into place after its checksum was right.
$(smollm2):
	@scripts/fetch_models.py smollm2
$(qwen):
	@scripts/fetch_models.py qwen2.5-coder
# Real shapes and block types, random weights.
$(llama):
	@mkdir -p $(@D)
	@$(build)/bin/tenon synth llama-3.2-1b -o $@
