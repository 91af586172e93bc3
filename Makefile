# Targets. Each first installs the Debian packages that it needs and does not find (with sudo when not root). A target
# is one word; variables behind it, as N=500, have defaults.
#
#   make            the program: build/release/manager/fedra
#   make demo       a federation on loopback, step by step; HOLD=1 keeps it up at the end
#   make test       unit tests and the scenarios on simulated clusters
#   make test-real  the scenarios on real control planes with Kueue (needs Go 1.26; 10 minutes the first time), and the last
#                   release for the upgrade from it, which is built once (a quarter of an hour; PREVIOUS= leaves it out)
#   make test-real-releases
#                   the same on fleets of several releases of Kubernetes and Kueue (builds them once; three times as long);
#                   SCENARIO_OPTIONS=--record notes what passed for the table of README.md, here and of test-real
#   make test-real-kinds
#                   the scenarios of other kinds of jobs there: real CRDs, Kueue and operators; the rest of the operators is played (tests/real/README.md)
#   make test-real-modes
#                   the scenarios there that say something of fedra in the modes multikueue and dispatcher (docs/conformance.md)
#   make test-real-dra N=500 JOBS=200 SEED=1 KUBERNETES=1.36
#                   random pods and claims, judged by a real kube-scheduler and by fedra, then whole jobs (needs Go 1.26);
#                   RECORD=1 notes the results for the table of README.md (N=2000 and JOBS=1000, or more)
#   make agree N=500 SEED=1
#                   the same cases for fedra and for the allocator library of Kubernetes 1.34 to 1.37, and selectors
#                   for its CEL and theirs (needs Go 1.26); PATCHES=1: and what patch releases have mended, for six more
#                   of these libraries, which are built once
#   make deb        the Debian package: build/packages/fedra_VERSION_amd64.deb
#   make image      the container image, without an engine: build/packages/fedra_VERSION_amd64.oci.tar, and its SBOM
#   make chart      the Helm chart: build/packages/fedra-VERSION.tgz
#   make krew       `kubectl fedra` for krew: build/packages/kubectl-fedra_VERSION_linux_amd64.tar.gz and its manifest
#   make test-packages
#                   the package installed, upgraded and purged in a booted systemd, the image run by runc, both
#                   against a simulated fleet; the chart on a real API server (root; builds Helm the first time)
#   make test-packages-quick
#                   those of these tests that need no machine, cluster or root; begins none after 240 seconds
#   make test-browser
#                   fedra dashboard in Chromium, against a simulated fleet; pictures of the demo (npm fetches axe-core once)
#   make test-browser-large WORKERS=200 FLEET_JOBS=10000
#                   the same on a large fleet, and how long a page takes (10 minutes)
#   make pictures   the pictures of the documentation, docs/pictures: plays the demo, for the dashboard and the terminal
#   make test-trixie
#                   builds and tests on Debian 13, in a root of its own (root; an hour)
#   make test-noble
#                   the same on Ubuntu 24.04
#   make site       the documentation as pages that need no network: build/site/html/index.html
#   make bench      every number of docs/performance.md
#   make bench-scale SIZES="200x10000 1000x100000" LIMIT=3600 JSON=build/bench-scale.json
#                   what fedra costs on simulated fleets of each size, WORKERSxWORKLOADS; a size is cut off after LIMIT
#                   seconds; all sizes without SIZES: hours (more: SCALE_OPTIONS, tests/scenarios/bench_scale.py --help)
#   make plots      docs/pictures/scale-*.svg, of the runs that are kept in tests/data/scale
#   make takeovers TAKEOVERS=1000 LEASE=short
#                   1000 take-overs between two replicas on simulated clusters: for how long nothing is dispatched;
#                   LEASE=shipped has the times of a Lease that a configuration has without any
#   make takeovers-real TAKEOVERS=30 LEASE=shipped
#                   the same on real control planes with Kueue (needs Go 1.26; about a minute for each take-over)
#   make soak SOAK_MINUTES=60 WORKERS=200 SEED=1
#                   two replicas on simulated clusters under load, the leader is ended every minute: what grows, and what
#                   is left (an hour, a quarter as long without take-overs, and some minutes)
#   make lint       both of:
#   make style      format, layers, words, headers, private keys, links, generated files, mypy
#   make tidy       clang-tidy (20 minutes the first time)
#   make asan, make tsan, make fuzz
#                   the other compiler (clang 19) with the sanitizers; the fuzzers (FUZZ_SECONDS each)
#   make format     formats every file
#   make docs       writes the pages that are generated from the code
#   make manifests  writes deploy/kustomize, which are the chart's objects (builds Helm and kubectl the first time)
#   make install    into $(DESTDIR)$(PREFIX)
#   make clean      removes everything that was built: the folder build
#   make help       prints this

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0

N ?= 500
JOBS ?= 200
WORKERS ?= 200
FLEET_JOBS ?= 10000
TAKEOVERS ?= 100
LEASE ?= short
SOAK_MINUTES ?= 60
SEED ?= 1

# Prints where the version before is, for tests of upgrades; empty: they are left out.
PREVIOUS ?= scripts/build_previous.sh

INSTALL_PACKAGES := @scripts/install_packages.sh
# Traces with names and lines: clang 19 looks for the symbolizer of llvm-19, which nothing else needs.
SYMBOLS := external_symbolizer_path=/usr/bin/addr2line
# die_after_fork: a command that a test runs in a forked child starts threads there.
SANITIZER_ENV := ASAN_OPTIONS=$(SYMBOLS) UBSAN_OPTIONS=$(SYMBOLS):print_stacktrace=1 \
                 TSAN_OPTIONS=$(SYMBOLS):halt_on_error=1:die_after_fork=0 FEDRA_HISTORIES=20

.PHONY: all build-release build-asan build-tsan demo bench bench-scale plots takeovers takeovers-real soak \
        test test-real test-real-releases test-real-kinds test-real-modes test-real-dra agree asan tsan fuzz \
        deb image chart krew test-packages test-packages-quick test-trixie test-noble \
        site test-browser test-browser-large pictures docs manifests \
        lint style tidy format install clean help
.DEFAULT_GOAL := all

# Configures when it was never configured, and builds. CMake itself notices changed lists of files.
define BUILD
	@test -f build/$(1)/build.ninja || cmake --preset $(1)
	@ninja -C build/$(1) $(2)
endef

# The scenarios with the programs of one build.
SCENARIOS = FEDRA=$(CURDIR)/build/$(1)/manager/fedra FEDRA_SIM=$(CURDIR)/build/$(1)/tests/sim/fedra-sim \
            tests/scenarios/run.py --fleet sim

all:
	$(INSTALL_PACKAGES) build
	$(call BUILD,release,fedra)

build-release:
	$(INSTALL_PACKAGES) test
	$(call BUILD,release)

build-asan:
	$(INSTALL_PACKAGES) clang
	$(call BUILD,asan)

build-tsan:
	$(INSTALL_PACKAGES) clang
	$(call BUILD,tsan,threaded)

demo:
	$(INSTALL_PACKAGES) test
	$(call BUILD,release,fedra fedra-sim)
	@HOLD=$(HOLD) scripts/demo.py

test: build-release
	@ctest --test-dir build/release --parallel 2 --output-on-failure $(CTEST_OPTIONS)
	@$(call SCENARIOS,release) $(SCENARIO_OPTIONS)
	@for mode in multikueue dispatcher; do $(call SCENARIOS,release) --mode $$mode $(SCENARIO_OPTIONS) || exit 1; done
	@FEDRA=$(CURDIR)/build/release/manager/fedra FEDRA_SIM=$(CURDIR)/build/release/tests/sim/fedra-sim \
	  scripts/tutorials.py --check
	@scripts/check_install.sh

test-real:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,fedra)
	@previous="$$($(PREVIOUS))" && FEDRA_PREVIOUS="$$previous" tests/real/releases.py --usual $(SCENARIO_OPTIONS)

test-real-releases:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,fedra)
	@tests/real/releases.py $(SCENARIO_OPTIONS)

test-real-kinds:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,fedra)
	@tests/scenarios/run.py --fleet real --kinds $(SCENARIO_OPTIONS)

test-real-modes:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,fedra)
	@tests/real/modes.sh $(SCENARIO_OPTIONS)

test-real-dra:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,pod-lines fedra)
	@status=0; release="$(if $(KUBERNETES),--kubernetes $(KUBERNETES))"; \
	tests/real/agree_scheduler.py -n $(N) --seed $(SEED) $$release $(if $(RECORD),--record) || status=$$?; \
	tests/real/agree_jobs.py -n $(JOBS) --seed $(SEED) $$release $(if $(RECORD),--record) || status=$$?; \
	exit $$status

# The library's searches that take long are left out after a second: thousands of cases are put to it.
agree:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,judge-lines cel-lines test_dra)
	@scripts/check_gates.py
	@tests/real/agree_suite.py
	@tests/real/agree_tables.py $(if $(PATCHES),--patches)
	@tests/real/agree_dra.py -n $(N) --seed $(SEED) --limit 1s
	@tests/real/agree_selectors.py -n $(N) --seed $(SEED)
	@echo "make agree: fedra answers as the libraries of all releases do"

# For tests of upgrades: VERSION=0.1.0~1 gives the package another version than its own, DEB_FOLDER another place.
DEB_FOLDER ?= build/packages
deb:
	$(INSTALL_PACKAGES) build deb
	@scripts/debian_changelog.py $(VERSION)
	@mkdir -p $(DEB_FOLDER)
	@FEDRA_DEB_FOLDER=$(abspath $(DEB_FOLDER)) debian/rules binary

image:
	$(INSTALL_PACKAGES) build image
	$(call BUILD,release,fedra)
	@scripts/image/build.py

chart:
	@scripts/build_chart.py

# KREW_URL: where the archive will be downloaded from; HOMEPAGE: where people read about fedra.
krew:
	$(INSTALL_PACKAGES) build image
	$(call BUILD,release,fedra)
	@scripts/build_krew.py $(if $(KREW_URL),--url $(KREW_URL)) $(if $(HOMEPAGE),--homepage $(HOMEPAGE))

test-packages:
	$(INSTALL_PACKAGES) test deb image packages real site
	$(call BUILD,release,fedra fedra-sim pages)
	@tests/packages/run.py $(PACKAGES_OPTIONS)

test-packages-quick:
	$(INSTALL_PACKAGES) build image packages
	$(call BUILD,release,fedra pages)
	@tests/packages/run.py --quick --seconds 240 $(PACKAGES_OPTIONS)

test-browser:
	$(INSTALL_PACKAGES) test browser
	$(call BUILD,release,fedra fedra-sim)
	@tests/browser/run.py $(BROWSER_OPTIONS)
	@tests/browser/pictures.py

test-browser-large:
	$(INSTALL_PACKAGES) test browser
	$(call BUILD,release,fedra fedra-sim)
	@tests/browser/large.py --workers $(WORKERS) --jobs $(FLEET_JOBS) $(BROWSER_OPTIONS)

pictures:
	$(INSTALL_PACKAGES) test browser
	$(call BUILD,release,fedra fedra-sim)
	@tests/browser/pictures.py docs/pictures

test-trixie test-noble:
	$(INSTALL_PACKAGES) suites
	@scripts/test_suite.sh $(@:test-%=%)

site:
	$(INSTALL_PACKAGES) site
	@scripts/build_site.py

bench: build-release
	@scripts/bench.sh

bench-scale:
	$(INSTALL_PACKAGES) test
	$(call BUILD,release,fedra fedra-sim)
	@FEDRA=$(CURDIR)/build/release/manager/fedra FEDRA_SIM=$(CURDIR)/build/release/tests/sim/fedra-sim \
	  tests/scenarios/bench_scale.py $(if $(SIZES),--sizes "$(SIZES)") $(if $(LIMIT),--limit $(LIMIT)) \
	  $(if $(JSON),--json $(JSON)) $(SCALE_OPTIONS)

plots:
	@scripts/plots.py

takeovers: build-release
	@FEDRA_TAKEOVERS=$(TAKEOVERS) FEDRA_LEASE=$(LEASE) $(call SCENARIOS,release) --only takeover-at-random

takeovers-real: TAKEOVERS = 30
takeovers-real: LEASE = shipped
takeovers-real:
	$(INSTALL_PACKAGES) real
	$(call BUILD,release,fedra)
	@FEDRA_TAKEOVERS=$(TAKEOVERS) FEDRA_LEASE=$(LEASE) tests/scenarios/run.py --fleet real --only takeover-at-random \
	  $(SCENARIO_OPTIONS)

soak:
	$(INSTALL_PACKAGES) test
	$(call BUILD,release,fedra fedra-sim)
	@tests/scenarios/run_soak.py --minutes $(SOAK_MINUTES) --workers $(WORKERS) --seed $(SEED) $(SOAK_OPTIONS)

lint: style tidy

style:
	$(INSTALL_PACKAGES) lint
	@scripts/check_format.sh
	@scripts/check_layers.py
	@scripts/check_words.py
	@scripts/check_headers.sh
	@scripts/check_keys.sh
	@scripts/version.py --check
	@tests/real/releases.py --check
	@scripts/check_gates.py --if-there
	@scripts/grafana.py --check
	@scripts/plots.py --check
	@scripts/chart_schema.py --check
	@scripts/chart_readme.py --check
	@scripts/check_links.py
	@mypy --config-file tests/mypy.ini tests/scenarios tests/real tests/packages tests/browser tests/unit scripts

tidy:
	$(INSTALL_PACKAGES) clang lint
	@cmake --preset tidy >/dev/null
	@scripts/run_tidy.py $(TIDY_OPTIONS) build/tidy

asan: build-asan
	@$(SANITIZER_ENV) FEDRA_TEST_SLOWNESS=3 ctest --test-dir build/asan --parallel 2 --output-on-failure $(CTEST_OPTIONS)
	@$(SANITIZER_ENV) FEDRA_TEST_SLOWNESS=3 $(call SCENARIOS,asan) $(SCENARIO_OPTIONS)

# The test programs of the parts that have threads, and the whole.
tsan: build-tsan
	@$(SANITIZER_ENV) FEDRA_TEST_SLOWNESS=10 ctest --test-dir build/tsan --output-on-failure -L threaded $(CTEST_OPTIONS)
	@$(SANITIZER_ENV) FEDRA_TEST_SLOWNESS=10 $(call SCENARIOS,tsan) $(SCENARIO_OPTIONS)

fuzz:
	$(INSTALL_PACKAGES) clang
	$(call BUILD,asan,fuzzers)
	@$(SANITIZER_ENV) scripts/run_fuzzers.sh build/asan/tests/fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)

format:
	$(INSTALL_PACKAGES) format
	@scripts/check_format.sh --fix

docs: build-release
	@FEDRA_WRITE_DOCS=1 build/release/tests/test_manager "docs/*"
	@FEDRA_WRITE_DOCS=1 build/release/tests/test_cel "docs/*"
	@FEDRA_WRITE_DOCS=1 ctest --test-dir build/release --quiet --output-on-failure -R '^cel-spec$$'
	@tests/scenarios/run.py --write-docs
	@tests/real/releases.py --write
	@scripts/tutorials.py
	@scripts/grafana.py
	@scripts/chart_schema.py
	@scripts/chart_readme.py

# The kustomize files, which are the chart's objects. Builds Helm and kubectl the first time.
manifests:
	$(INSTALL_PACKAGES) real
	@FEDRA_WRITE_DOCS=1 tests/packages/run.py --only kustomize-base kustomize-components kustomize-worker

install:
	$(INSTALL_PACKAGES) build
	$(call BUILD,release,fedra pages)
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)
	@install -d $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
	@sed 's|/usr/bin/fedra|$(PREFIX)/bin/fedra|' deploy/systemd/fedra.service \
	  > $(DESTDIR)$(PREFIX)/lib/systemd/system/fedra.service
	@sed 's|/usr/bin/fedra|$(PREFIX)/bin/fedra|' deploy/systemd/fedra-rotate@.service \
	  > "$(DESTDIR)$(PREFIX)/lib/systemd/system/fedra-rotate@.service"
	@install -m 644 deploy/systemd/fedra-rotate@.timer "$(DESTDIR)$(PREFIX)/lib/systemd/system/fedra-rotate@.timer"
	@install -m 644 deploy/systemd/fedra.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/fedra.socket
	@install -m 644 deploy/systemd/fedra.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/fedra.conf
	@install -m 644 deploy/systemd/fedra.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/fedra.conf

clean:
	@rm -rf build

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//; p' $(firstword $(MAKEFILE_LIST))
