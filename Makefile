# Each target first makes sure of what it needs, so that a fresh clone says what is missing in one sentence.
# The order of `make help` is the order of this file.

SHELL := /bin/bash
REQUIRE := Tools/require.sh

# One set of flags for every build: another set would build everything again.
# Information for debuggers would take a tenth of the time, and no check needs it.
export SWIFT_FLAGS := -Xswiftc -warnings-as-errors -debug-info-format none

# Debug builds have a trait more where TRAITS says so: TRAITS="--traits Postgres" to work on the PostgreSQL adapter. What needs the adapter
# has it anyway, otherwise in a folder of its own. `make ci` sets BUILD_FOLDER, so that all packages share one build of the root package.
export FLAGS = $(SWIFT_FLAGS) $(TRAITS) $(if $(BUILD_FOLDER),--scratch-path $(BUILD_FOLDER) --disable-build-manifest-caching)
export POSTGRES_FLAGS = $(if $(TRAITS),$(FLAGS),$(SWIFT_FLAGS) --traits Postgres --scratch-path .build-postgres)

# Where Homebrew keeps libpq, which it doesn't link into the usual folders.
export PKG_CONFIG_PATH := $(PKG_CONFIG_PATH):/opt/homebrew/opt/libpq/lib/pkgconfig:/usr/local/opt/libpq/lib/pkgconfig

# With all tests at once, those that wait for others take a third more time than the work needs. `make nightly` also tests that.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

.PHONY: help demo diary test lint bench bench-instructions bench-postgres docs docs-serve ci build test-tsan apple adapters examples inspector test-postgres outside benchmarks faults faults-postgres nightly clean

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

demo: ## Shows what the library does, in acts beside their code; with ARGS="--act 3", ARGS=--plain or ARGS=--help.
	@$(REQUIRE) swift sqlite
	swift run --package-path Examples $(FLAGS) querykit-demo $(ARGS)

diary: ## Shows the food diary; with ARGS="today" or ARGS=--help its command line.
	@$(REQUIRE) swift sqlite
	swift run --package-path Examples $(FLAGS) food-diary $(or $(ARGS),demo)

test: ## Builds and runs all tests, or with ARGS="--filter NAME" some; QUERYKIT_LONG=1 lets the randomised ones run longer.
	@$(REQUIRE) swift sqlite
	swift build --product QueryKitPackageTests $(FLAGS)
	Tools/tested.sh $(if $(ARGS),some,$(if $(TRAITS),test-with-trait,test)) swift test --skip-build $(FLAGS) $(ARGS)

lint: ## Checks formatting, the house rules, the pages and the samples.
	@$(REQUIRE) swift python3
	Tools/lint.sh

bench: ## Runs the benchmarks, with ARGS="--filter store --json" for instance.
	@$(REQUIRE) swift sqlite
	swift run -c release --package-path Benchmarks $(SWIFT_FLAGS) querykit-bench $(ARGS)

bench-instructions: ## Counts instructions with valgrind, which a busy machine leaves alone; ARGS="fetch.trivial" for one case.
	@$(REQUIRE) swift sqlite valgrind
	Tools/bench-instructions.sh $(ARGS)

bench-postgres: ## Runs the benchmarks of the PostgreSQL adapter on a private server; ARGS="--filter postgres.read8" for one.
	@$(REQUIRE) swift sqlite postgres
	swift build -c release --package-path Benchmarks --scratch-path Benchmarks/.build-postgres --traits Postgres $(SWIFT_FLAGS)
	Tools/postgres-server.sh run Benchmarks/.build-postgres/release/querykit-bench $(or $(ARGS),--filter postgres)

docs: ## Builds the site of the documentation into .build/docs, and checks it.
	@$(REQUIRE) swift sqlite postgres docc python3
	Tools/docs.sh

docs-serve: ## Serves the site that make docs has built, at http://localhost:8000; PORT=8080 for another port.
	@$(REQUIRE) python3
	Tools/docs.sh --serve

ci: ## Everything that must pass before a change is merged.
	@$(REQUIRE) swift sqlite postgres docc python3
	Tools/ci.sh

build: ## Builds the package, its tests and its snippets, warnings as errors.
	@$(REQUIRE) swift sqlite
	swift build --build-tests $(FLAGS)

test-tsan: ## Runs the concurrent suites under the thread sanitizer.
	@$(REQUIRE) swift sqlite
	Tools/test-tsan.sh

apple: ## On Linux: checks the libraries against the oldest iOS we support, or with ARGS="macos tvos watchos" other systems.
	@$(REQUIRE) swift sqlite
	Tools/apple-typecheck/check.sh $(ARGS)

adapters: ## On Linux: builds the SwiftUI and Combine code and the DiaryApp example against stand-ins, and runs its tests.
	@$(REQUIRE) swift sqlite
	Tools/test-adapters.sh

examples: ## Builds the example apps, and runs their tests and the documentation's samples.
	@$(REQUIRE) swift sqlite
	Tools/tested.sh examples swift test --package-path Examples $(FLAGS)
	Tools/readme-picture.sh --check
	Tools/run-snippets.sh
	Tools/check-isolation.sh
	Tools/check-messages.sh

inspector: ## Tests the page of the inspector in a browser; with ARGS="--load 60", or ARGS=--pictures for the pictures of its article.
	@$(REQUIRE) swift sqlite python3
	Tools/test-inspector.sh $(ARGS)

test-postgres: ## Runs the tests of the PostgreSQL adapter on a private server; with ARGS="--filter NAME" some of them.
	@$(REQUIRE) swift sqlite postgres
	Tools/test-postgres.sh $(ARGS)

outside: ## Builds and tests packages that use the products as apps do, from outside of this one.
	@$(REQUIRE) swift sqlite
	Tools/test-outside.sh

benchmarks: ## Builds the benchmarks, without the trait Postgres.
	@$(REQUIRE) swift sqlite
	swift build -c release --package-path Benchmarks $(SWIFT_FLAGS)
	@! { ldd Benchmarks/.build/release/querykit-bench || otool -L Benchmarks/.build/release/querykit-bench; } 2>/dev/null | grep libpq || \
		{ echo "error: without the trait Postgres, nothing may link libpq" >&2; exit 1; }

faults: ## Kills, locks, fills and damages databases, with ARGS="--short" or "--only kill" for instance.
	@$(REQUIRE) swift sqlite
	swift run --package-path Faults $(FLAGS) querykit-faults $(if $(TRAITS),--skip postgres --skip postgres-load) $(ARGS)

faults-postgres: ## Kills, stops and loads PostgreSQL with many processes, on private servers; with ARGS="--short" for instance.
	@$(REQUIRE) swift sqlite postgres
	swift run --package-path Faults --scratch-path Faults/.build-postgres --traits Postgres $(SWIFT_FLAGS) querykit-faults \
		--only postgres --only postgres-load $(ARGS)

nightly: ## Runs the long checks: models, load, perturbed locks, faults, mutants, address sanitizer, self-test; with ARGS=--list or ARGS="--only model" for instance.
	@$(REQUIRE) swift sqlite python3
	Tools/nightly.sh $(ARGS)

clean: ## Removes everything that was built.
	rm -rf .build .build-ci .build-postgres .build-tsan .build-asan .build-perturbed .build-mutants Tools/AppleShims/.build
	rm -rf $(foreach package,Examples Benchmarks Faults,$(package)/.build $(package)/.build-postgres)
