# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
SHELL := /bin/bash
export GOFLAGS := -trimpath -buildvcs=false
GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)

.PHONY: setup setup-tests build demo test check lint unit bench soundness fuzz clean

setup:
	@scripts/setup.sh

setup-tests:
	@scripts/setup.sh tests

build: setup
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/firmproof ./cmd/firmproof

demo: build
	@KEEP=$(KEEP) bin/firmproof demo

# Everything: format, vet, lint, layers, unit and end-to-end tests.
test: setup-tests lint
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/firmproof ./cmd/firmproof
	$(GO) test -timeout 30m ./...

# The fast loop.
check: setup lint unit

lint: setup
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$out" ]; then echo "gofmt wants: $$out"; exit 1; fi
	$(GO) vet ./...
	@mkdir -p build/tools && test -x build/tools/staticcheck || (cd build/tools && GOFLAGS=-mod=mod GOBIN="$(CURDIR)/build/tools" $(GO) install $(STATICCHECK))
	build/tools/staticcheck ./...

unit:
	$(GO) test -short -timeout 10m ./...

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./verifier/...

clean:
	rm -rf bin build vendor
