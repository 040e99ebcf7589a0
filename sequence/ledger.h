/*
 * The ledger of a run: one entry for each event. The entry is written from an event, and read as an event. Pure.
 *
 *     start -> begin -> claim -> end -> claim -> end ... -> reset -> begin -> claim ... -> finish
 *                          a pause and a resume may stand between any two steps
 */
#ifndef XYLEM_SEQUENCE_LEDGER_H
#define XYLEM_SEQUENCE_LEDGER_H

#include "base/value.h"
#include "xylem/sequence.h"

/* X(name, word) */
#define XYLEM_SEQUENCE__EVENT_LIST(X)   \
    X(XYLEM_SEQUENCE__START, "start")   \
    X(XYLEM_SEQUENCE__BEGIN, "begin")   \
    X(XYLEM_SEQUENCE__CLAIM, "claim")   \
    X(XYLEM_SEQUENCE__END, "end")       \
    X(XYLEM_SEQUENCE__RESET, "reset")   \
    X(XYLEM_SEQUENCE__PAUSE, "pause")   \
    X(XYLEM_SEQUENCE__RESUME, "resume") \
    X(XYLEM_SEQUENCE__FINISH, "finish")

#define XYLEM_SEQUENCE__EVENT_ROW(name, word) name,
enum xylem_sequence__event_type { XYLEM_SEQUENCE__EVENT_LIST(XYLEM_SEQUENCE__EVENT_ROW) XYLEM_SEQUENCE__EVENT_COUNT };
#undef XYLEM_SEQUENCE__EVENT_ROW

/* X(name, word): of a step, and of a run. */
#define XYLEM_SEQUENCE__OUTCOME_LIST(X)   \
    X(XYLEM_SEQUENCE__DONE, "done")       \
    X(XYLEM_SEQUENCE__SKIPPED, "skipped") \
    X(XYLEM_SEQUENCE__FAILED, "failed")   \
    X(XYLEM_SEQUENCE__STOPPED, "stopped")

#define XYLEM_SEQUENCE__OUTCOME_ROW(name, word) name,
enum xylem_sequence__outcome {
    XYLEM_SEQUENCE__OUTCOME_LIST(XYLEM_SEQUENCE__OUTCOME_ROW) XYLEM_SEQUENCE__OUTCOME_COUNT
};
#undef XYLEM_SEQUENCE__OUTCOME_ROW

/*
 * An event. An event that is written owns nothing. An event that was read borrows from the value; `steps` and `args`
 * are then in `steps_value` and `args_value`.
 */
struct xylem_sequence__event {
    enum xylem_sequence__event_type type;
    /* The place: of a claim and an end their own, of every other event the place that comes. */
    uint32_t run_index; /* of a reset: the iteration that is over; of a fresh reset 0 */
    uint32_t step_index;
    uint32_t attempt;
    uint64_t done_count; /* so far, the event included */
    uint64_t skipped_count;
    uint32_t resume_count;
    /* start */
    struct xylem_view run_id;
    struct xylem_view sequence_id;
    const struct xylem_view *steps;
    size_t step_count;
    const struct xylem_view *args; /* NULL: none were given */
    size_t arg_count;
    const struct xylem_value *steps_value;
    const struct xylem_value *args_value; /* NULL: none were given */
    uint32_t total_runs;
    bool fresh; /* of a reset too: the reset before the first iteration */
    struct xylem_view origin;
    struct xylem_view origin_entry; /* data NULL: none */
    int64_t started_ms;
    struct xylem_view session; /* begin, resume */
    /* claim */
    enum xylem_step_kind kind;
    struct xylem_view name;
    struct xylem_view path;
    struct xylem_view hash;
    struct xylem_view text_hash;
    enum xylem_sequence__outcome outcome; /* end, finish */
    struct xylem_view entry;              /* end: data NULL: none */
    enum xylem_run_code code;             /* end, pause, finish */
    struct xylem_view message;            /* end, pause, finish */
    enum xylem_run_decision decision;     /* resume */
};

#define XYLEM_SEQUENCE__EVENT_ID_BYTES 24u  /* the NUL included */
#define XYLEM_SEQUENCE__KIND "sequence-run" /* of class custom */
#define XYLEM_SEQUENCE__SESSION "seq."      /* begins the id of a ledger */

/* Writes the id of the event's entry, which follows from the event. Two claims of one attempt have the same id. */
void xylem_sequence__event_id(char id[XYLEM_SEQUENCE__EVENT_ID_BYTES], const struct xylem_sequence__event *event);

/* Appends the data of the entry as JSON. MEMORY. */
int xylem_sequence__event_write(struct xylem_buffer *json, const struct xylem_sequence__event *event);

/*
 * Reads an event from the id and the data of an entry. NULL, or the reason why the entry is no event of a ledger; the
 * reason is static.
 */
const char *xylem_sequence__event_read(struct xylem_sequence__event *event, struct xylem_view id,
                                       const struct xylem_value *data);

/* The part of a message that a ledger keeps: at most XYLEM_RUN_MESSAGE_BYTES_MAX bytes, cut at a character. */
struct xylem_view xylem_sequence__message_cut(struct xylem_view message);

#endif
