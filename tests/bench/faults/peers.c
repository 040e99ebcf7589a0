/* Who is put through the faults, and what each promises, in its own documents' sense. */
#include "tests/bench/faults/driver.h"
#include "xylem/store.h"

bool faults_preparing;
bool faults_checkpoints;

#define JSONL_CALLS                                                                                                   \
    .open = faults_jsonl_open, .append = faults_jsonl_append, .fork = faults_jsonl_fork, .close = faults_jsonl_close, \
    .read = faults_jsonl_read
#define SQLITE_CALLS                                                                        \
    .open = faults_sqlite_open, .append = faults_sqlite_append, .fork = faults_sqlite_fork, \
    .close = faults_sqlite_close, .read = faults_sqlite_read, .check = faults_sqlite_check, \
    .repair = faults_sqlite_repair
#define XYLEM_CALLS                                                                                                   \
    .open = faults_xylem_open, .append = faults_xylem_append, .fork = faults_xylem_fork, .close = faults_xylem_close, \
    .read = faults_xylem_read, .check = faults_xylem_check, .repair = faults_xylem_repair

#define PI_DOCUMENTS "pi's `docs/session-format.md`"
#define SQLITE_DOCUMENTS                                                \
    "[pragma](https://www.sqlite.org/pragma.html#pragma_synchronous), " \
    "[WAL](https://www.sqlite.org/wal.html), [checksums](https://www.sqlite.org/cksumvfs.html)"
#define XYLEM_DOCUMENTS "[durability](durability.md)"

static const struct faults_peer pi = {.name = "pi",
                                      .label = "pi 0.87.1 itself",
                                      .documents = PI_DOCUMENTS,
                                      .promises_kill = "nothing",
                                      .promises_power = "nothing",
                                      .promises_failure = "nothing; throws an error",
                                      .promises_damage = "nothing; skips lines that do not parse",
                                      .worker = "pi",
                                      .open = faults_pi_open,
                                      .append = faults_pi_append,
                                      .close = faults_pi_close,
                                      .read = faults_pi_read};
static const struct faults_peer jsonl = {.name = "jsonl",
                                         .label = "JSONL, pi's calls in C",
                                         .documents = PI_DOCUMENTS,
                                         .promises_kill = "nothing",
                                         .promises_power = "nothing",
                                         .promises_failure = "nothing; throws an error",
                                         .promises_damage = "nothing; skips lines that do not parse",
                                         .mode = FAULTS_JSONL_PI,
                                         JSONL_CALLS};
static const struct faults_peer jsonl_fsync = {.name = "jsonl-fsync",
                                               .label = "JSONL with fsync",
                                               .documents = "fsync(2)",
                                               .promises_kill = "nothing before the first answer, then every line",
                                               .promises_power = "the same",
                                               .promises_failure = "nothing; throws an error",
                                               .promises_damage = "nothing; skips lines that do not parse",
                                               .mode = FAULTS_JSONL_FSYNC,
                                               JSONL_CALLS};
static const struct faults_peer sqlite_normal = {.name = "sqlite-normal",
                                                 .label = "SQLite, WAL, NORMAL",
                                                 .documents = SQLITE_DOCUMENTS,
                                                 .promises_kill = "every commit",
                                                 .promises_power = "may lose the newest commits, stays consistent",
                                                 .promises_failure = "an error; earlier commits stay",
                                                 .promises_damage = "nothing: no checksums by default",
                                                 .mode = FAULTS_SQLITE_NORMAL,
                                                 SQLITE_CALLS};
static const struct faults_peer sqlite_full = {.name = "sqlite-full",
                                               .label = "SQLite, WAL, FULL",
                                               .documents = SQLITE_DOCUMENTS,
                                               .promises_kill = "every commit",
                                               .promises_power = "every commit",
                                               .promises_failure = "an error; earlier commits stay",
                                               .promises_damage = "nothing: no checksums by default",
                                               .mode = FAULTS_SQLITE_FULL,
                                               SQLITE_CALLS};
static const struct faults_peer xylem_full = {.name = "xylem-full",
                                              .label = "xylem, `full`",
                                              .documents = XYLEM_DOCUMENTS,
                                              .promises_kill = "every commit",
                                              .promises_power = "every commit",
                                              .promises_failure = "an error; earlier commits stay",
                                              .promises_damage = "found when read; a repair saves the rest",
                                              .mode = XYLEM_DURABILITY_FULL,
                                              XYLEM_CALLS};
static const struct faults_peer xylem_nometa = {.name = "xylem-nometa",
                                                .label = "xylem, `nometa`",
                                                .documents = XYLEM_DOCUMENTS,
                                                .promises_kill = "every commit",
                                                .promises_power = "may lose the newest commit, stays sound",
                                                .promises_failure = "an error; earlier commits stay",
                                                .promises_damage = "found when read; a repair saves the rest",
                                                .mode = XYLEM_DURABILITY_NOMETA,
                                                XYLEM_CALLS};
static const struct faults_peer xylem_none = {.name = "xylem-none",
                                              .label = "xylem, `none`",
                                              .documents = XYLEM_DOCUMENTS,
                                              .promises_kill = "every commit",
                                              .promises_power = "nothing: the store may be damaged",
                                              .promises_failure = "an error; earlier commits stay",
                                              .promises_damage = "found when read; a repair saves the rest",
                                              .mode = XYLEM_DURABILITY_NONE,
                                              XYLEM_CALLS};
static const struct faults_peer early = {.name = "early",
                                         .label = "control: acknowledges before it writes",
                                         .documents = "the control of this test",
                                         .promises_kill = "every entry, wrongly",
                                         .promises_power = "every entry, wrongly",
                                         .promises_failure = "nothing",
                                         .promises_damage = "nothing",
                                         .mode = FAULTS_JSONL_EARLY,
                                         .is_control = true,
                                         JSONL_CALLS};

const struct faults_peer *const faults_peers[] = {
    &pi, &jsonl, &jsonl_fsync, &sqlite_normal, &sqlite_full, &xylem_full, &xylem_nometa, &xylem_none, &early, NULL};
