/* xylem: recorded sequences of steps, and their runs. The rules of xylem.h hold for every call. */
#ifndef XYLEM_SEQUENCE_H
#define XYLEM_SEQUENCE_H

#include "append.h"
#include "lease.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A sequence is a list of steps that a person recorded: prompts, commands, templates, skills. A run plays the sequence
 * 1 to 1,000 times; the host makes a fresh session between two iterations. The library knows no host: a catalogue says
 * which commands the host has, the library says which action comes next, and the host says how the action ended.
 * docs/sequences.md explains sequences, and has the texts of all problems.
 */

/* --- Catalogue -------------------------------------------------------------------------------------------------- */

enum xylem_command_source {
    XYLEM_COMMAND_BUILTIN = 0, /* an interactive command of the host */
    XYLEM_COMMAND_OWN,         /* a command that the host can call as a function */
    XYLEM_COMMAND_EXTENSION,   /* a command of somebody else's extension */
    XYLEM_COMMAND_PROMPT,      /* a prompt template, which the host expands */
    XYLEM_COMMAND_SKILL        /* a skill; its name begins with `skill:` */
};

/* A command that the host has at one moment. Borrowed for the call. */
struct xylem_command {
    struct xylem_view name; /* 1 to XYLEM_COMMAND_NAME_BYTES_MAX bytes, without the slash */
    enum xylem_command_source source;
    struct xylem_view canonical;        /* of OWN: the name that the host's code knows; empty: `name` */
    struct xylem_view path;             /* of the file or the extension; may be empty */
    struct xylem_view hash;             /* of the file's bytes, in any form of at most 64 bytes; may be empty */
    const struct xylem_view *arguments; /* of OWN: the allowed texts behind the name, one at least; NULL: any text */
    size_t argument_count;
    bool toggles; /* of OWN: without arguments the command toggles */
};

struct xylem_catalogue_options {
    bool compact; /* the host can compact a session */
    bool expands; /* the host can expand templates and skills */
};

/*
 * The commands that a host has at one moment. A catalogue owns its bytes and never changes. Any number of threads may
 * use a catalogue at once.
 */
struct xylem_catalogue;

/* The function behind xylem_catalogue_new(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_catalogue_new_abi(uint32_t abi, struct xylem_catalogue **catalogue,
                                      const struct xylem_command *commands, size_t command_count,
                                      const struct xylem_catalogue_options *options, struct xylem_error *err);

/*
 * Makes a catalogue. Of several commands with the same name and source the first counts. The commands and their texts
 * may be freed after the call.
 *
 * Errors:
 * - LIMIT: more than XYLEM_CATALOGUE_COMMANDS_MAX commands, or a name or a hash that is too long
 * - MALFORMED: an unknown source; an empty name, or a name with white space, a control character, a slash or bytes that
 *   are not WTF-8; a skill whose name does not begin with `skill:`; an empty list of arguments
 * - ARGUMENT: a text with a length is NULL; a header with another XYLEM_ABI
 * - MEMORY
 *
 * The text of an error names the place, such as `commands[3].name`.
 */
static inline int xylem_catalogue_new(struct xylem_catalogue **catalogue, const struct xylem_command *commands,
                                      size_t command_count, const struct xylem_catalogue_options *options,
                                      struct xylem_error *err)
{
    return xylem_catalogue_new_abi(XYLEM_ABI, catalogue, commands, command_count, options, err);
}

/* The function behind xylem_catalogue_new_json(): `abi` is the XYLEM_ABI of the caller. */
XYLEM_API int xylem_catalogue_new_json_abi(uint32_t abi, struct xylem_catalogue **catalogue, struct xylem_view json,
                                           struct xylem_error *err);

/*
 * Makes a catalogue from a JSON document:
 *
 *     {"schema":1,"compact":true,"expands":true,"commands":[{"name":"readonly","source":"own","arguments":["","on"],
 *      "toggles":true},{"name":"plan","source":"prompt","path":"/p/plan.md","hash":"..."}]}
 *
 * The document needs `schema` and `commands`, a command needs `name` and `source` (builtin, own, extension, prompt,
 * skill). Absent bools are false. Unknown members are ignored.
 *
 * Errors:
 * - MALFORMED: no JSON, another schema, a member of the wrong type, or two members of one name; the text names the
 *   place, such as `commands[3].source`
 * - the errors of xylem_catalogue_new()
 */
static inline int xylem_catalogue_new_json(struct xylem_catalogue **catalogue, struct xylem_view json,
                                           struct xylem_error *err)
{
    return xylem_catalogue_new_json_abi(XYLEM_ABI, catalogue, json, err);
}

/* Frees the catalogue. NULL is allowed. Steps that were resolved with the catalogue end before the catalogue. */
XYLEM_API void xylem_catalogue_free(struct xylem_catalogue *catalogue);

/* --- Steps ------------------------------------------------------------------------------------------------------ */

/* X(name, word) */
#define XYLEM_STEP_KIND_LIST(X)        \
    X(XYLEM_STEP_PROMPT, "prompt")     \
    X(XYLEM_STEP_COMMAND, "command")   \
    X(XYLEM_STEP_TEMPLATE, "template") \
    X(XYLEM_STEP_SKILL, "skill")       \
    X(XYLEM_STEP_COMPACT, "compact")

#define XYLEM_STEP_KIND_ENUM_ROW(name, word) name,
enum xylem_step_kind { XYLEM_STEP_KIND_LIST(XYLEM_STEP_KIND_ENUM_ROW) XYLEM_STEP_KIND_COUNT };
#undef XYLEM_STEP_KIND_ENUM_ROW

/* X(name, word): the reasons why a step cannot be recorded or run. The words never change. */
#define XYLEM_STEP_PROBLEM_LIST(X)           \
    X(XYLEM_STEP_FINE, "")                   \
    X(XYLEM_STEP_EMPTY, "empty")             \
    X(XYLEM_STEP_TOO_LONG, "too-long")       \
    X(XYLEM_STEP_CONTROL, "control")         \
    X(XYLEM_STEP_SHELL, "shell")             \
    X(XYLEM_STEP_MALFORMED, "malformed")     \
    X(XYLEM_STEP_RESET, "reset")             \
    X(XYLEM_STEP_RECURSIVE, "recursive")     \
    X(XYLEM_STEP_INTERACTIVE, "interactive") \
    X(XYLEM_STEP_EXTENSION, "extension")     \
    X(XYLEM_STEP_UNKNOWN, "unknown")         \
    X(XYLEM_STEP_ARGUMENTS, "arguments")     \
    X(XYLEM_STEP_NO_HOST, "no-host")

#define XYLEM_STEP_PROBLEM_ENUM_ROW(name, word) name,
enum xylem_step_problem { XYLEM_STEP_PROBLEM_LIST(XYLEM_STEP_PROBLEM_ENUM_ROW) XYLEM_STEP_PROBLEM_COUNT };
#undef XYLEM_STEP_PROBLEM_ENUM_ROW

/* The word of a kind, or of a problem; "unknown" for any other number. Static; any thread. */
XYLEM_API const char *xylem_step_kind_word(enum xylem_step_kind kind);
XYLEM_API const char *xylem_step_problem_word(enum xylem_step_problem problem);

/* Warnings refuse nothing. */
#define XYLEM_STEP_WARN_TOGGLES 0x01u     /* "toggles": every second run gets the other state */
#define XYLEM_STEP_WARN_SHADOWED 0x02u    /* "shadowed": a template has the name of the command that wins */
#define XYLEM_STEP_WARN_PLACEHOLDER 0x04u /* "placeholder": a `$N` has no argument, and stays as written */
#define XYLEM_STEP_WARN_CHANGED 0x08u     /* "changed": path or hash differ from the iteration before */

/* The word of one warning. Static; any thread. NULL if `warning` is not exactly one warning. */
XYLEM_API const char *xylem_step_warning_word(unsigned warning);

/*
 * The meaning of a step under a catalogue. `raw`, `name` and `args` lie in the given text; `path`, `hash` and
 * `canonical` lie in the catalogue, and live as long. Starts zeroed, and ends in xylem_step_release(). A step with a
 * problem has no kind and no warnings.
 */
struct xylem_step {
    enum xylem_step_kind kind;
    enum xylem_step_problem problem; /* XYLEM_STEP_FINE: the step can be run */
    unsigned warnings;               /* XYLEM_STEP_WARN_..., as bits */
    struct xylem_view raw;           /* as authored */
    struct xylem_view name;          /* of a slash step, without the slash; else empty */
    struct xylem_view args;          /* of a slash step: the text behind the name, trimmed; else empty */
    struct xylem_view canonical;     /* of COMMAND: the name that the host's code knows; else empty */
    struct xylem_view path;          /* of the deciding command, also with a problem */
    struct xylem_view hash;
    struct xylem_buffer message; /* of the problem, one line for people; else empty */
};

/*
 * Gives the meaning of a step. A step with a problem is no error. Pure; any thread. `step` is emptied first.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_step_resolve(struct xylem_step *step, const struct xylem_catalogue *catalogue,
                                 struct xylem_view raw, struct xylem_error *err);
XYLEM_API void xylem_step_release(struct xylem_step *step);

/* X(name, word): the problems of a whole sequence. */
#define XYLEM_SEQUENCE_PROBLEM_LIST(X)                 \
    X(XYLEM_SEQUENCE_FINE, "")                         \
    X(XYLEM_SEQUENCE_NO_STEPS, "no-steps")             \
    X(XYLEM_SEQUENCE_TOO_MANY_STEPS, "too-many-steps") \
    X(XYLEM_SEQUENCE_TOO_LARGE, "too-large")           \
    X(XYLEM_SEQUENCE_STEP, "step")

#define XYLEM_SEQUENCE_PROBLEM_ROW(name, word) name,
enum xylem_sequence_problem { XYLEM_SEQUENCE_PROBLEM_LIST(XYLEM_SEQUENCE_PROBLEM_ROW) XYLEM_SEQUENCE_PROBLEM_COUNT };
#undef XYLEM_SEQUENCE_PROBLEM_ROW

/* The word of a problem; "unknown" for any other number. Static; any thread. */
XYLEM_API const char *xylem_sequence_problem_word(enum xylem_sequence_problem problem);

/* All steps of a sequence. Starts zeroed, and ends in xylem_resolution_release(). */
struct xylem_resolution {
    struct xylem_step *steps; /* none for NO_STEPS and TOO_MANY_STEPS */
    size_t step_count;
    enum xylem_sequence_problem problem; /* STEP: a step has a problem; FINE: the sequence can be run */
    size_t problem_count;                /* of steps with a problem */
    size_t first_problem;                /* the index of the first of them */
    struct xylem_buffer message;         /* one line for people; empty for FINE */
};

/*
 * Resolves all steps of a sequence. The texts of the steps must live as long as the resolution. `args` (NULL: none) are
 * the arguments of a run, for the warning `placeholder`. A sequence with a problem is no error. Pure; any thread.
 * `resolution` is emptied first.
 *
 * Errors:
 * - MEMORY
 */
XYLEM_API int xylem_sequence_resolve(struct xylem_resolution *resolution, const struct xylem_catalogue *catalogue,
                                     const struct xylem_view *steps, size_t step_count, const struct xylem_view *args,
                                     size_t arg_count, struct xylem_error *err);
XYLEM_API void xylem_resolution_release(struct xylem_resolution *resolution);

/*
 * Appends a text with arguments in the place of placeholders, once, from left to right:
 * - `$N` (1 to 9 digits): argument N, from 1; stays as written if there is no such argument
 * - `${@:N}`, `${@:N:L}`: the arguments from N, at most L of them, joined by a space
 * - `$@`, `$ARGUMENTS`: all arguments, joined by a space
 *
 * `args` NULL: the text stays as authored. Pure; any thread.
 *
 * Errors:
 * - LIMIT: the text would be longer than XYLEM_STEP_TEXT_BYTES_MAX
 * - ARGUMENT
 * - MEMORY: the buffer is unchanged, after every error
 */
XYLEM_API int xylem_args_put(struct xylem_buffer *put, struct xylem_view text, const struct xylem_view *args,
                             size_t arg_count, struct xylem_error *err);

/*
 * Appends the text of a step without a problem, with the arguments of a run (xylem_args_put()), and never in a name:
 * - a prompt: the step
 * - a skill: `/name args`, or `/name` if nothing stands behind the name
 * - a command or compaction: the text behind the name
 * - a template: `/name args` as authored. A host splits the text of a template by a rule of its own: the host splits
 *   `step->args`, calls xylem_args_put() for each word, and joins the words so that the rule gives the words back.
 *
 * Pure; any thread.
 *
 * Errors:
 * - ARGUMENT: the step has a problem
 * - the others as xylem_args_put()
 */
XYLEM_API int xylem_step_text(struct xylem_buffer *text, const struct xylem_step *step, const struct xylem_view *args,
                              size_t arg_count, struct xylem_error *err);

/*
 * True if a step has a `$@`, `$ARGUMENTS` or `${@:` outside of a name: a host asks for arguments then. Steps that no
 * catalogue can resolve do not count. Pure; any thread.
 */
XYLEM_API bool xylem_sequence_wants_args(const struct xylem_view *steps, size_t step_count);

/* --- Snapshots -------------------------------------------------------------------------------------------------- */

struct xylem_new_sequence {
    struct xylem_view sequence_id; /* empty: a new one, a UUIDv7 */
    const struct xylem_view *steps;
    size_t step_count;
    const int64_t *updated_ms;  /* NULL: now */
    struct xylem_view entry_id; /* of the new entry; empty: xylem makes one */
};

#define XYLEM_UUID_TEXT_BYTES 37u /* a UUID as text, with the NUL behind it */

/*
 * Appends the data of a snapshot as JSON, for an entry `custom:sequence` that the host appends itself. The member
 * `sequenceId` has the id of a new sequence. `entry_id` does not count. The steps are not resolved: whoever records has
 * resolved the steps. A sequence without steps can be saved, but not run. Any thread.
 *
 * Errors:
 * - LIMIT: XYLEM_SEQUENCE_STEPS_MAX, XYLEM_STEP_BYTES_MAX or XYLEM_SEQUENCE_BYTES_MAX is exceeded
 * - MALFORMED: a step is not WTF-8; the id of the sequence has more than XYLEM_SEQUENCE_ID_BYTES_MAX bytes, or is not
 *   UTF-8
 * - IO: the system has no random bytes for a new id
 * - MEMORY: the buffer is unchanged, after every error
 */
XYLEM_API int xylem_sequence_json(struct xylem_buffer *json, const struct xylem_new_sequence *sequence,
                                  struct xylem_error *err);

/*
 * Appends a snapshot of a sequence, an entry `custom:sequence` with the data of xylem_sequence_json(), and the id of
 * the sequence to `sequence_id`. The entry lies at `at`. Both may be NULL. After an error `sequence_id` is unchanged.
 *
 * Errors:
 * - the errors of xylem_sequence_json()
 * - the errors of xylem_append(), such as CONFLICT for another leaf than `expected_leaf`
 */
XYLEM_API int xylem_sequence_save(struct xylem_position *at, struct xylem_buffer *sequence_id, struct xylem_txn *txn,
                                  uint64_t session, const struct xylem_new_sequence *sequence,
                                  const struct xylem_append_options *options, struct xylem_error *err);

/* --- Runs ------------------------------------------------------------------------------------------------------- */

/*
 * A run has a ledger: a session `seq.RUNID` of the store, with an entry for each event. The newest entry says what the
 * run does, and the lease of the ledger says who does it. So the state of a run of any length takes three reads.
 *
 *     start -> next: EXECUTE -> claim -> done -> next: NEW_SESSION -> in_session -> next: EXECUTE -> claim ... FINISHED
 *
 * A host executes a step only after xylem_run_claim(): the claim is durable then. So a step is executed at most once; it
 * is attempted again only after a recorded decision.
 */

/* X(name, word) */
#define XYLEM_RUN_PHASE_LIST(X)             \
    X(XYLEM_RUN_RUNNING, "running")         \
    X(XYLEM_RUN_RESETTING, "resetting")     \
    X(XYLEM_RUN_PAUSED, "paused")           \
    X(XYLEM_RUN_INTERRUPTED, "interrupted") \
    X(XYLEM_RUN_DONE, "done")               \
    X(XYLEM_RUN_FAILED, "failed")           \
    X(XYLEM_RUN_STOPPED, "stopped")         \
    X(XYLEM_RUN_DAMAGED, "damaged")         \
    X(XYLEM_RUN_REDACTED, "redacted")

#define XYLEM_RUN_PHASE_ENUM_ROW(name, word) name,
enum xylem_run_phase { XYLEM_RUN_PHASE_LIST(XYLEM_RUN_PHASE_ENUM_ROW) XYLEM_RUN_PHASE_COUNT };
#undef XYLEM_RUN_PHASE_ENUM_ROW

/* X(name, word): why a run ended or paused. */
#define XYLEM_RUN_CODE_LIST(X)                 \
    X(XYLEM_RUN_CODE_NONE, "")                 \
    X(XYLEM_RUN_CODE_UNRESOLVED, "unresolved") \
    X(XYLEM_RUN_CODE_TURN_ERROR, "turn-error") \
    X(XYLEM_RUN_CODE_REFUSED, "refused")       \
    X(XYLEM_RUN_CODE_COMPACT, "compact")       \
    X(XYLEM_RUN_CODE_RESET, "reset")           \
    X(XYLEM_RUN_CODE_HOST, "host")             \
    X(XYLEM_RUN_CODE_USER, "user")             \
    X(XYLEM_RUN_CODE_LEFT, "left")             \
    X(XYLEM_RUN_CODE_SHUTDOWN, "shutdown")

#define XYLEM_RUN_CODE_ENUM_ROW(name, word) name,
enum xylem_run_code { XYLEM_RUN_CODE_LIST(XYLEM_RUN_CODE_ENUM_ROW) XYLEM_RUN_CODE_COUNT };
#undef XYLEM_RUN_CODE_ENUM_ROW

/* The word of a phase, or of a code; of XYLEM_RUN_CODE_NONE the word is empty. Static; any thread. */
XYLEM_API const char *xylem_run_phase_word(enum xylem_run_phase phase);
XYLEM_API const char *xylem_run_code_word(enum xylem_run_code code);

/*
 * The state of a run. The struct owns its bytes, outlives its transaction, and ends in xylem_run_state_release().
 *
 * `run_index`, `step_index` and `attempt` are the place that comes next, or the place of the open step. Behind the
 * last step of an iteration the place is the first step of the next iteration, which has no session yet; behind the
 * last step of the last iteration `step_index` is `step_count`. A run that is done stands at its last step, and a run
 * that failed as `unresolved` at the step with the problem.
 */
struct xylem_run_state {
    char run_id[XYLEM_UUID_TEXT_BYTES];
    enum xylem_run_phase phase;
    struct xylem_view sequence_id;
    struct xylem_view *steps;
    size_t step_count;
    struct xylem_view *args; /* NULL: none were given */
    size_t arg_count;
    uint32_t total_runs;
    bool fresh;
    uint32_t run_index;             /* of the present iteration, from 0 */
    uint32_t step_index;            /* of the present or the next step, from 0 */
    uint32_t attempt;               /* of the present or the next attempt, from 1 */
    uint64_t done_count;            /* steps that ended */
    uint64_t skipped_count;         /* and steps that a person skipped */
    struct xylem_view session;      /* of the host, in which the iteration runs; data NULL: not made yet */
    struct xylem_view host_session; /* `session`; without, of the iteration before; before the first, `origin` */
    struct xylem_view origin;       /* the session of the host in which the run was started */
    struct xylem_view origin_entry; /* its leaf then; data NULL: none */
    struct xylem_view text_hash;    /* in a step: the hash that the host claimed the step with */
    int64_t started_ms;
    int64_t newest_ms;         /* of the newest event */
    enum xylem_run_code code;  /* of an end, or of a pause */
    struct xylem_view message; /* for people; DAMAGED, REDACTED: the reason */
    bool owned;                /* the ledger has an owner, alive or dead */
    struct xylem_lease_owner owner;
    void *storage;
};

/*
 * Reads the state of a run: three entries and the lease. A ledger that breaks its own rules has the phase DAMAGED.
 * A run has ended as REDACTED if one of the three entries was redacted: nobody can go on with the run. `step_count` is
 * 0 if the steps were redacted.
 *
 * Errors:
 * - NOT_FOUND: there is no such run; DELETED
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_run_read(struct xylem_run_state *state, struct xylem_txn *txn, struct xylem_view run_id,
                             struct xylem_error *err);
XYLEM_API void xylem_run_state_release(struct xylem_run_state *state);

/*
 * Appends the state as one JSON document without a newline; docs/sequences.md names the members.
 *
 * Errors:
 * - MEMORY: the buffer is unchanged
 */
XYLEM_API int xylem_run_state_json(struct xylem_buffer *buffer, const struct xylem_run_state *state);

/*
 * True and the run's id, a view into `session_id`, if a session has the name of a ledger. xylem_run_read() knows
 * whether the session is a ledger.
 */
XYLEM_API bool xylem_run_of_session(struct xylem_view *run_id, struct xylem_view session_id);

/*
 * All live runs of the store, the newest first. A damaged ledger is a run too; a fork of a ledger is none. The time
 * grows with the sessions of the store, and with the given runs.
 *
 * Errors:
 * - CORRUPT, IO, MEMORY
 */
struct xylem_runs;
XYLEM_API int xylem_runs_new(struct xylem_runs **runs, struct xylem_txn *txn, struct xylem_error *err);
XYLEM_API int xylem_runs_next(struct xylem_run_state *state, struct xylem_runs *runs, struct xylem_error *err);
XYLEM_API void xylem_runs_free(struct xylem_runs *runs);

/*
 * 1 and the state of the newest run that waits in a directory, or 0 without such a run. A run waits while it is paused
 * or interrupted: nobody owns the run, and xylem_run_open() goes on with it. `cwd` is the `cwd` that the run was started
 * with, byte by byte; empty: none. With `session` only a run with that `host_session` counts; data NULL: any. A host
 * asks at its start, and offers the run to a person.
 *
 * The call looks at the newest XYLEM_RUNS_WAITING_MAX runs of the store, in any phase and of any directory: an older run
 * is not found. The time grows with the sessions of the store. Release `state` after 1; `state` is a copy that outlives
 * the transaction.
 *
 * Errors:
 * - ARGUMENT: the state or the transaction is NULL
 * - CORRUPT, IO, MEMORY
 */
XYLEM_API int xylem_run_waiting(struct xylem_run_state *state, struct xylem_txn *txn, struct xylem_view cwd,
                                struct xylem_view session, struct xylem_error *err);

struct xylem_run_options {
    struct xylem_view sequence_id;
    const struct xylem_view *steps;
    size_t step_count;
    const struct xylem_view *args; /* with `substitute` */
    size_t arg_count;
    bool substitute;           /* false: steps are executed as authored */
    uint32_t total_runs;       /* 0: 1 */
    bool fresh;                /* the first iteration gets a fresh session too */
    struct xylem_view session; /* the session of the host in which the run is started */
    struct xylem_view entry;   /* its leaf; data NULL: none */
    struct xylem_view cwd;     /* data NULL: not given */
};

/*
 * Makes a run and its ledger, takes the lease of the ledger for the handle, and gives the run; keep `run_id`. If the
 * sequence has a problem, nothing is written, and `resolution` (may be NULL; starts zeroed; release it in any case)
 * says which. The call commits once: the calling thread must have no write transaction open.
 *
 * One thread at a time uses a run, any thread. A run holds no transaction between two calls.
 *
 * Errors:
 * - MALFORMED: the sequence has a problem; or an argument or an id is not WTF-8
 * - LIMIT: `total_runs`, the number or the bytes of `args`, or the bytes of an id
 * - CONFLICT: a run of this session has a living owner; the text names the run and the owner. The call looks at the
 *   sessions that have an owner, and at no other.
 * - BUSY: the thread has a write transaction open; or another writer, after `wait_ms`
 * - OUTCOME_UNKNOWN: xylem_runs_next() tells whether there is a run; without an owner the run is paused
 * - STOPPED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
struct xylem_run;
XYLEM_API int xylem_run_start(struct xylem_run **run, char run_id[XYLEM_UUID_TEXT_BYTES],
                              struct xylem_resolution *resolution, struct xylem_store *store,
                              const struct xylem_catalogue *catalogue, const struct xylem_run_options *options,
                              struct xylem_error *err);

enum xylem_run_decision {
    XYLEM_RUN_CONTINUE = 0, /* of a paused run */
    XYLEM_RUN_RETRY,        /* of an interrupted run: the step is attempted again */
    XYLEM_RUN_SKIP          /* of an interrupted run: the step counts as skipped */
};

/*
 * Goes on with a run that has no living owner: takes the lease and records the decision. `session` is the session of
 * the host in which the run goes on: the session of the iteration, unless a new session comes next.
 *
 * Errors:
 * - NOT_FOUND: there is no such run
 * - CONFLICT: the run has a living owner, and the text says who; or the decision does not fit the phase; or another
 *   session
 * - LIMIT: XYLEM_STEP_ATTEMPTS_MAX, also of attempts to make a new session; or the bytes of an id
 * - MALFORMED: the ledger is damaged. The store is whole: xylem_verify() finds nothing
 * - and as xylem_run_start()
 */
XYLEM_API int xylem_run_open(struct xylem_run **run, struct xylem_store *store, struct xylem_view run_id,
                             enum xylem_run_decision decision, struct xylem_view session, struct xylem_error *err);

enum xylem_action_type {
    XYLEM_ACTION_EXECUTE = 0, /* claim `step`, send or call it, wait until the host is settled, and say how it ended */
    XYLEM_ACTION_NEW_SESSION, /* make a fresh session, and name it by xylem_run_in_session() */
    XYLEM_ACTION_FINISHED     /* nothing: the run has ended, and `state` says how */
};

/* The next action. Borrowed: lives until the next call of xylem_run_next(); `state` tells the run after each call. */
struct xylem_action {
    enum xylem_action_type type;
    uint32_t run_index;
    uint32_t step_index;
    uint32_t attempt;
    const struct xylem_step *step; /* EXECUTE; FINISHED as `unresolved`, from the call that ended the run; else NULL */
    const struct xylem_run_state *state;
};

/*
 * Gives the next action. `catalogue` is the catalogue of the session in which the step will run, and lives as long as
 * the action. The first step of an iteration resolves the whole sequence, every other step itself; a step with a problem
 * ends the run as `unresolved`. A step is given unclaimed: the host makes the text of the step (the arguments of the run
 * are in `state`), and claims the step. Until then nothing is stored, and the call can be repeated.
 *
 * After CONFLICT and OUTCOME_UNKNOWN the handle has lost the ledger: every later call gives the same code, and only
 * xylem_run_close() is left. After any other error the run is as before, and the call can be repeated.
 *
 * Errors:
 * - ARGUMENT: the end of the action before was not reported; or the run is paused
 * - CONFLICT: the lease was broken, or somebody else changed the ledger
 * - OUTCOME_UNKNOWN: the state of the run tells what was stored
 * - BUSY, STOPPED, READ_ONLY, MAP_FULL, NO_SPACE, IO, CORRUPT, MEMORY
 */
XYLEM_API int xylem_run_next(struct xylem_action *action, struct xylem_run *run,
                             const struct xylem_catalogue *catalogue, struct xylem_error *err);

/*
 * Claims the step that xylem_run_next() gave: durable when the call returns, and the step may be executed then. After
 * any error execute nothing. `text_hash` has XYLEM_RUN_TEXT_HASH_DIGITS hexadecimal digits, in small letters, of a hash
 * of the text that the host sends: a hash of the host's choice, which the ledger keeps.
 *
 * Errors:
 * - ARGUMENT: no step was given, or another hash
 * - the others as xylem_run_next()
 */
XYLEM_API int xylem_run_claim(struct xylem_run *run, struct xylem_view text_hash, struct xylem_error *err);

/*
 * The end of an action, durable when the call returns: the step is done (`entry` is the id of the entry of the host to
 * which the step led; data NULL: none); the new session; the action failed, and the run with it; or a person stopped
 * the run, in a step or between steps. `message` is cut to XYLEM_RUN_MESSAGE_BYTES_MAX.
 *
 * Errors:
 * - ARGUMENT: no action of the type is open; or a code that is no failure (UNRESOLVED to HOST are failures)
 * - LIMIT, MALFORMED: `entry` or `session`
 * - the others as xylem_run_next()
 */
XYLEM_API int xylem_run_done(struct xylem_run *run, struct xylem_view entry, struct xylem_error *err);
XYLEM_API int xylem_run_in_session(struct xylem_run *run, struct xylem_view session, struct xylem_error *err);
XYLEM_API int xylem_run_failed(struct xylem_run *run, enum xylem_run_code code, struct xylem_view message,
                               struct xylem_error *err);
XYLEM_API int xylem_run_stop(struct xylem_run *run, struct xylem_view message, struct xylem_error *err);

/*
 * Records a pause between steps (`code`: LEFT or SHUTDOWN). In a step nothing is recorded: the run is interrupted after
 * its close. While a new session is made nothing is recorded either: the run is paused after its close. Close the run
 * afterwards.
 *
 * Errors:
 * - ARGUMENT: another code, or a finished run
 * - the others as xylem_run_next()
 */
XYLEM_API int xylem_run_pause(struct xylem_run *run, enum xylem_run_code code, struct xylem_view message,
                              struct xylem_error *err);

/*
 * Releases the lease, and frees the run. A step without a reported end is interrupted from then on. NULL is allowed.
 *
 * Errors:
 * - BUSY, FORKED: the run is unchanged
 * - the others as xylem_lease_release(): the run is freed
 */
XYLEM_API int xylem_run_close(struct xylem_run *run, struct xylem_error *err);

/*
 * Stops a run that has no living owner, for good, and removes the dead owner.
 *
 * Errors:
 * - NOT_FOUND, MALFORMED, and as xylem_run_open()
 * - CONFLICT: the run has a living owner, or has ended
 */
XYLEM_API int xylem_run_end(struct xylem_store *store, struct xylem_view run_id, struct xylem_view message,
                            struct xylem_error *err);

/* --- Marks ------------------------------------------------------------------------------------------------------ */

/*
 * Appends the data of a mark, for an entry `custom:sequence-mark` in the session of the host: the mark tells whoever
 * reads the session that a run passed. The newest valid mark of a path is a piece of the state (xylem_rehydrate()).
 * The mark of an event other than BEGIN names the outcome of a run that ended or paused.
 *
 * Errors:
 * - ARGUMENT: an unknown event, or the state of a run without a place: a damaged or a redacted run
 * - MEMORY: the buffer is unchanged, after every error
 */
XYLEM_API int xylem_run_mark_json(struct xylem_buffer *buffer, const struct xylem_run_state *state,
                                  enum xylem_mark_event event);

#ifdef __cplusplus
}
#endif

#endif
