# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# A thin front of CMake: `make help` tells what there is.

ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)
export CTEST_PARALLEL_LEVEL ?= $(shell nproc)

pictures = build/pictures

.DEFAULT_GOAL := build
.NOTPARALLEL: # the tools below are parallel themselves
.PHONY: build run check python docs test playground siege asan coverage bench lint format clean help bootstrap configure

build: configure ## build the library and the tool, build/jbw
	@cmake --build build/release --target jbw_tool jbw_shared
	@ln -sfn release/jbw build/jbw

run: ## let the greedy agent live in the paper's world, and draw how it fared
	@scripts/bootstrap build
	@$(MAKE) --no-print-directory build
	@mkdir -p $(pictures)
	@build/jbw run paper-code --agent greedy --reward 'Collect[JellyBean] & Avoid[Onion]' \
		--steps 1000000 --csv $(pictures)/reward-rate.csv \
		--plot $(pictures)/reward-rate.png --map $(pictures)/map.png

check: configure ## run the tests of this build, quickly
	@cmake --build build/release
	@ctest --test-dir build/release --output-on-failure

python: ## build the Python package, and leave it importable in .venv
	@scripts/python_install

docs: ## build the documentation site, build/docs/site
	@scripts/docs

test: bootstrap ## run every test: compilers, sanitizers, other processors, Python, fuzzing
	@scripts/test

playground: ## build the playground, a folder of static files: build/playground
	@scripts/bootstrap
	@scripts/playground

siege: build ## attack servers for ten minutes, while honest clients play
	@python3 tests/siege/siege.py build/release/jbw 600

asan: ## run the Python tests with an extension that was built with sanitizers
	@scripts/python_asan

coverage: ## tell which lines and branches the C tests reach
	@scripts/python_packages
	@scripts/coverage

bench: build ## measure
	@build/jbw bench

lint: ## check format, warnings, layers, exports
	@scripts/lint

format: ## format the code
	@find include src cli tests fuzz bench examples python/src -name '*.[ch]' -exec clang-format -i {} +
	@scripts/python_packages
	@.venv/bin/python -m ruff format --quiet python tests/siege tests/web scripts/docs_site

clean: ## remove everything that was built
	@rm -rf build

help: ## tell what there is
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 14

bootstrap:
	@scripts/bootstrap

configure:
	@cmake --preset release >/dev/null
