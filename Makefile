# xylem. `make demo` shows what it does, `make check` tests it; both install the packages that are missing first.
# `make help` lists the targets. CONTRIBUTING.md says more.

CC      ?= cc
CXX     ?= g++
OBJCOPY ?= objcopy
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
UNITDIR ?= $(PREFIX)/lib/systemd/user
DESTDIR ?=
BUILD   ?= build
# CFLAGS of a user or a distribution are taken as they are. Without them gcc optimizes the command over all files: objects
# hold machine code and what -flto needs, and all but the command and the gate of instructions take the machine code.
# docs/decisions/0026-build.md has the figures. QUICK=1 links the command from the machine code too, for the minutes
# between two edits.
ifeq ($(origin CFLAGS),undefined)
GCC     := $(findstring Free Software,$(shell $(CC) --version 2>/dev/null))
CFLAGS  := -O3 -g
# What -O3 takes for possible, in sound functions. The builds with sanitizers keep these warnings.
WEAKER  := $(if $(GCC),-Wno-maybe-uninitialized -Wno-nonnull -Wno-stringop-truncation \
             -Wno-stringop-overflow)
LTO     := $(if $(GCC),-flto=auto -ffat-lto-objects)
endif
NO_LTO  := $(if $(LTO),-fno-lto)
QUICK   ?= $(filter test check,$(MAKECMDGOALS))
# A warning stops whoever changes xylem, and nobody who only builds it, with another compiler maybe.
WERROR  ?= $(if $(filter check check-all check-pi check-mcp check-look check-npm test test-san tests tidy torture musl unproven fuzz fuzzers \
    bench benches bench-smoke bench-write bench-pi proof proof-smoke,$(MAKECMDGOALS)),-Werror)
export WERROR
# The command holds the library and the archives of other libraries (static), or loads libxylem.so and the other
# libraries (shared), as it does in the Debian packages.
XYLEM_LINK ?= static

# Set by the recipes below, for the second build of the same sources.
SANITIZE :=

VERSION   := $(shell tools/headers.sh --version)
SOVERSION := $(shell tools/headers.sh --abi)
HEADERS   := $(shell tools/headers.sh --installed)
SONAME    := libxylem.so.$(SOVERSION)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE $(WARNINGS) $(WEAKER) $(CFLAGS) $(SANITIZE) -fPIC -fvisibility=hidden \
             -fno-strict-overflow -fno-semantic-interposition
# Assertions are on in builds with sanitizers, and with DEBUG=1.
ALL_CPPFLAGS = -Iinclude -I. -DXXH_INLINE_ALL $(if $(SANITIZE)$(DEBUG),,-DNDEBUG) $(CPPFLAGS)
# Of msgpack-c and xxHash the headers alone are used.
LIBS     := -llmdb -lpcre2-8 -lyajl -lpthread -lm
# yajl becomes a part of a program that links the judge alone.
JUDGE_LIBS := -l:libyajl_s.a
# Of the command alone.
BUNDLE_LIBS := -lzstd
PAGE_LIBS   := -lcmark-gfm-extensions -lcmark-gfm
# The archive of a library where the compiler finds one, else the shared library: held LIBRARY,ARCHIVE
held = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(2).a)),-l:lib$(2).a,-l$(1))
HELD_LIBS := $(call held,lmdb,lmdb) $(call held,pcre2-8,pcre2-8) $(call held,yajl,yajl_s) $(call held,zstd,zstd) \
    $(call held,cmark-gfm-extensions,cmark-gfm-extensions) $(call held,cmark-gfm,cmark-gfm) -lpthread -lm
NOT_HELD := $(if $(filter static,$(XYLEM_LINK)),$(filter-out -l:% -lpthread -lm,$(HELD_LIBS)))

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# From the bottom up: tools/tidy.sh says which rooms each may use.
ROOMS    := base search/match $(addprefix store/,format pages lmdb) store care branch replay replay/reads sequence \
            search care/repair travel/jsonl travel
JUDGE_ROOMS := $(addprefix judge/,shell $(addprefix policy/,words engine git rules) policy hook gate)
# UNPROVEN=1: a library that proves no page, for `make unproven`.
UNPROVEN ?=
LIB_SRC  := $(filter-out store/lmdb/prover$(if $(UNPROVEN),,_none).c,$(sort $(wildcard $(ROOMS:%=%/*.c))))
JUDGE_SRC := $(sort $(wildcard $(JUDGE_ROOMS:%=%/*.c)))
CLI_SRC  := $(sort $(filter-out cli/man/%,$(wildcard cli/*.c cli/*/*.c)))
TEST_SRC := $(sort $(wildcard tests/*/test_*.c tests/*/*/test_*.c))
TEST_LIB_SRC := $(sort $(wildcard tests/lib/*.c))
# The modules of examples/ that have tests; its programs are built as their readers would: tools/examples_check.sh.
EXAMPLE_SRC := docs/examples/todo.c docs/examples/notebook.c docs/examples/shape.c
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
ADDON_SRC := $(sort $(wildcard hosts/node/addon/*.c))
# What speaks to PostgreSQL, and the program above. The rest of fleet/ needs no package more than the library does.
FLEET_SERVER_SRC := $(addprefix fleet/,postgres.c engine_postgres.c cluster.c) $(sort $(wildcard fleet/cli/*.c))
FLEET_SRC := $(filter-out $(FLEET_SERVER_SRC),$(sort $(wildcard fleet/*.c)))

# The built-in patterns of secrets and the tables of the judge are texts, of which tools/*.awk make sources.
SECRET_ROWS := $(BUILD)/obj/search/match/secrets.txt
JUDGE_ROWS := $(addprefix $(BUILD)/obj/judge/,$(addprefix policy/,rules/verbs.txt rules/rules_tables.txt \
    engine/engine_tables.txt words/words_tables.txt git/git_forms.txt page_tables.txt) hook/hook_tables.txt)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(SECRET_ROWS).o
# Both libraries have base/: a program may link one of them, or both in either order.
JUDGE_OBJ := $(JUDGE_SRC:%.c=$(BUILD)/obj/%.o) $(JUDGE_ROWS:=.o) $(filter $(BUILD)/obj/base/%,$(LIB_OBJ))
ARCHIVES := $(BUILD)/libxylem.a $(BUILD)/libxylem-judge.a
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/obj/%.o) $(addprefix $(BUILD)/obj/cli/page/page.,css.o js.o)
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/obj/%.o)
TEST_LIB_OBJ := $(TEST_LIB_SRC:%.c=$(BUILD)/obj/%.o)
EXAMPLE_OBJ := $(EXAMPLE_SRC:%.c=$(BUILD)/obj/%.o)
# What the command is made of. tests/bench/count counts the same build.
LTO_OBJ  := $(sort $(LIB_OBJ) $(JUDGE_OBJ) $(CLI_OBJ)) $(BUILD)/obj/tests/bench/count/count.o
FLEET_OBJ := $(FLEET_SRC:%.c=$(BUILD)/obj/%.o)
FLEET_SERVER_OBJ := $(FLEET_SERVER_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/fleet/init.sql.o
# What compiles without libpq: `make check` finds a change that breaks the program on a machine without libpq, too.
FLEET_WITHOUT_PQ := $(filter-out $(BUILD)/obj/fleet/postgres.o,$(FLEET_SERVER_OBJ))
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(BUILD)/obj/%.o)
ADDON_OBJ := $(ADDON_SRC:%.c=$(BUILD)/obj/%.o)
DRIVER_OBJ := $(BUILD)/obj/tests/fuzz/driver.o
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
TRANSCRIPT_SRC := $(sort $(wildcard tests/*/*.t))
TRANSCRIPTS := $(TRANSCRIPT_SRC:%=$(BUILD)/%)
FUZZERS  := $(FUZZ_SRC:%.c=$(BUILD)/%)

MAKEFLAGS += --no-print-directory
# A recipe that makes again builds in parallel, unless whoever called make decides that.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

comma := ,

# `make V=1` shows the commands.
Q = $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)')

.DELETE_ON_ERROR:
.SECONDARY:

.PHONY: all
all: $(BUILD)/xylem $(ARCHIVES) $(BUILD)/libxylem.so

# --- Building -------------------------------------------------------------------------------------------------------

# Two stamps that change only when what they hold changes: how objects are compiled, and which sources there are.
# WERROR is in neither, so `make` and `make test` share their objects; `make check` compiles all sources with sanitizers
# too, into objects that only developers' goals make.
QUIET_GOALS := clean deps format help loc check check-all check-pi check-mcp check-npm demo torture musl unproven fuzz bench \
    bench-smoke bench-write bench-pi proof proof-smoke deb deb-check check-roots static-musl npm mcp pi-pictures highlight check-look fleet check-fleet \
    cluster-demo torture-fleet fleet-servers bench-fleet
ifneq ($(filter-out $(QUIET_GOALS),$(or $(MAKECMDGOALS),all)),)
SOURCES_STAMP := $(LIB_SRC) $(JUDGE_SRC) $(CLI_SRC) $(FLEET_SRC) $(FLEET_SERVER_SRC) $(TEST_SRC) $(TEST_LIB_SRC) $(XYLEM_LINK) $(if $(QUICK),quick) $(HELD_LIBS)
STAMPED := $(shell mkdir -p $(BUILD) && \
    { echo '$(subst ','\'',$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LTO) $(LDFLAGS))' | cmp -s - $(BUILD)/.flags || \
      echo '$(subst ','\'',$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LTO) $(LDFLAGS))' > $(BUILD)/.flags; } && \
    { echo '$(SOURCES_STAMP)' | cmp -s - $(BUILD)/.sources || echo '$(SOURCES_STAMP)' > $(BUILD)/.sources; })
endif

$(BUILD)/.flags $(BUILD)/.sources: ;

$(LTO_OBJ): private OBJ_FLAGS := $(LTO)
# Tests are compiled more often than they run.
$(filter-out $(LTO_OBJ),$(TEST_OBJ) $(TEST_LIB_OBJ)): private OBJ_FLAGS := $(if $(LTO),-O1)

$(BUILD)/obj/%.o: %.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,compile $<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(OBJ_FLAGS) $(WERROR) -MMD -MP -c -o $@ $<

$(SECRET_ROWS).c: tools/secrets.awk
$(filter %verbs.txt.c,$(JUDGE_ROWS:=.c)): tools/verbs.awk
$(filter %git_forms.txt.c,$(JUDGE_ROWS:=.c)): tools/git_forms.awk
$(filter %_tables.txt.c,$(JUDGE_ROWS:=.c)): tools/tables.awk
$(JUDGE_ROWS:=.c): tools/lines.awk
$(JUDGE_ROWS:=.c): LINES_AWK := -f tools/lines.awk
$(SECRET_ROWS).c $(JUDGE_ROWS:=.c): $(BUILD)/obj/%.txt.c: %.txt
	@mkdir -p $(@D)
	$(call say,make $@)
	$(Q)LC_ALL=C awk $(LINES_AWK) -f tools/$(if $(filter %_tables,$*),tables,$(notdir $*)).awk $< > $@

# The style and the script of a page, with their hashes.
$(BUILD)/obj/cli/page/page.%.c: cli/page/page.% tools/page.awk
	@mkdir -p $(@D)
	$(call say,make $@)
	$(Q)LC_ALL=C awk -v name=$* -v sha256="$$(sha256sum <$<)" -f tools/page.awk $< > $@

# What was made of a text: lists of options, and the schema, are longer than the strings that every compiler must take.
$(BUILD)/obj/%.o: $(BUILD)/obj/%.c $(BUILD)/.flags
	$(call say,compile $<)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -Wno-overlength-strings $(OBJ_FLAGS) $(WERROR) -MMD -MP -c -o $@ $<

# Without what -flto needs, which another version of gcc refuses.
MACHINE_CODE = $(if $(LTO),$(Q)$(OBJCOPY) -R '.gnu.lto_*' -R '.gnu.debuglto_*' $@)

$(BUILD)/libxylem.a: $(LIB_OBJ) $(BUILD)/.sources
	@rm -f $@
	$(call say,archive $@)
	$(Q)$(AR) rcs $@ $(LIB_OBJ)
	$(MACHINE_CODE)

$(BUILD)/libxylem-judge.a: $(JUDGE_OBJ) $(BUILD)/.sources
	@rm -f $@
	$(call say,archive $@)
	$(Q)$(AR) rcs $@ $(JUDGE_OBJ)
	$(MACHINE_CODE)

# Its own calls stay in the library, whatever base/ a program brings along with the judge.
$(BUILD)/$(SONAME): $(LIB_OBJ) $(BUILD)/.sources
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined \
	    -Wl,-Bsymbolic-functions -o $@ $(LIB_OBJ) $(LIBS)

$(BUILD)/libxylem.so: $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $@

CLI_LIBS_static := $(sort $(LIB_OBJ) $(JUDGE_OBJ)) $(HELD_LIBS)
CLI_LIBS_shared := $(BUILD)/$(SONAME) -Wl,--exclude-libs,ALL $(BUILD)/libxylem-judge.a $(JUDGE_LIBS) $(BUNDLE_LIBS) \
    $(PAGE_LIBS)
CLI_LIBS := $(or $(CLI_LIBS_$(XYLEM_LINK)),$(error XYLEM_LINK is static or shared, not '$(XYLEM_LINK)'))

$(BUILD)/xylem: $(CLI_OBJ) $(filter $(BUILD)/%,$(CLI_LIBS)) $(BUILD)/.sources
	$(call say,link $@$(if $(NOT_HELD), which loads shared libraries without an archive here: $(NOT_HELD)))
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(QUICK),$(NO_LTO),$(LTO)) $(LDFLAGS) -o $@ $(CLI_OBJ) $(CLI_LIBS)

# --- The fleet --------------------------------------------------------------------------------------------------------

# libxylem-fleet.a and xylem-fleet, for machines with libpq: DEPS=fleet.
FLEET_PQ_FLAGS = -I$(shell pg_config --includedir 2>/dev/null)
FLEET_LIBS := -lpq -lzstd
.PHONY: fleet
fleet:
	@DEPS=fleet $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all $(BUILD)/libxylem-fleet.a $(BUILD)/xylem-fleet

# Beside what `make install` installs.
.PHONY: install-fleet
install-fleet: fleet $(BUILD)/man/xylem-fleet.1
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man1'
	install -m 755 $(BUILD)/xylem-fleet '$(DESTDIR)$(BINDIR)/xylem-fleet'
	install -m 644 $(BUILD)/man/xylem-fleet.1 '$(DESTDIR)$(MANDIR)/man1'

$(BUILD)/man/xylem-fleet.1: $(BUILD)/xylem-fleet $(BUILD)/man/xylem.1
	$(call say,write $@)
	$(Q)tools/man.sh '$(BUILD)' fleet

$(addprefix $(BUILD)/obj/,fleet/postgres.o tests/fleet/servers/bench.o): private ALL_CPPFLAGS += $(FLEET_PQ_FLAGS)

$(BUILD)/obj/fleet/init.sql.c: fleet/init.sql tools/sql.awk
	@mkdir -p $(@D)
	$(call say,make $@)
	$(Q)LC_ALL=C awk -f tools/sql.awk $< > $@

$(BUILD)/libxylem-fleet.a: $(FLEET_OBJ) $(filter-out $(BUILD)/obj/fleet/cli/%,$(FLEET_SERVER_OBJ)) $(BUILD)/.sources
	@rm -f $@
	$(call say,archive $@)
	$(Q)$(AR) rcs $@ $(filter %.o,$^)
	$(MACHINE_CODE)

# The parts of the command that the program shares: options, help, terminal, JSON, stores.
$(BUILD)/obj/libxylem-cli.a: $(filter-out %/cli/main.o,$(CLI_OBJ)) $(BUILD)/.sources
	@rm -f $@
	$(call say,archive $@)
	$(Q)$(AR) rcs $@ $(filter %.o,$^)
	$(MACHINE_CODE)

$(BUILD)/xylem-fleet: $(filter $(BUILD)/obj/fleet/cli/%,$(FLEET_SERVER_OBJ)) $(BUILD)/libxylem-fleet.a \
    $(BUILD)/obj/libxylem-cli.a $(ARCHIVES)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $^ $(FLEET_LIBS) $(LIBS)

# Tests of the fleet that need servers: built by their names.
FLEET_SERVER_TOOLS := $(addprefix $(BUILD)/tests/fleet/servers/,matrix expand bench)
$(FLEET_SERVER_TOOLS): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/libxylem-fleet.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $^ $(FLEET_LIBS) $(LIBS)

FLEET_SERVER_TESTS := $(filter-out $(FLEET_SERVER_TOOLS),$(patsubst %.c,$(BUILD)/%,$(wildcard tests/fleet/servers/*.c)))
$(FLEET_SERVER_TESTS): $(BUILD)/%: $(BUILD)/obj/%.o $(TEST_LIB_OBJ) $(BUILD)/libxylem-fleet.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $^ -lcmocka $(FLEET_LIBS) $(LIBS)

# Figures of the fleet beside what PostgreSQL alone takes, on three nodes: as `make bench` with BENCH_JSON and BENCH_FLAGS;
# `make bench-fleet ONLY=resume` measures one part.
.PHONY: bench-fleet
bench-fleet: fleet-servers
	@$(if $(BENCH_JSON),mkdir -p '$(BENCH_JSON)')
	@tests/fleet/servers/bench.sh '$(BUILD)' $(BENCH_FLAGS) $(if $(BENCH_JSON),--json '$(BENCH_JSON)'/fleet.json) $(ONLY)

# What a colleague would see: hosts and nodes that die, in under a minute.
.PHONY: cluster-demo check-fleet torture-fleet fleet-servers
fleet-servers:
	@DEPS=cluster $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all $(BUILD)/libxylem-fleet.a $(BUILD)/xylem-fleet $(FLEET_SERVER_TOOLS) \
	    $(FLEET_SERVER_TESTS)

cluster-demo: fleet-servers
	@BUILD='$(BUILD)' tools/cluster_demo.sh

# The failure matrix with servers: a few rounds of each row; and in full, for hours.
check-fleet: fleet-servers
	@BUILD='$(BUILD)' tests/fleet/servers/matrix.sh

torture-fleet: fleet-servers
	@FLEET_ROUNDS=20 FLEET_FAILOVERS=20 FLEET_RACES=1000 BUILD='$(BUILD)' tests/fleet/servers/matrix.sh
	@FLEET_FAILOVERS=200 BUILD='$(BUILD)' tests/fleet/servers/matrix.sh a_lost_primary

# The command with the C library in one file. docs/decisions/0026-build.md says what that leaves out.
.PHONY: static
static: $(BUILD)/static/xylem

$(BUILD)/static/xylem: $(CLI_OBJ) $(filter $(BUILD)/%,$(CLI_LIBS_static)) $(BUILD)/.sources
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(QUICK),$(NO_LTO),$(LTO)) $(LDFLAGS) -static -s -o $@ $(CLI_OBJ) $(CLI_LIBS_static)

# The same with musl: build/static/xylem-musl.
.PHONY: static-musl
static-musl:
	+@MAKE='$(MAKE) $(PARALLEL)' tools/static_musl.sh '$(BUILD)'

.PHONY: tests
tests: $(BUILD)/xylem $(TESTS) $(TRANSCRIPTS)

# A transcript is run as it is; the place of the link names the command that it is run with.
$(TRANSCRIPTS): $(BUILD)/%: % $(BUILD)/xylem
	@mkdir -p $(@D)
	@ln -sf '$(CURDIR)/$<' $@

# The test files of a room are one program, with a link under the name of each file. A file that puts functions of its
# own in the place of the C library's, or that includes sources, is a program of its own.
TEST_ALONE := $(addprefix $(BUILD)/tests/,base/test_clock base/test_json_memory care/test_backup care/test_compact \
    care/repair/test_salvage cli/bundle/test_memory crash/test_failing_calls crash/test_kill crash/test_power \
    crash/test_runs crash/test_shipping crash/test_space examples/test_memory fleet/test_archive_calls fleet/test_simulate judge/hook/test_hook_memory \
    judge/policy/test_bounds judge/policy/test_judge property/test_bytes replay/reads/test_changing \
    replay/reads/test_memory search/match/test_interpreter search/match/test_memory search/test_interpreter search/test_memory \
    sequence/test_memory store/lmdb/test_env store/lmdb/test_wake store/pages/test_check travel/test_memory)
TEST_TOGETHER := $(filter-out $(TEST_ALONE),$(TESTS))
TEST_ROOMS := $(sort $(dir $(TEST_TOGETHER)))
# Without those of the rooms in the room, which are programs of their own.
tests_of = $(filter $(TEST_TOGETHER),$(patsubst %.c,$(BUILD)/%,$(wildcard $(1:$(BUILD)/%=%)test_*.c)))

# The tests of the judge link the judge alone.
TEST_JUDGE := $(BUILD)/tests/judge/%
TEST_STORE_OBJ := $(addprefix $(BUILD)/obj/tests/lib/,costs.o cursor.o damage.o full_store.o golden.o held.o host_lines.o \
    model.o readings.o same_session.o store_builder.o verified.o way_out.o)
with = $(if $(filter $(TEST_JUDGE),$(1)),$(filter-out $(TEST_STORE_OBJ),$(TEST_LIB_OBJ)) $(BUILD)/libxylem-judge.a,\
    $(TEST_LIB_OBJ) $(ARCHIVES))
$(foreach test,$(TEST_ALONE),$(eval $(test): $(BUILD)/obj/$(test:$(BUILD)/%=%).o $(call with,$(test))))
$(foreach room,$(TEST_ROOMS),$(eval $(room)all: $(patsubst $(BUILD)/%,$(BUILD)/obj/%.o,\
    $(call tests_of,$(room))) $(call with,$(room)) $(BUILD)/.sources))
$(TEST_ALONE) $(TEST_ROOMS:%=%all):
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(if $(filter $(TEST_JUDGE),$@),\
	    $(JUDGE_LIBS),$(LIBS))

$(foreach room,$(TEST_ROOMS),$(eval $(call tests_of,$(room)): $(room)all))
$(TEST_TOGETHER):
	@ln -sf all $@

$(BUILD)/tests/examples/all: $(EXAMPLE_OBJ)

# The tests of this room call its functions, which need base/ alone.
TEST_BUNDLE := $(addprefix $(BUILD)/tests/cli/bundle/,all test_memory)
$(TEST_BUNDLE): $(filter $(BUILD)/obj/cli/bundle/%,$(CLI_OBJ))
$(TEST_BUNDLE): private LIBS += $(BUNDLE_LIBS)

# The tests of this room call its functions, which need the command's other rooms.
$(BUILD)/tests/cli/page/all: $(filter-out %/cli/main.o,$(CLI_OBJ))
$(BUILD)/tests/cli/page/all: private LIBS += $(BUNDLE_LIBS) $(PAGE_LIBS)

# The engine in memory, and what decides and does in fleet/, without libpq.
TEST_FLEET := $(addprefix $(BUILD)/tests/fleet/,all test_archive_calls test_simulate)
TEST_FLEET_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/fleet/test_%,$(wildcard tests/fleet/*.c)))
$(TEST_FLEET): $(FLEET_OBJ) $(TEST_FLEET_OBJ)
$(TEST_FLEET): private LIBS += -lzstd

# Its calls of these lead to functions of its own, which can fail.
FAILING_CALLS := malloc calloc realloc reallocarray strdup strndup realpath free \
    $(addprefix mdb_,env_create env_open env_set_mapsize env_sync reader_check txn_begin txn_commit dbi_open stat \
    cursor_open cursor_get cursor_put get put del)
$(BUILD)/tests/crash/test_failing_calls: private LDFLAGS += $(addprefix -Wl$(comma)--wrap=,$(FAILING_CALLS))
$(BUILD)/tests/judge/hook/test_hook_memory: private LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc strdup strndup realpath)

$(BUILD)/tests/replay/reads/test_memory: private LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc realpath)
$(BUILD)/tests/search/match/test_interpreter $(BUILD)/tests/search/test_interpreter: private LDFLAGS += \
    -Wl$(comma)--wrap=pcre2_jit_compile_8
$(BUILD)/tests/cli/bundle/test_memory: private LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc \
    $(addprefix ZSTD_,createCCtx compress2 createDCtx decompressStream))
$(patsubst %,$(BUILD)/tests/%/test_memory,search/match search sequence): private LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc)

$(BUILD)/tests/travel/test_memory: private LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc reallocarray mdb_put mdb_del mdb_cursor_put)

# And these count what the library allocates.
$(patsubst %.c,$(BUILD)/%,tests/judge/policy/test_judge.c tests/judge/policy/test_bounds.c): private LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc reallocarray strdup free)

# What runs inside the sandbox of tests/lib/shell_sandbox.c, among nothing that it could be linked with: static, and
# without sanitizers, as it is started for every program of every command.
SANDBOXED := $(BUILD)/tests/sandbox/inside
$(SANDBOXED): tests/sandbox/inside.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(WERROR) -O2 -static -o $@ $<

# What the tests of the command load into it.
PRELOADED := $(addprefix $(BUILD)/tests/cli/,naps.so blind.so remote.so renaming.so swapping.so failing.so)
$(PRELOADED): $(BUILD)/%.so: %.c $(BUILD)/.flags
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE $(WARNINGS) $(WERROR) -O2 -fPIC -shared -o $@ $<

$(BUILD)/tests/cli/all: | $(PRELOADED)

$(patsubst %.c,$(BUILD)/%,$(wildcard tests/judge/policy/test_oracle_*.c tests/judge/policy/test_sandbox.c \
    tests/judge/policy/test_metamorphic.c)): | $(SANDBOXED)

.PHONY: fuzzers
fuzzers: $(FUZZERS)

# What the command does with its arguments is fuzzed too: all of it, but that a fuzzer has a main() of its own. And what
# fleet/ reads without libpq.
$(BUILD)/tests/fuzz/libcli.a: $(CLI_OBJ) $(FLEET_OBJ) $(BUILD)/.sources
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,archive $@)
	$(Q)$(OBJCOPY) --redefine-sym main=xylem_cli_main $(BUILD)/obj/cli/main.o $(BUILD)/tests/fuzz/main.o
	$(Q)$(AR) rcs $@ $(BUILD)/tests/fuzz/main.o $(filter-out %/main.o,$(CLI_OBJ)) $(FLEET_OBJ)

$(FUZZERS): $(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(DRIVER_OBJ) $(BUILD)/tests/fuzz/libcli.a \
    $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $< $(DRIVER_OBJ) $(BUILD)/tests/fuzz/libcli.a $(ARCHIVES) $(LIBS) \
	    $(BUNDLE_LIBS) $(PAGE_LIBS)

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(JUDGE_OBJ) $(CLI_OBJ) $(TEST_OBJ) $(TEST_LIB_OBJ) $(FLEET_OBJ) $(FLEET_SERVER_OBJ) $(TEST_FLEET_OBJ) \
         $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/fleet/servers/*.c)) \
         $(EXAMPLE_OBJ) $(FUZZ_OBJ) $(DRIVER_OBJ) $(ADDON_OBJ))

# --- The addon of Node and Bun ----------------------------------------------------------------------------------------

# A package for this machine in $(BUILD)/node. The addon hides all of the library but the two symbols of an addon, and
# stays loaded until the end of the process: its tables of stores outlive every environment of JavaScript.
PLATFORM := $(shell uname -s | tr A-Z a-z)-$(patsubst aarch64,arm64,$(patsubst x86_64,x64,$(shell uname -m)))$(if \
    $(findstring musl,$(shell $(CC) -dumpmachine 2>/dev/null)),-musl)
ADDON := $(BUILD)/node/prebuilds/$(PLATFORM)/xylem.node
ADDON_FILES := $(addprefix hosts/node/,index.js sequence.js index.d.ts package.json README.md)

$(ADDON): $(ADDON_OBJ) $(ARCHIVES) $(ADDON_FILES) Makefile
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,--exclude-libs,ALL -Wl,-z,nodelete -o $@ $(ADDON_OBJ) \
	    $(ARCHIVES) $(LIBS)
	@cp $(ADDON_FILES) $(BUILD)/node

.PHONY: addon
addon: $(ADDON)

# Into the clone, where the extension of pi looks for it. A new file: hosts that run keep the old one.
.PHONY: node
node: $(ADDON)
	@install -D $(ADDON) hosts/node/prebuilds/$(PLATFORM)/xylem.node
	@echo 'node: hosts/node is a package for $(PLATFORM)'

# The tests of the addon are one program, on machines with Node.
NODE ?= $(shell command -v node)
NODE_TEST := $(if $(NODE),$(BUILD)/tests/hosts/node)
$(BUILD)/tests/hosts/node: tools/node_test.sh $(ADDON) $(BUILD)/xylem
	@mkdir -p $(@D)
	@ln -sf '$(CURDIR)/tools/node_test.sh' $@

# All that tools/run_tests.sh runs.
TESTED := $(TESTS) $(TRANSCRIPTS) $(NODE_TEST)

SAY_NODE = $(if $(NODE),,@echo 'node: node is missing, the addon is not tested')

# The tarball for pi: docs/decisions/0014-addon.md.
MAKE_NPM = { CC='$(CC)' MAKE='$(MAKE) $(PARALLEL)' tools/npm.sh '$(BUILD)' && tools/mcp.sh '$(BUILD)' pack; }
.PHONY: npm
npm:
	@DEPS=npm $(ENSURE_DEPS)
	+@$(MAKE_NPM)

# The MCP server alone, $(BUILD)/xylem-mcp: `xylem mcp`.
.PHONY: mcp
mcp:
	@DEPS=mcp $(ENSURE_DEPS)
	@tools/mcp.sh '$(BUILD)'

# --- What a machine needs -------------------------------------------------------------------------------------------

.PHONY: deps
deps:
	@CC='$(CC)' CXX='$(CXX)' tools/deps.sh --install

# Cheap: one compilation. The recipes that need packages run it first, and build in a make of their own after it.
ENSURE_DEPS = CC='$(CC)' CXX='$(CXX)' tools/deps.sh --ensure

# --- Showing and testing --------------------------------------------------------------------------------------------

SAN_MAKE = $(MAKE) $(PARALLEL) BUILD='$(BUILD)/san' CFLAGS='-O1 -g' SANITIZE='$(SANITIZERS)'

.PHONY: demo
demo:
	@DEPS=build $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all
	@XYLEM_BIN='$(BUILD)/xylem' tools/demo.sh

# Each test program once: with sanitizers, but for the programs that count what happens or start many processes. The
# slow programs begin first. The last line of the output is `N passed, M failed`.
CHECK_SLOW := crash/test_failing_calls corrupt/test_rows judge/policy/test_judge property/test_model \
    judge/policy/test_metamorphic corrupt/test_pages cli/test_wait travel/jsonl/test_share travel/jsonl/test_resume \
    judge/policy/test_git_oracle judge/hook/test_hook_oracle
CHECK_PLAIN := $(filter cli/test_% cli/bundle/test_announced crash/% corrupt/test_pages corrupt/test_rows \
    judge/policy/test_judge \
    judge/policy/test_metamorphic judge/policy/test_sandbox judge/policy/test_oracle_% %/test_bounds %/test_bytes \
    %/test_costs %/test_docs %/test_scale %/test_tables %/test_writers %_oracle, $(TESTS:$(BUILD)/tests/%=%))
CHECK_SANITIZED := $(filter-out $(CHECK_PLAIN),$(TESTS:$(BUILD)/tests/%=%))
CHECKED = $(NODE_TEST:$(BUILD)/%=$(BUILD)/san/%) \
    $(foreach test,$(CHECK_SLOW) $(filter-out $(CHECK_SLOW),$(CHECK_SANITIZED) $(CHECK_PLAIN)), \
    $(BUILD)/$(if $(filter $(test),$(CHECK_SANITIZED)),san/)tests/$(test)) $(TRANSCRIPTS)

.PHONY: check
check:
	@$(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all $(CHECK_PLAIN:%=$(BUILD)/tests/%) $(TRANSCRIPTS) $(ADDON) man $(COUNT) $(FLEET_WITHOUT_PQ)
	+@$(SAN_MAKE) $(CHECK_SANITIZED:%=$(BUILD)/san/tests/%) fuzzers $(NODE_TEST:$(BUILD)/%=$(BUILD)/san/%)
	@CC='$(CC)' CXX='$(CXX)' tools/tidy.sh '$(BUILD)'
	@tools/readme_check.sh '$(BUILD)'
	@tools/operating_check.sh '$(BUILD)'
	@tools/samples_check.sh '$(BUILD)'
	@$(RUN_READER)
	@$(RUN_TRIED)
	@XYLEM_BIN='$(BUILD)/xylem' tools/demo.sh >'$(BUILD)/demo.out'
	@$(RUN_COUNT)
	@FUZZ_RUNS=0 FUZZ_SECONDS=0 tools/fuzz_smoke.sh '$(BUILD)/san'
	$(SAY_NODE)
	@XYLEM_SHORT=1 tools/run_tests.sh $(CHECKED)

# All that can be checked, before a change is done: every test program plain and with sanitizers, in the usual sizes,
# and what is made of the sources elsewhere: with musl, installed, as an example, as a package.
.PHONY: check-all
check-all:
	@$(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all tests man node $(NODE_TEST) $(COUNT) $(FLEET_WITHOUT_PQ)
	@$(RUN_COUNT)
	@if echo '#include <sqlite3.h>' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1; then $(MAKE) $(PARALLEL) benches; \
	else echo 'benches: sqlite3.h is missing, they are not built: make bench'; fi
	+@if command -v musl-gcc >/dev/null 2>&1; then $(MAKE) musl; \
	else echo 'musl: musl-gcc is missing, nothing is compiled with musl: make deps'; fi
	+@$(MAKE) unproven
	+@$(SAN_MAKE) tests fuzzers $(NODE_TEST:$(BUILD)/%=$(BUILD)/san/%)
	@CC='$(CC)' CXX='$(CXX)' tools/tidy.sh '$(BUILD)'
	@CC='$(CC)' tools/install_check.sh '$(BUILD)'
	@CC='$(CC)' tools/static_check.sh '$(BUILD)'
	@CC='$(CC)' tools/examples_check.sh '$(BUILD)' '$(BUILD)/san' '$(SANITIZERS)'
	@CC='$(CC)' tools/exercises_check.sh '$(BUILD)'
	@tools/readme_check.sh '$(BUILD)'
	@tools/operating_check.sh '$(BUILD)'
	@tools/samples_check.sh '$(BUILD)'
	@$(RUN_READER)
	@XYLEM_BIN='$(BUILD)/xylem' tools/demo.sh >'$(BUILD)/demo.out'
	@if DEPS=deb tools/deps.sh --check 2>/dev/null; then \
	    tools/deb.sh '$(BUILD)' && tools/deb_check.sh '$(BUILD)' --unpacked; \
	else echo 'deb: debhelper is missing, packages are not built: make deb-check'; fi
	@tools/fuzz_smoke.sh '$(BUILD)/san'
	@tools/check_pi.sh '$(BUILD)' || [ $$? -eq 77 ]
	@{ $(CHECK_MCP); } || [ $$? -eq 77 ]
	+@{ $(MAKE_NPM) && tools/check_npm.sh '$(BUILD)'; } || [ $$? -eq 77 ]
	$(SAY_NODE)
	@tools/run_tests.sh $(TESTED) $(TESTED:$(BUILD)/%=$(BUILD)/san/%)

# hosts/pi in the real pi, in two versions, which npm installs into build/. A line for each suite; ONLY=rpc/readonly
# runs the suites of such names. Without npm or without its registry the status of the script is 77.
.PHONY: check-pi
check-pi:
	@DEPS=pi $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all node
	@tools/check_pi.sh '$(BUILD)' '$(ONLY)'

# hosts/mcp under the official clients of MCP, which npm installs into build/, and its tarball. ONLY=scope runs the suites of
# such names. Without npm or its registry the status of the script is 77.
CHECK_MCP = tools/mcp.sh '$(BUILD)' pack && tools/check_mcp.sh '$(BUILD)'
.PHONY: check-mcp
check-mcp:
	@DEPS=mcp $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all node
	@$(CHECK_MCP) '$(ONLY)'

# Pages of the command in Chromium, as an unprivileged user and in its sandbox; pictures of the pages in $(BUILD)/look. ONLY=wide
# looks at the pages of such names. Without Chromium, npm or a sandbox the status of the script is 77.
.PHONY: check-look
check-look:
	@DEPS=look $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all
	@tools/highlight.sh '$(BUILD)'
	@tools/check_look.sh '$(BUILD)' '$(ONLY)'

# The pictures of hosts/pi/README.md anew, from screens of the real pi.
.PHONY: pi-pictures
pi-pictures:
	@DEPS=pi $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all node
	@tools/pi_pictures.sh '$(BUILD)'

# The tarball: its addons in Node, for other processors in qemu; and an installation without network, in both pis.
.PHONY: check-npm
check-npm: npm
	@$(MAKE) $(PARALLEL) all
	@tools/check_npm.sh '$(BUILD)'

# The tests without sanitizers alone: for the minutes between two edits. `make test ONLY=store` runs one room's.
ONLY ?=
SELECTED := $(filter $(BUILD)/tests/$(ONLY)%,$(TESTED))
.PHONY: test
test: $(BUILD)/xylem $(SELECTED)
	@XYLEM_SHORT=1 tools/run_tests.sh $(SELECTED)

.PHONY: test-san
test-san:
	+@$(SAN_MAKE) test ONLY='$(ONLY)'

.PHONY: tidy
tidy: all man $(ADDON)
	@CC='$(CC)' CXX='$(CXX)' tools/tidy.sh '$(BUILD)'
	@CC='$(CC)' tools/install_check.sh '$(BUILD)'

# The library and the command, compiled with a C library that has less than glibc. The other libraries' headers are
# those of the machine; the libraries themselves are made for glibc, so nothing is linked.
.PHONY: musl
musl:
	@mkdir -p '$(BUILD)/musl/include'
	@cd '$(BUILD)/musl/include' && ln -sfn $(addprefix /usr/include/,lmdb.h pcre2.h msgpack msgpack.h xxh3.h xxhash.h \
	    yajl zstd.h zstd_errors.h $(notdir $(wildcard /usr/include/cmark-gfm*.h)) linux asm-generic $(shell $(CC) -print-multiarch)/asm) .
	+@$(MAKE) $(PARALLEL) BUILD='$(BUILD)/musl' CC=musl-gcc CPPFLAGS='-isystem $(BUILD)/musl/include' CFLAGS=-O0 \
	    $(ARCHIVES:$(BUILD)/%='$(BUILD)/musl/%') '$(BUILD)/musl/tests/fuzz/libcli.a'
	@echo 'musl: every source compiles'

# What works in a sound store works without the proofs of pages: nothing else in store/lmdb/ proves pages.
.PHONY: unproven
unproven:
	+@$(MAKE) $(PARALLEL) BUILD='$(BUILD)/unproven' UNPROVEN=1 CFLAGS=-O0 test ONLY=branch

# The simulation of the fleet, long: a thousand hosts in one run, and as many steps again in small runs.
.PHONY: torture-fleet torture-fleet-simulated
torture-fleet: torture-fleet-simulated
torture-fleet-simulated:
	@$(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) $(BUILD)/tests/fleet/test_simulate
	@FLEET_STEPS=10000000 FLEET_HOSTS=1000 FLEET_SESSIONS=100000 $(BUILD)/tests/fleet/test_simulate
	@FLEET_ROUNDS=100 $(BUILD)/tests/fleet/test_simulate

# Everything at length: a fuzz run of each target, each matrix in full, the largest inputs; and once more with
# sanitizers, in the sizes of `make check-all`. It takes over two hours on two cores.
TORTURE_ROUNDS  ?= 400
TORTURE_SECONDS ?= 120
.PHONY: torture
torture:
	@$(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all tests
	+@$(SAN_MAKE) tests fuzzers
	@FUZZ_SECONDS=$(TORTURE_SECONDS) FUZZ_RUNS=0 tools/fuzz_smoke.sh '$(BUILD)/san'
	@XYLEM_TORTURE=1 XYLEM_ROUNDS=$(TORTURE_ROUNDS) TEST_SECONDS=7200 tools/run_tests.sh \
	    $(TESTS) $(TRANSCRIPTS) $(TESTS:$(BUILD)/%=$(BUILD)/san/%) $(TRANSCRIPTS:$(BUILD)/%=$(BUILD)/san/%)

# All fuzz targets, or one, for so many seconds each: with libFuzzer where clang has it, else with the project's driver.
TARGET  ?=
SECONDS ?= 60
.PHONY: fuzz
fuzz:
	@$(ENSURE_DEPS)
	@MAKE='$(MAKE) $(PARALLEL)' tools/fuzz.sh '$(BUILD)' '$(TARGET)' '$(SECONDS)' '$(SANITIZERS)'

# --- The manual -----------------------------------------------------------------------------------------------------

MANDIR ?= $(PREFIX)/share/man
# Another program that says what the commands take, where the one that was built does not run here.
XYLEM_RUN ?= $(BUILD)/xylem
MAN_SRC := $(wildcard cli/man/*) tools/man.sh tools/headers.sh $(wildcard tools/man/*.awk) $(HEADERS:%=include/%) \
    docs/commands.md docs/format.md
MAN1_PAGES := xylem.1 $(patsubst cli/cmd_%.c,xylem-%.1,$(filter cli/cmd_%.c,$(CLI_SRC)))
MAN3_PAGES = libxylem.3 $(addsuffix .3,$(shell LC_ALL=C awk -v show=names -f tools/man/text.awk \
             -f tools/man/header.awk $(HEADERS:%=include/%)))
MAN5_PAGES := xylem-format.5

.PHONY: man
man: $(BUILD)/man/xylem.1

$(BUILD)/man/xylem.1: $(XYLEM_RUN) $(MAN_SRC)
	$(call say,write $(BUILD)/man)
	$(Q)XYLEM_RUN='$(XYLEM_RUN)' tools/man.sh '$(BUILD)'

.PHONY: install-man
install-man: man
	install -d '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man3' '$(DESTDIR)$(MANDIR)/man5'
	install -m 644 $(MAN1_PAGES:%=$(BUILD)/man/%) '$(DESTDIR)$(MANDIR)/man1'
	install -m 644 $(MAN3_PAGES:%=$(BUILD)/man/%) '$(DESTDIR)$(MANDIR)/man3'
	install -m 644 $(MAN5_PAGES:%=$(BUILD)/man/%) '$(DESTDIR)$(MANDIR)/man5'

.PHONY: uninstall-man
uninstall-man:
	rm -f $(MAN1_PAGES:%='$(DESTDIR)$(MANDIR)/man1/%') $(MAN3_PAGES:%='$(DESTDIR)$(MANDIR)/man3/%') \
	    $(MAN5_PAGES:%='$(DESTDIR)$(MANDIR)/man5/%')

install: install-man
uninstall: uninstall-man

# --- Measuring ------------------------------------------------------------------------------------------------------

# Times on this machine; nothing fails by being slow. `make bench BENCH_JSON=dir` also writes the figures into files of
# that folder; `make bench ONLY=fork` runs one; `make bench-smoke` finds out in a minute whether they run at all.
BENCH_JSON  ?=
BENCH_FLAGS ?=
BENCH_SRC    := $(sort $(wildcard tests/bench/bench_*.c))
BENCHES      := $(BENCH_SRC:%.c=$(BUILD)/%)
BENCH_EMPTY  := $(BUILD)/tests/bench/empty
BENCH_LIB_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(BENCH_SRC) tests/bench/empty.c,\
    $(sort $(wildcard tests/bench/*.c))))
BENCH_OBJ    := $(BENCH_SRC:%.c=$(BUILD)/obj/%.o) $(BENCH_LIB_OBJ) $(BUILD)/obj/tests/bench/empty.o
# The benches hold what the command holds, optimized over all files once for all of them. With another compiler, CFLAGS of
# a user or QUICK=1 they hold the archives.
BENCH_WHOLE  := $(BUILD)/obj/tests/bench/whole.o
BENCH_CODE   := $(if $(LTO),$(if $(QUICK),$(ARCHIVES),$(BENCH_WHOLE)),$(ARCHIVES))
BENCH_LIBS   := -lsqlite3 $(HELD_LIBS)
BENCH_SELECTED = $(filter $(BUILD)/tests/bench/bench_$(ONLY)%,$(BENCHES))

.PHONY: bench
bench:
	@DEPS=bench $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) benches static
	@$(if $(BENCH_JSON),mkdir -p '$(BENCH_JSON)')
	@for bench in $(BENCH_SELECTED); do \
	    name=$${bench##*/bench_}; echo; echo "== $$name"; \
	    $$bench --program '$(BUILD)/xylem' $(BENCH_FLAGS) $(if $(BENCH_JSON),--json-to '$(BENCH_JSON)'/$$name.json) || exit 1; \
	done

# Writes the tables and the charts of docs/performance.md anew, from one run.
.PHONY: bench-write
bench-write:
	@rm -rf '$(BUILD)/bench'
	@$(MAKE) bench BENCH_JSON='$(BUILD)/bench'
	@tools/bench_page.sh '$(BUILD)/bench' --write

# Beside pi's own SessionManager. Apart from `bench`, as it needs npm and its registry. BENCH_PI='--json --rounds 21'
BENCH_PI ?=
.PHONY: bench-pi
bench-pi:
	@$(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) $(BUILD)/tests/bench/pi/pi
	@tools/bench_pi.sh '$(BUILD)' $(BENCH_PI)

-include $(BUILD)/obj/tests/bench/pi/pi.d

$(BUILD)/tests/bench/pi/pi: $(BUILD)/obj/tests/bench/pi/pi.o $(BUILD)/libxylem.a
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libxylem.a $(LIBS)

# The same faults for every way to keep a session: docs/proof.md anew, with its chart. Less than ten minutes on two cores.
# `make proof-smoke` finds out in a minute whether all runs; `make proof FAULTS_SEED=7` has other faults.
FAULTS := $(BUILD)/tests/bench/faults/faults
FAULTS_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/bench/faults/*.c)) $(BUILD)/obj/tests/lib/chance.o
.PHONY: proof proof-smoke
proof proof-smoke:
	@DEPS=bench $(ENSURE_DEPS)
	@$(MAKE) $(PARALLEL) all $(FAULTS)
	@$(if $(filter proof-smoke,$@),FAULTS_SCALE=50) tools/proof.sh '$(BUILD)' $(if $(filter proof,$@),--write)

-include $(FAULTS_OBJ:.o=.d)

# With the shared libraries, whose calls the program watches.
$(FAULTS): $(FAULTS_OBJ) $(BUILD)/libxylem.a
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(NO_LTO) $(LDFLAGS) -o $@ $^ -lsqlite3 $(LIBS)

# The gate of instructions, a part of `make check`. `make counts-write` writes the counts of this toolchain anew.
COUNT := $(BUILD)/tests/bench/count/count
RUN_COUNT = CC='$(CC)' CFLAGS='$(strip $(CFLAGS) $(LTO) $(SANITIZE) $(DEBUG))' tools/count.sh '$(BUILD)'

# Another reader of store files, written from docs/format.md alone. Its libraries come with Debian's Python.
RUN_READER = /usr/bin/python3 -B tests/format/test_reader.py '$(BUILD)/xylem' fixtures/store-3 fixtures/sessions

# The examples of the table of verbs, in a sandbox. `make deps DEPS=verbs` installs the programs that Debian has.
RUN_TRIED = /usr/bin/python3 -B tests/judge/policy/test_verbs_tried.py '$(BUILD)/xylem'

.PHONY: verbs-tried
verbs-tried: $(BUILD)/xylem
	@$(RUN_TRIED)

.PHONY: counts counts-write
counts: $(COUNT)
	@$(RUN_COUNT)

counts-write: $(COUNT)
	@$(RUN_COUNT) --write

-include $(BUILD)/obj/tests/bench/count/count.d

# Linked as the command is, whose build is counted.
$(COUNT): $(BUILD)/obj/tests/bench/count/count.o $(LIB_OBJ) $(BUILD)/.sources
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LTO) $(LDFLAGS) -o $@ $< $(LIB_OBJ) $(HELD_LIBS)

.PHONY: bench-smoke
bench-smoke:
	@$(MAKE) bench BENCH_FLAGS=--quick BENCH_JSON='$(BUILD)/bench-smoke'
	@tools/bench_page.sh '$(BUILD)/bench-smoke' >/dev/null
	@$(MAKE) proof-smoke >/dev/null

.PHONY: benches
benches: all $(BENCHES) $(BENCH_EMPTY) $(FAULTS)

$(BENCH_OBJ): ALL_CPPFLAGS += -DBENCH_FLAGS='"$(subst ",,$(CFLAGS) $(LTO))"'

$(BENCH_WHOLE): $(sort $(LIB_OBJ) $(JUDGE_OBJ)) $(BUILD)/.sources
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LTO) -flinker-output=nolto-rel -r -o $@ $(filter %.o,$^)

$(BENCHES): $(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(BENCH_LIB_OBJ) $(BENCH_CODE)
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(BENCH_LIBS)

$(BUILD)/tests/bench/bench_judge: $(BUILD)/obj/tests/lib/policy_fixtures.o

# What starting a process costs at least.
$(BENCH_EMPTY): $(BUILD)/obj/tests/bench/empty.o
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -o $@ $<

-include $(BENCH_OBJ:%.o=%.d)

# --- Installing -----------------------------------------------------------------------------------------------------

UNITS := $(notdir $(wildcard docs/examples/*.service docs/examples/*.timer))
CLAUDE := $(patsubst hosts/claude/%,%,$(wildcard hosts/claude/*.* hosts/claude/*/*.* hosts/claude/.claude-plugin/*))

.PHONY: install
install: all
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(INCLUDEDIR)/xylem'
	install -m 755 $(BUILD)/xylem '$(DESTDIR)$(BINDIR)/xylem'
	install -m 644 include/xylem.h include/xylem_judge.h '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 include/xylem/*.h '$(DESTDIR)$(INCLUDEDIR)/xylem'
	install -m 644 $(ARCHIVES) '$(DESTDIR)$(LIBDIR)'
	install -m 755 $(BUILD)/$(SONAME) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libxylem.so'
	for name in xylem xylem-judge; do \
	    sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	        -e 's|@VERSION@|$(VERSION)|' tools/$$name.pc.in > '$(DESTDIR)$(LIBDIR)'/pkgconfig/$$name.pc && \
	    chmod 644 '$(DESTDIR)$(LIBDIR)'/pkgconfig/$$name.pc || exit 1; \
	done
	install -D -m 644 cli/completions/xylem.bash '$(DESTDIR)$(DATADIR)/bash-completion/completions/xylem'
	install -D -m 644 cli/completions/_xylem '$(DESTDIR)$(DATADIR)/zsh/site-functions/_xylem'
	install -D -m 644 cli/completions/xylem.fish '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/xylem.fish'
	install -m 755 docs/examples/xylem-backup '$(DESTDIR)$(BINDIR)/xylem-backup'
	install -d '$(DESTDIR)$(UNITDIR)'
	for name in $(UNITS); do \
	    sed -E 's|^ExecStart=(%h/\.local/bin/)?|ExecStart=$(BINDIR)/|' docs/examples/$$name \
	        > '$(DESTDIR)$(UNITDIR)'/$$name && chmod 644 '$(DESTDIR)$(UNITDIR)'/$$name || exit 1; \
	done
	for name in $(CLAUDE); do \
	    install -D -m 644 hosts/claude/$$name '$(DESTDIR)$(DATADIR)/xylem/claude'/$$name || exit 1; \
	done
	@$(if $(DESTDIR),,tools/loader.sh '$(LIBDIR)/$(SONAME)')

.PHONY: uninstall
uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/xylem' '$(DESTDIR)$(BINDIR)/xylem-backup' $(UNITS:%='$(DESTDIR)$(UNITDIR)/%') \
	    $(HEADERS:%='$(DESTDIR)$(INCLUDEDIR)/%') \
	    $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',libxylem.a libxylem-judge.a libxylem.so $(SONAME) pkgconfig/xylem.pc \
	    pkgconfig/xylem-judge.pc) \
	    '$(DESTDIR)$(DATADIR)/bash-completion/completions/xylem' '$(DESTDIR)$(DATADIR)/zsh/site-functions/_xylem' \
	    '$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/xylem.fish' \
	    $(CLAUDE:%='$(DESTDIR)$(DATADIR)/xylem/claude/%') $(HIGHLIGHT:$(BUILD)/%='$(DESTDIR)$(DATADIR)/xylem/%')
	rmdir '$(DESTDIR)$(INCLUDEDIR)/xylem' $(patsubst %,'$(DESTDIR)$(DATADIR)/xylem/claude/%',.claude-plugin hooks \
	    enforce) '$(DESTDIR)$(DATADIR)/xylem/claude' '$(DESTDIR)$(DATADIR)/xylem' 2>/dev/null || true

# The script that colours code in pages, in $(BUILD): npm gets the script. Without the script code stays plain.
HIGHLIGHT := $(addprefix $(BUILD)/,highlight.js highlight.js.hash)
.PHONY: highlight
highlight:
	@tools/highlight.sh '$(BUILD)'

.PHONY: install-highlight
install: install-highlight
install-highlight:
	$(if $(wildcard $(HIGHLIGHT)),install -D -m 644 -t '$(DESTDIR)$(DATADIR)/xylem' $(HIGHLIGHT))

# --- Packages -------------------------------------------------------------------------------------------------------

# libxylem2, libxylem-dev and xylem for this release of Debian, in $(BUILD)/deb. docs/packaging.md says more.
.PHONY: deb
deb:
	@DEPS=deb tools/deps.sh --ensure
	@tools/deb.sh '$(BUILD)'

# The packages in use: unpacked, and, as root, installed in a system of their own and purged again.
.PHONY: deb-check
deb-check: deb
	@tools/deb_check.sh '$(BUILD)'

# A clone and the packages in fresh Debian systems, as root. ROOTS_SHORT=1: without `make check` in there.
RELEASES ?= bookworm trixie
.PHONY: check-roots
check-roots:
	@tools/check_roots.sh $(RELEASES)

# --- Housekeeping ---------------------------------------------------------------------------------------------------

.PHONY: loc
loc:
	@tools/loc.sh

.PHONY: format
format:
	clang-format -i $(HEADERS:%=include/%) $(wildcard $(addsuffix /*.[ch],$(ROOMS) $(JUDGE_ROOMS) fleet fleet/cli) cli/*.[ch] cli/*/*.[ch] \
	    tests/*/*.[ch] tests/*/*/*.[ch] docs/examples/*.[ch] hosts/node/addon/*.[ch])

.PHONY: clean
clean:
	rm -rf '$(BUILD)'

.PHONY: help
help:
	@echo 'make            build/xylem, build/libxylem.a, build/libxylem-judge.a, build/libxylem.so'
	@echo 'make demo       show what xylem does, on the session files of fixtures/'
	@echo 'make fleet      build/xylem-fleet and build/libxylem-fleet.a: sessions that outlive their machine'
	@echo 'make cluster-demo  show that, with three nodes of PostgreSQL in a temporary directory'
	@echo 'make check-fleet   the failure matrix of the fleet with servers; make torture-fleet: in full'
	@echo 'make check      each test once, most with sanitizers, tidy, the README, the fuzz corpus: eight minutes'
	@echo 'make check-all  everything, before a change is done: tests plain and with sanitizers, musl, packages'
	@echo 'make check-pi   the package for pi, in two versions of pi, which npm installs into build/'
	@echo 'make check-mcp  the MCP server under the official clients, which npm installs into build/'
	@echo 'make check-look  pages of the command in Chromium, and pictures of the pages in build/look'
	@echo 'make check-npm  the tarball of make npm: each addon, and an installation without network in both versions of pi'
	@echo 'make test       the tests alone, without sanitizers; ONLY=store: one room'
	@echo 'make test-san   the same with sanitizers'
	@echo 'make tidy       the rules that a script can check'
	@echo 'make musl       compile all sources with musl-gcc'
	@echo 'make unproven   a library that proves no page, and tests of a sound store with that library'
	@echo 'make torture    long runs and large inputs'
	@echo 'make fuzz       every fuzz target for a minute: SECONDS=600 for longer, TARGET=record for one'
	@echo 'make bench      how long things take on this machine, beside what else could be used; ONLY=fork: one question,'
	@echo '                BENCH_JSON=DIR: the figures go into files there as well'
	@echo '                make bench-smoke: in a minute, with small sizes: do all of them run?'
	@echo '                make bench-write: the tables and charts of docs/performance.md anew, from one run'
	@echo 'make proof      the same faults for every way to keep a session: docs/proof.md anew, in less than ten minutes;'
	@echo '                make proof-smoke: in a minute, with small sizes'
	@echo 'make counts     the instructions of sixteen operations, compared with tests/bench/count/counts; in make check'
	@echo 'make counts-write  write the counts of this toolchain anew, for a commit that says why'
	@echo 'make bench-pi   the same beside pi, which npm installs into build/'
	@echo 'make man        the manual pages, in build/man: man -l build/man/xylem.1'
	@echo 'make static     build/static/xylem, the command in one file that needs no library of the machine'
	@echo 'make static-musl  build/static/xylem-musl, the same with musl, from Debian sources of the libraries'
	@echo 'make install    PREFIX=/usr/local DESTDIR= UNITDIR= ; make uninstall takes it away again'
	@echo 'make node       the addon of Node and Bun for this machine, in hosts/node'
	@echo 'make pi-pictures  the pictures of hosts/pi/README.md anew, from screens of the real pi'
	@echo 'make highlight  the script that colours code in pages of xylem export --html, which npm installs into build/'
	@echo 'make mcp        the MCP server, build/xylem-mcp: xylem mcp'
	@echo 'make npm        the tarball of the MCP server, and the package for pi, a tarball with addons for Linux with glibc on x64 and arm64, in build/npm'
	@echo 'make deb        the Debian packages libxylem2, libxylem-dev and xylem, in build/deb'
	@echo 'make deb-check  install them in a system of their own, use them, purge them (as root; else unpack them)'
	@echo 'make check-roots  a clone and the packages in fresh Debian systems, as root: RELEASES="bookworm trixie";'
	@echo '                ROOTS_SHORT=1: without make check in there'
	@echo 'make deps       install the Debian packages that the above need; DEPS=build: only those of make, demo, static, install'
	@echo 'make format, make loc, make clean'
