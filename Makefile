# propriod: the proprioception daemon
#
##   make run             install what is missing, build, show a simulated humanoid
##                        being estimated (SECONDS=10 ends it, SCENARIO=push)
##   make test            install what is missing, build, run every test
##                        (ONLY=word: those with the word in their path)
##   make help            the other targets
#
# Everything is built into one folder, $(BUILD). Sources are found by folder: a new .c file needs no line here.

SANITIZE ?=
BUILD    ?= build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))
comma    := ,
PREFIX   ?= /usr
SYSCONFDIR ?= /etc
SECONDS  ?=
EQ       ?=

CC       ?= gcc
OPTIMIZE ?= -O3
WARN     := -Wno-psabi -Wall -Wextra -Wshadow -Wvla -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes
CFLAGS   ?= $(OPTIMIZE) -g
override CFLAGS += -std=c11 -D_GNU_SOURCE -fno-math-errno -fno-trapping-math -ffp-contract=fast $(WARN) -MMD -MP
override LDFLAGS += -pthread -Wl,--as-needed
ifneq ($(SANITIZE),)
override CFLAGS  += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -O1
override CFLAGS  += $(if $(findstring thread,$(SANITIZE)),-Wno-tsan) # fences order memory shared with other processes
override LDFLAGS += -fsanitize=$(SANITIZE)
endif
override CFLAGS += -pthread

# the version is that of the newest entry of the changelog, the commit git's, or $(PROPRIOD_COMMIT) of who builds without git
VERSION         := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' tools/debian/changelog)
ifeq ($(origin PROPRIOD_COMMIT),undefined)
PROPRIOD_COMMIT := $(shell git describe --always --abbrev=12 --match= --dirty 2>/dev/null)
endif

# Tests are built once and run once: what they do themselves is compiled quickly, without what a debugger reads
# (TEST_DEBUG=-g keeps that), and they are linked by who is quick at it, which is not so sure of the libraries of another
# processor.
TEST_DEBUG ?= $(if $(SANITIZE),-g,-g0)
QUICK_LD := $(if $(SANITIZE)$(filter-out cc,$(CC)),,$(shell $(CC) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold))
CHECK    := $(shell pkg-config --libs check 2>/dev/null)
$(BUILD)/tests/unit/%.o $(BUILD)/tests/scenario/%.o: override CFLAGS += -O1 $(TEST_DEBUG)
$(addprefix $(BUILD)/tests/,unit/% scenario/% isa/%): override LDFLAGS += $(if $(filter -g0,$(TEST_DEBUG)),-Wl$(comma)--strip-debug)

LIBS     := -lzmq -lmsgpackc -lzstd -lz -lxxhash -lyaml -lexpat -lsystemd -llapacke -lopenblas -lm -lrt
SIM_LIBS := -lmujoco

# A layer sees itself and the layers below it, never one above: an upward include does not build.
SEES_dynamics   := -iquote dynamics
SEES_estimators := -iquote estimators -Iestimators $(SEES_dynamics)
SEES_daemon     := -iquote daemon $(SEES_estimators) -Idaemon
SEES_tools      := -iquote tools -iquote tools/evaluate -iquote tools/report -iquote tools/sim $(SEES_daemon)
SEES_tests      := -iquote tests $(SEES_tools)

sources = $(sort $(wildcard $(addsuffix /*.c,$(1)) $(addsuffix /*/*.c,$(1))))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1)) $(foreach level,$(LEVELS),$(patsubst %.c,$(BUILD)/%.v$(level).o,$(filter $(KERNELS),$(1))))

# sources with ISA_KERNEL are compiled for each level of x86-64 (dispatch.h)
KERNELS := $(shell grep -rl --include='*.c' '^ISA_KERNEL' dynamics estimators)
LEVELS  := $(if $(SANITIZE),,$(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),3 4))
ifneq ($(LEVELS),)
$(KERNELS:%.c=$(BUILD)/%.o): override CFLAGS += -DISA_LEVEL=1
endif

DYNAMICS   := $(call sources,dynamics)
ESTIMATORS := $(call sources,estimators)
DAEMON     := $(filter-out daemon/main.c,$(call sources,daemon))
REPORT     := $(call sources,tools/report)
SIM        := $(filter-out tools/sim/main.c,$(call sources,tools/sim))
REPLAY     := $(call sources,tools/replay)
TRUST      := $(call sources,tools/trust)
EXCHANGE   := $(call sources,tools/exchange)
LIVE       := $(filter-out tools/live/live_server.c,$(call sources,tools/live))
CTL        := $(call sources,tools/proprioctl)
IDENTIFY   := $(filter-out tools/identify/main.c,$(call sources,tools/identify))
EVALUATE   := $(sort $(wildcard tools/evaluate/*.c))
SUPPORT    := $(call sources,tools/evaluate/support)
EXAMPLES   := $(call sources,tools/examples)
UNIT       := $(call sources,tests/unit)
SCENARIO   := $(call sources,tests/scenario)
BENCH      := $(call sources,tests/bench)
FUZZ       := $(sort $(wildcard tests/fuzz/*_fuzz.c))

ARCHIVES   := $(patsubst %,$(BUILD)/lib%.a,evaluate trust identify live report sim replay daemon estimators dynamics)
PROGRAMS   := $(if $(wildcard daemon/main.c),$(BUILD)/propriod) $(if $(CTL),$(BUILD)/proprioctl) \
              $(if $(wildcard tools/sim/main.c),$(BUILD)/propriod-sim) \
              $(if $(wildcard tools/identify/main.c),$(BUILD)/propriod-identify) \
              $(patsubst tools/examples/%.c,$(BUILD)/examples/%,$(EXAMPLES))
PYTHON     := $(patsubst tools/%,$(BUILD)/%,$(wildcard tools/python/propriod/*.py tools/python/propriod/py.typed)) \
              $(BUILD)/python/propriod/_segment.so
TESTS      := $(patsubst tests/%.c,$(BUILD)/tests/%,$(UNIT) $(SCENARIO) $(FUZZ))
BENCHES    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(BENCH))
LESSER_BENCHES := $(foreach v,avx2 plain,$(BUILD)/tests/bench/$(v)/ukf_bench $(BUILD)/tests/bench/$(v)/dynamics_bench)
EVALUATORS := $(patsubst tools/%.c,$(BUILD)/%,$(EVALUATE))

# the suites of what is compiled for several instruction sets (dispatch.h), once more as lesser processors run it
DISPATCHED := $(notdir $(basename $(shell grep -rlE --include='*.c' '^FOR_EACH_ISA|^ISA_KERNEL' dynamics estimators)))
LESSER     := $(if $(SANITIZE),,$(patsubst tests/unit/%.c,%,$(wildcard $(DISPATCHED:%=tests/unit/*/%_test.c) tests/unit/body/dynamics_mujoco_test.c tests/unit/skin/skin_fusion_test.c tests/unit/process/joint_covariance_test.c)))
# scripts that run the programs of a folder beside tests/unit and tests/scenario
RUN_BY_fuzz := system/fuzz_seeds_test.sh
RUN_BY_isa  := system/instruction_sets_test.sh
TESTS      += $(LESSER:%=$(BUILD)/tests/isa/v3/%) $(LESSER:%=$(BUILD)/tests/isa/plain/%)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all run test bench evaluate where soak aarch64 lint format deps install uninstall clean help programs tests fuzz fuzzers deb python FORCE

all: deps
	@$(MAKE) -s --no-print-directory $(all_processors) programs python

programs: $(PROGRAMS)
	@:
python: $(PYTHON)
	@:
# of the tests those whose path has one of the words of ONLY, or whose script has
has_word = $(strip $(foreach w,$(ONLY),$(findstring $(w),$(1))))
CHOSEN := $(if $(ONLY),$(foreach t,$(TESTS:$(BUILD)/tests/%=%),$(if $(call has_word,$(t) $(RUN_BY_$(firstword $(subst /, ,$(t))))),$(BUILD)/tests/$(t))),$(TESTS))
tests: $(PROGRAMS) $(PYTHON) $(CHOSEN)
fuzzers: $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ))

compile = @mkdir -p $(@D); echo '  CC   $<'; $(CC) $(CFLAGS) $(1) -c $< -o $@
$(BUILD)/dynamics/%.o: dynamics/%.c
	$(call compile,$(SEES_dynamics))
$(BUILD)/dynamics/%.v3.o: dynamics/%.c
	$(call compile,$(SEES_dynamics) -DISA_LEVEL=3 -march=x86-64-v3)
$(BUILD)/dynamics/%.v4.o: dynamics/%.c
	$(call compile,$(SEES_dynamics) -DISA_LEVEL=4 -march=x86-64-v4)
# programs are linked anew when the version or the commit has changed; tests, benches and evaluations ask for neither
VERSION_O := $(BUILD)/daemon/common/version.o
$(BUILD)/daemon/common/version.o: override CFLAGS += -DPROPRIOD_VERSION='"$(VERSION)"' \
  -DPROPRIOD_COMMIT='"$(if $(PROPRIOD_COMMIT), ($(PROPRIOD_COMMIT)))"'
$(BUILD)/daemon/common/version.o: $(BUILD)/version
$(BUILD)/version: FORCE
	@mkdir -p $(@D); echo '$(VERSION) $(PROPRIOD_COMMIT)' | cmp -s - $@ || echo '$(VERSION) $(PROPRIOD_COMMIT)' >$@
FORCE:
$(BUILD)/estimators/%.o: estimators/%.c
	$(call compile,$(SEES_estimators))
$(BUILD)/estimators/%.v3.o: estimators/%.c
	$(call compile,$(SEES_estimators) -DISA_LEVEL=3 -march=x86-64-v3)
$(BUILD)/estimators/%.v4.o: estimators/%.c
	$(call compile,$(SEES_estimators) -DISA_LEVEL=4 -march=x86-64-v4)
$(BUILD)/daemon/%.o: daemon/%.c
	$(call compile,$(SEES_daemon))
$(BUILD)/tools/%.o: tools/%.c
	$(call compile,-iquote $(<D) $(SEES_tools))
$(BUILD)/tests/%.o: tests/%.c
	$(call compile,$(SEES_tests))

# the live page's files are taken in as they are
$(BUILD)/tools/live/live_assets.o: $(wildcard tools/live/page/*)

$(BUILD)/libdynamics.a: $(call objects,$(DYNAMICS))
$(BUILD)/libestimators.a: $(call objects,$(ESTIMATORS))
$(BUILD)/libdaemon.a: $(filter-out $(VERSION_O),$(call objects,$(DAEMON)))
$(BUILD)/libevaluate.a: $(call objects,$(SUPPORT))
$(BUILD)/libreport.a: $(call objects,$(REPORT))
$(BUILD)/libsim.a: $(call objects,$(SIM))
$(BUILD)/libidentify.a: $(call objects,$(IDENTIFY))
$(BUILD)/libtrust.a: $(call objects,$(TRUST))
$(BUILD)/liblive.a: $(call objects,$(LIVE))
$(BUILD)/libreplay.a: $(call objects,$(REPLAY))
$(BUILD)/libtests.a: $(call objects,$(call sources,tests/support tests/reference))
$(BUILD)/%.a:
	@rm -f $@
	@$(AR) rcs $@ $^

# the Python package as it is installed, beside the library with which it writes to the segment
$(BUILD)/python/%: tools/python/%
	@install -D -m 644 $< $@
$(BUILD)/python/propriod/_segment.so: tools/python/propriod/_segment.c
	@mkdir -p $(@D); echo '  LINK $@'; $(CC) -O2 -g -std=c11 -D_GNU_SOURCE $(WARN) $(SEES_daemon) -shared -fPIC -o $@ $<

link = echo '  LINK $@'; $(CC) $(LDFLAGS) $(1) -o $@ $(2)

$(BUILD)/propriod: $(BUILD)/daemon/main.o $(VERSION_O) $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@$(call link,$^,$(LIBS))
$(BUILD)/proprioctl: $(call objects,$(CTL)) $(VERSION_O) $(call objects,$(EXCHANGE)) $(BUILD)/tools/live/live_server.o $(BUILD)/liblive.a $(BUILD)/tools/sim/collision.o $(BUILD)/tools/report/escape.o $(BUILD)/libidentify.a $(BUILD)/libreplay.a $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@$(call link,$^,-lwebsockets -lzip -lmatio -lsqlite3 $(LIBS))
$(BUILD)/propriod-sim: $(BUILD)/tools/sim/main.o $(VERSION_O) $(BUILD)/libsim.a $(BUILD)/libreplay.a $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@$(call link,$^,$(SIM_LIBS) $(LIBS))
$(BUILD)/propriod-identify: $(BUILD)/tools/identify/main.o $(VERSION_O) $(BUILD)/libidentify.a $(BUILD)/tools/sim/collision.o $(BUILD)/libreport.a $(BUILD)/libreplay.a $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@$(call link,$^,$(LIBS))
$(BUILD)/examples/%: $(BUILD)/tools/examples/%.o
	@mkdir -p $(@D)
	@$(call link,$^,$(LIBS))
$(BUILD)/evaluate/%: $(BUILD)/tools/evaluate/%.o $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(call link,$^ $(VERSION_O),$(SIM_LIBS) $(LIBS))
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libtests.a $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(call link,$(QUICK_LD) $^ $(VERSION_O),$(CHECK) $(SIM_LIBS) $(LIBS))

# one suite compares with DSDP, where that can be linked
DSDP = $(shell echo 'int main(void) { return 0; }' | $(CC) -xc - -o /dev/null -ldsdp 2>/dev/null && echo -ldsdp)
$(BUILD)/tests/unit/identify/dsdp_test.o: override CFLAGS += $(if $(DSDP),-DWITH_DSDP)
$(BUILD)/tests/unit/identify/dsdp_test: override LIBS += $(DSDP)

# a suite as on a lesser processor (tests/isa)
link_lesser = $(call link,$(QUICK_LD) -Wl$(comma)--wrap=__cpu_indicator_init $^ $(VERSION_O),$(CHECK) $(SIM_LIBS) $(LIBS))
$(BUILD)/tests/isa/v3/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/isa/v3.o $(BUILD)/libtests.a $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(link_lesser)
$(BUILD)/tests/isa/plain/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/isa/plain.o $(BUILD)/libtests.a $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(link_lesser)

$(BUILD)/tests/bench/avx2/%: $(BUILD)/tests/bench/%.o $(BUILD)/tests/isa/v3.o $(BUILD)/libtests.a $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(link_lesser)
$(BUILD)/tests/bench/plain/%: $(BUILD)/tests/bench/%.o $(BUILD)/tests/isa/plain.o $(BUILD)/libtests.a $(ARCHIVES) | $(VERSION_O)
	@mkdir -p $(@D)
	@$(link_lesser)

# a fuzz target, without a fuzzer for the tests and with clang's for tests/fuzz/run.sh
$(BUILD)/tests/fuzz/%_fuzz: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@mkdir -p $(@D)
	@$(call link,$^,$(LIBS))
$(BUILD)/fuzz/%_fuzz: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/libdaemon.a $(BUILD)/libestimators.a $(BUILD)/libdynamics.a
	@mkdir -p $(@D)
	@$(call link,-fsanitize=fuzzer $^,$(LIBS))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

help:
	@sed -n 's/^## //p' Makefile

##   make all             build the programs, into build/
##   make bench           speed as JSON lines, medians of many runs
##   make evaluate        accuracy from seeded simulations: tables, plots and JSON
##                        in build/evaluate, index.html first (CASE=name for one)
##   make where EQ=138    where an equation is implemented and where it is tested
##   make fuzz            fuzz the parsers of all that arrives from outside
##                        (SECONDS=60)
##   make soak            the daemon and a walking robot for a while: memory, lost
##                        messages, counters as JSON lines (SECONDS=600)
##   make aarch64         build for ARM and run, in qemu, the suites of what
##                        calculates and of what hands over (ONLY=word)
##   make lint            format, static analysis and layering checks
##   make format          rewrite the layout of C files
##   make deps            install the Debian packages that are missing
##   make deb             Debian packages, into build/deb
##   make install         everything into DESTDIR=, PREFIX=/usr, SYSCONFDIR=/etc
##   make uninstall       remove the same
##   make clean           remove what was built
##   make SANITIZE=address,undefined test
##                        test (or run, ...) with sanitizers, or thread, in a
##                        build folder of its own

# on all processors, unless make was told how many
all_processors = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@tools/deps.sh run

run: deps
	@$(MAKE) -s --no-print-directory $(all_processors) $(addprefix $(BUILD)/,propriod proprioctl propriod-sim)
	@SECONDS_TO_RUN='$(SECONDS)' BUILD='$(BUILD)' tools/run.sh

test:
	@tools/deps.sh run test
	@tools/deps.sh browser || echo "the live page is not tried in a browser"
	@$(MAKE) -s --no-print-directory $(all_processors) tests
	@BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' tests/run.sh $(ONLY)

bench:
	@tools/deps.sh run bench
	@$(MAKE) -s --no-print-directory $(all_processors) programs $(BENCHES) $(LESSER_BENCHES) >&2
	@status=0; for bench in $(BENCHES) $(wildcard tests/bench/*.sh); do BUILD='$(BUILD)' "$$bench" || status=1; done; exit $$status

evaluate:
	@tools/deps.sh run
	@tools/deps.sh evaluate || echo "reports will have no pictures"
	@$(MAKE) -s --no-print-directory $(all_processors) programs $(EVALUATORS)
	@mkdir -p $(BUILD)/evaluate
	@status=0; for e in $(if $(CASE),$(BUILD)/evaluate/$(CASE),$(EVALUATORS)); do "$$e" $(BUILD)/evaluate || status=1; done; exit $$status

where:
	@test -n '$(EQ)' || { echo 'usage: make where EQ=138'; exit 2; }
	@tools/where.sh '$(EQ)'

fuzz:
	@tools/deps.sh run fuzz
	@BUILD='$(BUILD)' tests/fuzz/run.sh '$(or $(SECONDS),60)'

soak: deps
	@$(MAKE) -s --no-print-directory $(all_processors) programs
	@BUILD='$(BUILD)' tests/soak.sh '$(or $(SECONDS),600)'

aarch64:
	@tools/deps.sh test cross
	@tests/aarch64.sh $(ONLY)

lint:
	@tools/deps.sh run lint
	@tools/lint.sh

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

deb:
	@tools/deps.sh run deb
	@$(MAKE) -s --no-print-directory $(all_processors) programs python
	@BUILD='$(BUILD)' VERSION='$(VERSION)' PROPRIOD_COMMIT='$(PROPRIOD_COMMIT)' tools/debian/build.sh

install:
	@$(MAKE) -s --no-print-directory $(all_processors) programs python
	@BUILD='$(BUILD)' VERSION='$(VERSION)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' SYSCONFDIR='$(SYSCONFDIR)' tools/install.sh install
uninstall:
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' SYSCONFDIR='$(SYSCONFDIR)' tools/install.sh uninstall

clean:
	rm -rf build build-*
