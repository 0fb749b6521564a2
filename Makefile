# Treaty from a clone: `make demo` to see it, `make test` to trust it, `make install` to keep it.
#
# This file only names the ways in; CMake does the building (see CMakePresets.json) and the scripts do the rest.

SHELL  := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# How many sessions `make test-long` has with each real server.
SERVER_SESSIONS ?= 100000
# How long `make fuzz` spends on each parser, in seconds.
FUZZ_SECONDS ?= 60

# On a terminal ninja shows how far it is; elsewhere it only speaks when something fails.
NINJA  := ninja -j$(JOBS) $(shell [ -t 2 ] || echo --quiet)

say = @echo "== $(1)"
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-sanitized test-long bench install uninstall deb vscode format lint fuzz coverage clean

help: ## this list
	@echo "Treaty: model-driven testing of message-passing systems"
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | while IFS=$$'\t' read -r target what; do \
	    printf '  make %-10s  %s\n' "$$target" "$$what"; done

setup: ## install the Debian packages of packages.txt, if one is missing
	@scripts/setup.sh needed

build: setup build/release/build.ninja ## build the program: build/release/treaty
	$(call say,building the program (the first time takes some minutes))
	@$(NINJA) -C build/release treaty

demo: build ## build, then a guided tour of the examples; pictures go to demo-output/
	@scripts/demo.sh build/release/treaty

test: setup build/test/build.ninja ## build and run the whole test suite
	$(call say,building the tests (the first time takes some minutes))
	@$(NINJA) -C build/test
	@scripts/setup.sh peers format lint
	$(call say,running the tests)
	@ctest --test-dir build/test -j$(JOBS) --output-on-failure

test-sanitized: setup build/dev/build.ninja ## the test suite with address and undefined-behaviour sanitizers
	$(call say,building the tests with sanitizers (the first time takes half an hour))
	@$(NINJA) -C build/dev
	@scripts/setup.sh peers format lint
	$(call say,running the tests with sanitizers)
	@ctest --test-dir build/dev -j$(JOBS) --output-on-failure

test-long: setup build/dev/build.ninja ## the test suite with sanitizers and many more random cases
	$(call say,building the tests (the first time takes some minutes))
	@$(NINJA) -C build/dev
	@scripts/setup.sh peers format lint
	$(call say,running the tests with twenty times as many random cases)
	@TREATY_TEST_SCALE=20 ctest --test-dir build/dev -j$(JOBS) --output-on-failure --timeout 14400
	@$(MAKE) lint
	@$(MAKE) build
	$(call say,running $(SERVER_SESSIONS) sessions against each server of examples/ that keeps to its protocol)
	@scripts/check_servers.py --treaty build/release/treaty --sessions $(SERVER_SESSIONS)

bench: setup ## build optimised and run the benchmarks
	@scripts/setup.sh bench || echo "bench: going on without SPIN"
	@$(MAKE) build/bench/build.ninja
	$(call say,building the benchmarks)
	@$(NINJA) -C build/bench
	@scripts/bench.sh build/bench

install: build ## install program, manual page, completions and library under PREFIX=/usr/local
	$(call say,installing under $(DESTDIR)$(PREFIX))
	@cmake --install build/release --prefix $(PREFIX) >/dev/null

uninstall: ## remove what `make install` put under PREFIX
	@cd $(DESTDIR)$(PREFIX) && rm -rf bin/treaty libexec/treaty share/man/man1/treaty.1 share/bash-completion/completions/treaty \
	    share/zsh/vendor-completions/_treaty share/fish/vendor_completions.d/treaty.fish share/doc/treaty \
	    include/treaty lib/treaty lib/cmake/Treaty

deb: build ## build the Debian package and check it: build/release/treaty_*.deb
	@scripts/setup.sh package
	$(call say,making the Debian package)
	@cd build/release && cpack >/dev/null
	@scripts/check_deb.sh build/release/treaty_$$(sed -n 's/^project(treaty VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)_*.deb

vscode: ## build the extension for Visual Studio Code (needs npm): editors/vscode/out/treaty.vsix
	@scripts/setup.sh peers
	$(call say,building the extension)
	@cd editors/vscode && npm ci --no-audit --no-fund --silent --ignore-scripts && npm run --silent build && npm run --silent package >/dev/null
	@echo editors/vscode/out/treaty.vsix

format: ## lay out the C++ sources with clang-format
	@scripts/setup.sh format
	@scripts/check_format.py --fix

lint: setup build/quick/build.ninja ## what `make test` asks of the sources, and every header compiled alone
	@scripts/setup.sh format lint
	@scripts/check_format.py
	$(call say,clang-tidy)
	@$(NINJA) -C build/quick treaty_page
	@scripts/check_tidy.py --build build/quick --jobs $(JOBS)
	$(call say,headers)
	@$(NINJA) -C build/quick headers

fuzz: setup ## run libFuzzer on every parser, FUZZ_SECONDS=60 each
	@scripts/setup.sh fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(JOBS)

coverage: setup build/coverage/build.ninja ## which lines the tests reach: build/coverage/report.txt
	@scripts/setup.sh coverage
	$(call say,building the tests with coverage)
	@$(NINJA) -C build/coverage
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage -j$(JOBS) --output-on-failure
	@gcovr -r . --object-directory build/coverage -j $(JOBS) --filter src/ --exclude '.*_test\.cpp' --exclude '.*/testing/.*' \
	    --gcov-ignore-parse-errors --txt build/coverage/report.txt --html-details build/coverage/report.html --print-summary
	@echo "build/coverage/report.txt and build/coverage/report.html"

clean: ## remove everything that was built
	@rm -rf build demo-output

build/%/build.ninja: CMakePresets.json | setup
	@scripts/setup.sh page || echo "setup: without npm the program is built without the page of the workbench"
	$(call say,configuring build/$*)
	@cmake --preset $* --log-level=WARNING -Wno-dev >/dev/null
	@touch $@
