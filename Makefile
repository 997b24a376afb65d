# SPDX-License-Identifier: Apache-2.0
# Thin wrappers over `cmake --preset`: the build itself is described in CMakeLists.txt and CMakePresets.json.
#
#   make test          everything a change must pass, from a clean clone on a bare Debian 12
#   make help          the other targets
SHELL := /bin/bash
.DEFAULT_GOAL := help

PRESET ?= release
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
N      ?= 100000
BENCH  ?=
DOT    ?=
HUNT   ?=
CLIENTS ?=
DISTROS ?=
REDUCE ?=
PAGE   ?= doc/benchmarks.md
PLOTS  ?= doc/plots
REASONS ?= bench/report/reasons.tsv

# Where each preset builds; `release` is build/ itself, so that the library is found under build/.
folder = build$(if $(filter release,$(1)),,/$(1))

# Debian packages, of Debian 12 and later. Everything is found by CMake or called by name.
BUILD_PACKAGES := g++ cmake ninja-build pkgconf libfmt-dev libexpected-dev libcli11-dev libjpeg-turbo-progs opencl-c-headers
TEST_PACKAGES  := python3 libtbb-dev libgtest-dev clang-format-14 ocl-icd-libopencl1 pocl-opencl-icd dpkg-dev file
# Generated code.
ifeq ($(shell uname -m),x86_64)
BUILD_PACKAGES += libxbyak-dev libzydis-dev libzycore-dev
endif

# The site alone.
DOCS_PACKAGES := python3-sphinx python3-myst-parser furo python3-breathe python3-sphinx-copybutton doxygen

needs_tools = for tool in cmake ninja; do command -v $$tool >/dev/null || { echo "make: no $$tool: run 'make deps' first" >&2; exit 1; }; done

# configure PRESET; a preset that is configured already is left alone: Ninja runs CMake again when it must.
define configure
@$(needs_tools)
@test -f $(call folder,$(1))/build.ninja || cmake --preset $(1)
endef

# Asked for tests, CMake looks again for what was missing when `make run` configured, or says what is missing still.
define configure_tests
@$(needs_tools)
cmake --preset $(1) -DONEDNN_BUILD_TESTS=ON
endef

.PHONY: help deps deps-run build run test packages distros uninstall gpu check format bench hunt peer differential clients sycl sanitize races runtimes clang configurations docs install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	@echo "  variables: PRESET=release|clang|static|sequential|tbb|threadpool JOBS=$(JOBS)  PREFIX=$(PREFIX)  N=$(N)"
	@echo "             BENCH=\"--set shuffle --filter s8\" DOT=skip REDUCE=skip ROUNDS=2 PAGE=$(PAGE) PLOTS=$(PLOTS) REASONS=$(REASONS)"
	@echo "             CLIENTS=\"--only resnet18 --layers 5 --page doc/clients.md\""

deps: ## the Debian packages that are missing: installs them as root, otherwise asks or names them
	@tools/deps.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)

deps-run:
	@tools/deps.sh $(BUILD_PACKAGES)

build: ## libdnnl.so and the programs tessera and examples/digits, sequences and cross_engine, under build/
	$(call configure,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS) --target dnnl tessera_cli digits sequences cross_engine

run: deps-run build ## the main job: the program on real files, and the examples
	TESSERA=$(call folder,$(PRESET))/tessera tools/run/main_job.sh

test: deps ## build everything and run every test and check
	$(call configure_tests,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS)
	@echo "The tests run on these machines:"; $(call folder,$(PRESET))/tests/inputs/problems_on_every_machine --list
	ctest --test-dir $(call folder,$(PRESET)) -j $(JOBS) --output-on-failure

gpu: deps ## every problem line and 2000 random problems on a device of OpenCL, processors included (two hours where PoCL has compiled none)
	$(call configure_tests,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS) --target gpu_plans_test plan_fuzz_test
	TESSERA_OPENCL_DEVICES=all $(call folder,$(PRESET))/tests/gpu/gpu_plans_test 1 $(filter-out %CMakeLists.txt,$(wildcard tests/inputs/*.txt))
	TESSERA_OPENCL_DEVICES=all TESSERA_FUZZ_ENGINE=gpu $(call folder,$(PRESET))/tests/fuzz/plan_fuzz_test

check: ## the checks that need no build: format, includes, sizes, cost of change, words, public headers, coverage
	@tools/checks/all.sh

format: ## rewrite the sources with clang-format 14
	@tools/checks/format.sh --fix

bench: ## Tessera and, if there, the peers against the machine; writes doc/benchmarks.md and doc/plots (an hour)
	$(call configure,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS) --target movers dot reduce contention
	DOT="$(DOT)" REDUCE="$(REDUCE)" bench/report/run.sh $(call folder,$(PRESET))/bench build/peer $(BENCH)
	bench/report/page.py build/bench/*.tsv --page $(PAGE) --plots $(PLOTS) --reasons $(REASONS)

hunt: peer ## random problems as people run them against the rival, one thread: HUNT="--count 300 --only pooling"
	$(call configure_tests,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS) --target dnnl hunt
	$(call folder,$(PRESET))/bench/hunt/hunt $(call folder,$(PRESET))/libdnnl.so.3 build/peer/venv-3.2/lib/libdnnl.so.3 $(HUNT)

peer: ## the rivals' binaries from PyPI (oneDNN, MKL, OpenBLAS), under build/peer (oracle and yardsticks, never needed)
	tools/peer/install.sh build/peer

differential: peer ## N random problems against the rival
	$(call configure_tests,$(PRESET))
	cmake --build $(call folder,$(PRESET)) -j $(JOBS) --target differential differential_worker
	cd $(call folder,$(PRESET))/tests/differential && ./differential --worker=./differential_worker \
	    --peer=$(CURDIR)/build/peer/run-3.13 --problems=$(N)

clients: build ## networks of PyTorch and PaddlePaddle (installed under build/clients) on their own oneDNN and on this library
	tools/clients/install.sh build/clients
	tools/clients/compare.py build/clients --library $(call folder,$(PRESET))/libdnnl.so.3 $(CLIENTS)

sycl: deps ## a library with SYCL, by headers and run time from PyPI (under build/sycl-rt), and its tests
	tools/sycl/install.sh build/sycl-rt
	$(call configure_tests,sycl)
	cmake --build build/sycl -j $(JOBS) --target sycl_tests
	ctest --test-dir build/sycl -j $(JOBS) -L sycl --output-on-failure

sanitize: deps ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	$(MAKE) test PRESET=sanitize

# Rings in which threads meet. Archer tells ThreadSanitizer what OpenMP's threads wait for; it does not survive exit() in
# a forked child, and one child of that test exits so.
RACES := cache_test pool_test concurrency_test fork_test dot_test sparse_product_test api_runtime_test api_hostile_test api_gemm_test
races: deps ## the rings in which threads meet, under ThreadSanitizer
	@tools/deps.sh clang-14 libomp-14-dev clang
	$(call configure_tests,races)
	cmake --build build/races -j $(JOBS) --target $(RACES)
	OMP_TOOL_LIBRARIES=/usr/lib/llvm-14/lib/libarcher.so GTEST_FILTER=-Pool.ChildrenHaveTheirOwnHelpers \
	    TSAN_OPTIONS="ignore_noninstrumented_modules=1 die_after_fork=0" \
	    ctest --test-dir build/races -j $(JOBS) --output-on-failure -R '^($(subst $() ,|,$(RACES)))$$'

runtimes: deps ## every test without threads, with oneTBB, with a caller's thread pool, and on a static library
	$(MAKE) test PRESET=sequential
	$(MAKE) test PRESET=tbb
	$(MAKE) test PRESET=threadpool
	$(MAKE) test PRESET=static

clang: ## every test with Clang 14
	@tools/deps.sh clang-14 libomp-14-dev clang
	$(MAKE) test PRESET=clang

configurations: deps ## build what the default build does not compile, and run the quick tests of each (half an hour)
	JOBS=$(JOBS) tools/configurations.sh

docs: ## the site, into build/docs/html (some minutes); tools/docs/look.sh makes pictures of it
	@tools/deps.sh python3 $(DOCS_PACKAGES)
	tools/docs/build.sh

install: build ## headers, library, program and package files into PREFIX
	cmake --install $(call folder,$(PRESET)) --prefix $(PREFIX)

uninstall: ## remove what `make install` installed last
	cmake --build $(call folder,$(PRESET)) --target uninstall

packages: deps-run build ## libtessera, libtessera-dev and tessera-tools as .deb files for this system, in build/package
	@tools/deps.sh dpkg-dev file
	cmake --preset package -DTESSERA_OBJECTS=$(CURDIR)/build/objects.cmake
	cmake --build build/package -j $(JOBS)
	cd build/package && cpack
	@ls -l build/package/*.deb

distros: ## build, test and package in folders of Debian 12, 13 and Ubuntu 22.04, with their compilers (as root; hours): DISTROS="trixie"
	JOBS=$(JOBS) tools/distros/run.sh build/distros $(DISTROS)

clean: ## remove build/
	rm -rf build
