# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
SHELL := /bin/bash
export GOFLAGS := -trimpath -buildvcs=false
GO ?= go
VULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)

.PHONY: setup setup-tests build demo test check lint race vulnerable recipe unit bench bench-table bench-slowest bench-peers bench-instructions bench-pipeline load soundness attributes twins long csmith optimised mutate ablate oracle siege fuzz update pictures changes fresh llvm release vscode clean

setup:
	@scripts/setup.sh

setup-tests:
	@scripts/setup.sh tests

build: setup
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/firmproof ./cmd/firmproof

demo: build
	@KEEP=$(KEEP) bin/firmproof demo

# Everything: format, vet, lint, layers, unit and end-to-end tests. Some packages wait for processes and databases while
# others compute: so one more at a time than there are cores. Less is collected of memory that there is enough of.
test: export GOGC := 400
test: export GOMEMLIMIT := 3GiB
test: setup-tests lint
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/firmproof ./cmd/firmproof
	$(GO) test -vet=off -ldflags=-w -timeout 150m -p $$(($$(nproc) + 1)) ./...

# The fast loop.
check: setup lint unit

lint: setup
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$out" ]; then echo "gofmt wants: $$out"; exit 1; fi
	$(GO) vet ./...
	@mkdir -p build/tools && test -x build/tools/staticcheck || (cd build/tools && GOFLAGS=-mod=mod GOBIN="$(CURDIR)/build/tools" $(GO) install $(STATICCHECK))
	build/tools/staticcheck ./...

# The packages in which goroutines share most, under the race detector.
race: setup
	$(GO) test -race -short -vet=off -timeout 40m ./bot ./pipeline ./pipeline/queue ./pipeline/store ./verifier

# Known vulnerabilities in what is called of the libraries; asks the Go project's database.
vulnerable: setup
	GOFLAGS=-mod=mod $(GO) run $(VULNCHECK) ./...

# The recipe of CONTRIBUTING.md for a check, followed in a copy of the tree.
recipe: setup
	FIRMPROOF_RECIPE=1 $(GO) test -count=1 -run '^TestRecipeForACheck$$' -timeout 30m ./cmd/firmproof

unit:
	$(GO) test -short -timeout 10m ./...

# Scaling families through the whole engine and the packages' own benchmarks, once each, in
# benchstat's format; BENCHTIME=5x or BENCH=copy for more or for less.
BENCH ?= .
BENCHTIME ?= 1x
bench: setup
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem -timeout 60m ./cmd/firmproof ./verifier/...

# 2,000 webhooks in LOAD: how long their acknowledgement takes (p50, p99), beside a run.
LOAD ?= 60s
load: setup
	FIRMPROOF_LOAD=$(LOAD) $(GO) test -run '^$$' -bench '^BenchmarkWebhooks$$' -benchtime 1x -timeout 30m ./bot

# The programs of FOLDER (with a manifest.json of tasks, or plain C files) that take longest: seconds and peak memory.
# SLOWFLAGS: -n=30 -limit=15s -match=REGEXP.
FOLDER ?= examples
SLOWFLAGS ?=
bench-slowest: build
	$(GO) run ./pipeline/measure -program bin/firmproof -folder '$(FOLDER)' $(SLOWFLAGS) slowest

# Families of programs beside other model checkers (of the folder PEERS, else those on PATH), ratios and exponents into
# docs/benchmarks.md. PEERFLAGS: -match=REGEXP -limit=60s.
PEERS ?=
PEERFLAGS ?=
bench-peers: build
	$(GO) run ./scripts/peers -program bin/firmproof -peers '$(PEERS)' -into docs/benchmarks.md -commit $$(git rev-parse --short HEAD) $(PEERFLAGS)

# Instructions instead of seconds, by callgrind, for the stages that need no solver and the families at one size each:
# what other work on the machine does not change.
bench-instructions: setup
	scripts/instructions.sh

# The growth exponents of the families, into docs/benchmarks.md.
bench-table: setup
	FIRMPROOF_GROWTH='$(CURDIR)/docs/benchmarks.md' $(GO) test -count=1 -run '^TestGrowth$$' -timeout 60m -v ./cmd/firmproof

# Figures of the pipeline: overhead, increments, throughput, kills, idle memory. MEASURE picks some,
# MEASUREFLAGS=-tasks=1000 and the like make them smaller.
MEASURE ?=
MEASUREFLAGS ?=
bench-pipeline: setup-tests build
	$(GO) run ./pipeline/measure -program bin/firmproof $(MEASUREFLAGS) $(MEASURE)

# Random programs: the engine against the interpreter, and that against the machine; runs against the graphs
# that termination is proved with, and against bounds; each engine alone against unwinding.
DURATION ?= 5m
SEED ?= 1
soundness: setup
	FIRMPROOF_SOUNDNESS=$(DURATION) FIRMPROOF_SEED=$(SEED) $(GO) test -count=1 -run '^TestSoundness' -timeout 0 -v ./cmd/firmproof
	FIRMPROOF_SOUNDNESS=$(DURATION) FIRMPROOF_SEED=$(SEED) $(GO) test -count=1 -run '^(TestRunsStayInGraph|TestBytesStayInGraph|TestStepsAreThoseOfBytes|TestBoundsHoldInGeneratedRuns|TestRandomForks|TestRandomLeaps|TestWhatChangesRestsOnIt|TestExecutedNumbersAreInRanges|Test(Induction|Recursion|Walks)AgainstUnwinding)$$' -timeout 0 -v ./verifier ./verifier/seg ./verifier/graphterm ./verifier/termination ./verifier/interp ./verifier/flow ./verifier/flow/ranges

# Generated programs about ABI and library (machines say what is right), interrupts, memory map and contracts (all cases
# are tried), DURATION each.
attributes: setup-tests
	FIRMPROOF_ATTRIBUTES=$(DURATION) FIRMPROOF_SEED=$(SEED) $(GO) test -count=1 -run '^TestAttributes$$' -timeout 0 -v ./cmd/firmproof

# Pairs of small programs, a bug and its mended twin, by class; with UPDATE=1 the figures in docs/twins.md.
twins: setup
	FIRMPROOF_LONG=1 $(GO) test -count=1 -vet=off -timeout 0 -v -run '^TestTwins$$' ./cmd/firmproof

# Families of programs that `make test` takes a sample of, all of them.
long: setup
	FIRMPROOF_LONG=1 $(GO) test -count=1 -vet=off -timeout 0 ./verifier ./verifier/change ./verifier/flow/... ./verifier/invariant ./verifier/seg ./verifier/graphterm ./pipeline/prepare
	FIRMPROOF_LONG=1 $(GO) test -count=1 -vet=off -timeout 0 -run '^Test(Check|WorkedExamples|CertifyCorpus|Lanes|Contracts|Uninterpreted|CallsOfModules|Soundness|CyclesMeasured)$$' ./cmd/firmproof

# Programs of Csmith: the checksum that gcc, clang and Arm's gcc (in QEMU) compute is proved, every other refuted.
csmith: setup-tests
	FIRMPROOF_CSMITH=$(DURATION) FIRMPROOF_SEED=$(SEED) $(GO) test -count=1 -run '^TestCsmith$$' -timeout 0 -v ./cmd/firmproof

# Functions of such programs do the same as the compiler makes them at -O0 and at -O2.
optimised: setup-tests
	FIRMPROOF_CSMITH=$(DURATION) FIRMPROOF_SEED=$(SEED) $(GO) test -count=1 -run '^TestOptimised$$' -timeout 0 -v ./cmd/firmproof

# Mistakes seeded into the engine, and the share that tests notice. PER mutants of each package, by SEED; a run that was
# stopped goes on with the next. MUTATEFLAGS: -package=REGEXP -limit=20m -list -lived (run those again) -target=95.
PER ?= 50
MUTATEFLAGS ?=
mutate: setup-tests
	$(GO) run ./scripts/mutate -per $(PER) -seed $(SEED) $(MUTATEFLAGS)

# What each technique of the engine earns, into docs/ablation.md: answers lost and processor seconds saved without it, on
# the programs of ABLATE (folders) and of CORPUS (folders with a manifest.json of tasks). A run that was stopped goes on
# with what build/ablation.jsonl keeps; delete that where the engine changed. ABLATEFLAGS: -timeout=10s -every=12 -own=8
# -most=6 -limit=20m -match=REGEXP.
ABLATE ?= examples cmd/firmproof/testdata/check cmd/firmproof/testdata/worked
CORPUS ?=
ABLATEFLAGS ?=
ablate: build
	mkdir -p build
	$(GO) run ./scripts/ablate -program bin/firmproof -state build/ablation.jsonl $(ABLATEFLAGS) $(ABLATE) $(CORPUS) > docs/ablation.new
	mv docs/ablation.new docs/ablation.md

# Every fuzz target, FUZZTIME each.
FUZZTIME ?= 10s
fuzz: setup
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

# Rewrites what tests expect from what happens now, in every test that can: read the difference before you commit it.
update: setup
	UPDATE=1 $(GO) test -count=1 -timeout 30m -run '^(TestCheck|TestManual|TestGolden|TestCases|TestTrace|TestPage|TestPageNarrow)$$' ./cmd/firmproof ./verifier/frontend ./verifier/interp ./reports

# Every way to an answer (check, --cache after edits, run --pr-sim, jobs as on the server) on every program of the tests and
# examples; LANES is a regular expression of names, such as check/leak. `make test` takes a sample.
LANES ?= all
oracle: setup
	FIRMPROOF_LANES='$(LANES)' $(GO) test -count=1 -run '^TestLanes$$' -parallel 2 -timeout 0 -v ./cmd/firmproof

# The pictures of README and manual, from the demo as it runs: the pull request, a counterexample, the night after.
pictures: setup-tests build
	$(GO) run ./scripts/pictures

# Attacks that take longer than `make test` has time for, or more memory and disk: tests called TestSiege..., which
# skip themselves where SIEGE is not set.
siege: setup-tests
	SIEGE=1 $(GO) test -count=1 -run '^TestSiege' -p 1 -timeout 60m -v ./...

# docs/soundness-corrections.md from CHANGELOG.md and the files of changes/. VERSION=0.2.0 first joins these files into
# that version's section of CHANGELOG.md.
changes:
	$(GO) run ./scripts/changes '$(if $(filter command line environment,$(origin VERSION)),$(VERSION))'

# `make demo` and `make test` as on a fresh machine: in a minimal Debian root with a clean clone of HEAD (DIST=trixie:
# Debian 13).
# STEP=root, demo or test does one of them (the root stays in FRESH_DIR), STEP=shell CMD='go test ./targets' a command
# there, STEP=clean removes it. STEP=recipes follows the documented CI recipes with a release of HEAD, in minimal roots. As root or with sudo.
STEP ?=
CMD ?=
FRESH_DIR ?= /var/tmp/firmproof-fresh
DIST ?= bookworm
fresh:
	@STEP='$(STEP)' CMD='$(CMD)' FRESH_DIR='$(FRESH_DIR)' DIST='$(DIST)' scripts/fresh.sh

# The cases of cmd/firmproof/testdata/check with each LLVM that is installed: the same answers as with 14. LLVM='19 22'
# takes these versions alone.
LLVM ?= all
llvm: setup-tests
	LLVM='$(LLVM)' $(GO) test -count=1 -timeout 4h -v -run TestLLVM ./cmd/firmproof

# Archives, Debian packages, SBOMs, the extension for VS Code and checksums of HEAD into build/release, twice, with the same bytes (TWICE= once).
# VERSION=1.2.0, ARCHS=amd64.
release:
	@scripts/setup.sh release
	@VERSION='$(if $(filter command line environment,$(origin VERSION)),$(VERSION))' scripts/release.sh

# The extension for VS Code of HEAD, checked and tested, into build: firmproof-VERSION.vsix. It needs npm.
vscode:
	@VERSION='$(if $(filter command line environment,$(origin VERSION)),$(VERSION))' scripts/vscode.sh

clean:
	rm -rf bin build vendor
