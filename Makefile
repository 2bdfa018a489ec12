# What a developer runs. `make` alone lists it.
# The suites, the real data and the gateway's vectors are found through TRAILS_SUITES,
# TRAILS_DATA and TRAILS_VECTORS;
# tests that need them are skipped with one loud line when they are absent, and
# fail when CI=true.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

export CGO_ENABLED   ?= 0
export TRAILS_SUITES ?= $(abspath ../shared/suites)
export TRAILS_DATA   ?= $(abspath ../shared/data)
export TRAILS_VECTORS ?= $(abspath ../shared/vectors)
export TRAILS_TOOLS  ?= $(CURDIR)/.cache

VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
# Functions begin at multiples of 16 bytes, as on arm64, and not of 32: a binary for amd64 is 0.3 MB smaller.
LDFLAGS  := -s -w -funcalign=16 -X main.version=$(VERSION)
# HTTP/2 needs TLS, which is mostly that of a proxy: without it a binary is 0.6 MB smaller.
TAGS     := nethttpomithttp2
# What runs once for a call or a person's click has no copies of small functions in their callers: a binary is 1 MB smaller.
# So have the libraries that do it there: telemetry in the form of Protocol Buffers, messages of MCP, YAML and what reads
# policies, which is 0.3 MB.
CALLED   := $(addprefix trails/,admin auth builtin capability cmd gateway hosts httpapi invoke mcp schema) \
            google.golang.org/protobuf github.com/modelcontextprotocol/go-sdk go.yaml.in/yaml github.com/cedar-policy/cedar-go/x
GCFLAGS  := $(CALLED:%=-gcflags=%/...=-l)
BUILD    := -trimpath -tags $(TAGS) $(GCFLAGS)
FUZZTIME  ?= 30s
# What a stripped binary may have at most: 39 MiB, see docs/decisions/0155-39-mib.md.
HEAVIEST  := 40894464
BENCH     ?= .
SIZES     ?= 1000000
SET       ?= .
COUNT     ?= 1
PLATFORMS  ?=
REPOSITORY ?=

# Versions of the tools; the npm ones stand in e2e/client and e2e/peers.
GOLANGCI_LINT := v2.15.0
BENCHSTAT     := v0.0.0-20260908200009-22c9c6c9d4da

LINT := $(TRAILS_TOOLS)/bin/golangci-lint

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: build
build: ## build bin/trails
	go build $(BUILD) -ldflags '$(LDFLAGS)' -o bin/trails ./cmd/trails
	@size=$$(wc -c < bin/trails); if [ $$size -gt $(HEAVIEST) ]; then echo "bin/trails has $$size bytes, more than $(HEAVIEST): go tool nm -size -sort size says of an unstripped one what weighs"; exit 1; fi

.PHONY: gcflags
gcflags: ## print the flags of the compiler that build gives, for GOFLAGS
	@echo '$(GCFLAGS)'

.PHONY: release
release: ## make dist/: archives, bundles, bills of materials and checksums of six platforms, or of PLATFORMS; with REPOSITORY=https://github.com/OWNER/NAME server.json, too
	go run ./cmd/release -version '$(VERSION)' -repository '$(REPOSITORY)' -platforms '$(PLATFORMS)' -build '$(BUILD)' -heaviest $(HEAVIEST) -out dist

.PHONY: release-check
release-check: ## make a release twice, from two clones with build caches of their own, and compare: of linux/amd64, or of PLATFORMS, or of all with PLATFORMS=all
	@dir=$$(mktemp -d); trap 'chmod -R u+w "$$dir"; rm -rf "$$dir"' EXIT; \
	for n in one two; do \
	  git clone -q . "$$dir/source-$$n"; \
	  (cd "$$dir/source-$$n" && GOCACHE="$$dir/cache-$$n" go run ./cmd/release \
	    -version '$(VERSION)' -repository '$(or $(REPOSITORY),https://github.com/example/trails)' -platforms '$(or $(PLATFORMS:all=),$(if $(PLATFORMS),,linux/amd64))' -build '$(BUILD)' -out "$$dir/$$n"); \
	  rm -rf "$$dir/cache-$$n"; \
	done; \
	diff -r "$$dir/one" "$$dir/two" && cat "$$dir/one/SHA256SUMS"

.PHONY: example
example: ## the first minute: the main job on the embedded example
	go run ./example/tour

.PHONY: test
test: ## run the tests, and say which suites were not here
	go test ./...
	@go test -count=1 -run '^$$' # shows what a passing package says

.PHONY: public
public: ## test the file without SQLite's private names, as a new version of SQLite would first be used
	go test -tags '$(TAGS) sqlite_public' ./db ./db/pager

.PHONY: check
check: fmt vet lint test ## format, vet, lint, tests

.PHONY: fmt
fmt: ## fail when a file is not formatted
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

.PHONY: vet
vet: ## go vet
	go vet ./...

.PHONY: lint
lint: $(LINT) ## golangci-lint
	$(LINT) run ./...

.PHONY: race
race: ## run the tests under the race detector (needs a C compiler), as short as they can be and without those of one goroutine; it does not look into SQLite
	CGO_ENABLED=1 go build -race -gcflags='modernc.org/...=-race=false' -o /dev/null ./cmd/trails # or two would compile it at once
	CGO_ENABLED=1 RAPID_CHECKS=25 go test -race -gcflags='modernc.org/...=-race=false' -short -timeout 20m $$(.ci/racing)

.PHONY: fuzz
fuzz: ## run every fuzz test for FUZZTIME; the inputs that are kept are among the tests
	.ci/fuzz $(FUZZTIME)

.PHONY: torture
torture: fuzz ## every fuzz test, then kills, damage, vanishing files, hostile load, a long soak, and scans beside SQL: an hour; TRAILS_TORTURE_SCALE=0.1 and FUZZTIME=7s make it shorter
	go test -tags torture -run Torture -count=1 -timeout 90m -v ./e2e ./db

.PHONY: conformance
conformance: ## run the standards' own suites; absent ones fail
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; code=0; \
	CI=true go test -v -count=1 -run 'W3C|Conformance' ./... 2>&1 | tee "$$log" | \
	  { grep -vE '^ *(=== |--- PASS|PASS$$)|no test' || true; } || code=$$?; \
	.ci/figures "$$log" || code=$$?; exit $$code

.PHONY: bench
bench: ## run the benchmarks, each beside raw SQLite in the same run
	TRAILS_BENCH_TIME=60s go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 60m ./...

.PHONY: bench-agent
bench-agent: ## count calls and tokens of an agent's tasks on ATT&CK, twelve and six of authoring, and print a table for each view of the answers
	@table=$$(mktemp); trap 'rm -f "$$table"' EXIT; TRAILS_AGENT_TABLE=$$table CI=true go test -count=1 -run '^Test(TwelveTasks|AuthoringTasks)$$' ./e2e/agent; cat "$$table"

.PHONY: bench-search
bench-search: ## measure which share of what answers a question a search has among its first hits; needs TRAILS_DATA
	go test -run '^$$' -bench '^BenchmarkRecall$$' -benchtime 1x -timeout 20m ./kg

.PHONY: bench-peers
bench-peers: $(TRAILS_TOOLS)/peers/installed $(TRAILS_TOOLS)/peers/debian/done ## run the queries of the kit beside other engines, and print tables
	TRAILS_PEERS=1 TRAILS_SIZES='$(SIZES)' go test -run '^$$' -bench '^BenchmarkPeers$$/$(SET)' -benchtime 1x -timeout 3h ./db/querykit

# Where golden files are written.
GOLDEN = $(sort $(dir $(addprefix ./,$(shell git grep -lE 'projecttest\.Golden|TRAILS_UPDATE_MCP_SNAPSHOTS"' -- '*_test.go'))))

.PHONY: generate
generate: ## write the golden files anew, so that one without a tool is gone; leaves a clean tree when nothing changed
	TRAILS_UPDATE_MCP_SNAPSHOTS=1 go test -count=1 -p 1 -run 'Snapshot|Golden' $(GOLDEN)

.PHONY: tools
tools: $(LINT) $(TRAILS_TOOLS)/bin/benchstat npm ## install the pinned tools into .cache

$(LINT): Makefile
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	touch $@

$(TRAILS_TOOLS)/bin/benchstat: Makefile
	GOBIN=$(@D) go install golang.org/x/perf/cmd/benchstat@$(BENCHSTAT)
	touch $@

.PHONY: screenshots
screenshots: build npm ## pictures of thirty pages in two themes and widths: make screenshots DIR=/tmp/shots
	@test -n "$(DIR)" || { echo 'say where: make screenshots DIR=/tmp/shots'; exit 2; }
	node e2e/client/screenshots.mjs $(TRAILS_TOOLS)/npm "$${TRAILS_CHROMIUM:-/usr/bin/chromium-headless-shell}" bin/trails $(DIR) "$${TRAILS_DATA:-none}/attack/attack.ndjson.gz"

.PHONY: npm
npm: $(TRAILS_TOOLS)/npm/installed ## the MCP clients and the Node that they need

$(TRAILS_TOOLS)/npm/installed: e2e/client/package.json
$(TRAILS_TOOLS)/peers/installed: e2e/peers/package.json

# The engines that are Debian's packages, unpacked; where they cannot be had it says so.
$(TRAILS_TOOLS)/peers/debian/done: e2e/peers/debian.sh e2e/peers/Jena.java
	e2e/peers/debian.sh $(TRAILS_TOOLS)/peers && touch $@

$(TRAILS_TOOLS)/%/installed:
	mkdir -p $(@D)
	cp $< $(@D)/package.json
	cd $(@D) && npm install --no-package-lock --no-audit --no-fund --no-progress
	touch $@
