# Each target is a line that you could type yourself.

SERVER   ?= redis-server
FUZZTIME ?= 30s

STAGES := $(sort $(wildcard v[0-9]*_*))

# A test runs in its package's folder, so a path to a server must be absolute.
SERVER_PATH = $(if $(findstring /,$(SERVER)),$(abspath $(SERVER)),$(SERVER))

# Without GOWORK=off, -modfile is refused as soon as there is a go.work.
LINTER := GOWORK=off go tool -modfile=$(CURDIR)/tools/go.mod golangci-lint

.PHONY: help test test-all test-real race exercises fmt lint bug matrix docs docs-check fuzz bench check

help: ## List these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

test: ## Run the suite; it needs nothing but Go.
	go test ./...

test-real: ## Run the suite on a real server: redis-server, or SERVER=valkey-server.
	@command -v $(SERVER_PATH) >/dev/null && [ ! -d $(SERVER_PATH) ] || { echo "$(SERVER) is no program here: install it (Debian: apt-get install redis-server) or name another with SERVER=." >&2; exit 1; }
	@$(SERVER_PATH) --version
	LOCKSTEP_SERVER=$(SERVER_PATH) go test -count=1 ./...

race: ## Run the suite under the race detector; it needs a C compiler.
	GORACE=atexit_sleep_ms=0 go test -race ./...

test-all: ## Run what takes long, too: the documents' commands, learners' programs, each lesson 200 times.
	LOCKSTEP_TEST_ALL=1 go test ./cmd/lockstep ./explore ./faults ./hazards ./shop ./workshop/...

exercises: ## Check the exercises: as handed out each fails, with its stage each passes.
	LOCKSTEP_EXERCISES=shipped go test ./exercises

fmt: ## Format the code.
	$(LINTER) fmt

lint: ## Lint the code and show what is not formatted; the first run builds the linter.
	$(LINTER) run ./...
	cd exercises && $(LINTER) run ./...
	$(LINTER) fmt --diff

bug: ## See a bug, second by second: make bug STAGE=v4_owner HAZARD=MisDelete.
	@test -n '$(STAGE)' && test -n '$(HAZARD)' || { echo 'Say which bug: make bug STAGE=v4_owner HAZARD=MisDelete' >&2; exit 1; }
	@test -n '$(filter $(STAGES) $(STAGES:=/),$(STAGE))' || { echo 'No stage $(STAGE). The stages: $(STAGES)' >&2; exit 1; }
	@tests=$$(go test ./$(STAGE) -list '^Test') || { echo "$$tests"; exit 1; }; \
	echo "$$tests" | grep -Fqx 'Test$(HAZARD)' || { echo 'No hazard $(HAZARD) in $(STAGE). It has:' $$(echo "$$tests" | sed -n 's/^Test//p') >&2; exit 1; }
	go test ./$(STAGE) -run '^Test$(HAZARD)$$'

matrix: ## Print which hazard breaks which stage.
	go run ./cmd/lockstep matrix

docs: ## Write code, timelines and tables into the documents.
	go run ./cmd/lockstep docs

docs-check: ## Check that the documents show what the code prints.
	go run ./cmd/lockstep docs --check

fuzz: ## Fuzz the wire side of the engine for FUZZTIME=30s.
	go test ./faults -run '^$$' -fuzz FuzzWire -fuzztime $(FUZZTIME) -fuzzminimizetime 1s

bench: ## Measure the hazards and the engine.
	go test ./hazards ./faults ./explore -run '^$$' -bench . -benchmem

check: test test-all test-real race exercises lint docs-check ## Run all that CI runs.
	go mod tidy -diff
	cd exercises && go mod tidy -diff
