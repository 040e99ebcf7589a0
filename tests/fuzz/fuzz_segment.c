/*
 * Any bytes as a segment: reading refuses them, or applying takes them or refuses them, and the store stays sound. The
 * first byte chooses what is made right before (nothing, the sum, sum and chain) and the store: one with the sessions
 * of the corpus, as they were packed; one with some of their changes; an empty one.
 */
#include "base/buffer.h"
#include "tests/fuzz/scratch.h"
#include "tests/travel/mend.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct xylem_store *store;
static const struct xylem_apply_options options = {.owner = {"owner", 5}, .epoch = 1};

/* --- A store that follows ----------------------------------------------------------------------------------------- */

static uint64_t make(struct xylem_txn *txn, const char *id)
{
    static const int64_t created_ms = 1000;
    const struct xylem_session_options made = {.id = xylem_view_of(id), .created_ms = &created_ms};
    struct xylem_session session;
    struct xylem_error err = {0};
    must_work(xylem_session_create(&session, txn, &made, &err), &err, "create");
    return session.number;
}

static struct xylem_position add(struct xylem_txn *txn, uint64_t session, const char *id, const char *kind)
{
    static const int64_t time_ms = 2000;
    const struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                          .kind = {XYLEM_CLASS_HOST, xylem_view_of(kind)},
                                          .time_ms = &time_ms,
                                          .format = XYLEM_FORMAT_JSON,
                                          .payload = xylem_view_of("{\"x\":\"text\"}")};
    struct xylem_position at;
    struct xylem_error err = {0};
    must_work(xylem_append(&at, txn, session, &entry, 1, NULL, &err), &err, "append");
    return at;
}

/* The sessions of the corpus but for times of navigations and random hashes. `whole`: with their last changes. */
static void fill(struct xylem_txn *txn, bool whole)
{
    const struct xylem_session_options fork_options = {.id = xylem_view_of("fork"), .created_ms = &(int64_t){1000}};
    struct xylem_session fork;
    struct xylem_error err = {0};
    uint64_t session = make(txn, "s");
    struct xylem_position a = add(txn, session, "a", "message");
    struct xylem_position b = add(txn, session, "b", "message");
    must_work(xylem_fork(&fork, txn, session, a, XYLEM_FORK_AT, &fork_options, &err), &err, "fork");
    uint64_t number = fork.number;
    add(txn, number, "c", "note");
    if (whole) {
        struct xylem_redact_report report;
        const struct xylem_redact_options redact = {.reason = xylem_view_of("why")};
        add(txn, session, "d", "label");
        must_work(xylem_redact(&report, txn, session, b, &redact, &err), &err, "redact");
        xylem_redact_report_release(&report);
        add(txn, number, "e", "message");
    }
    must_work(xylem_session_follow(txn, session, options.owner, 1, &err), &err, "follow");
    must_work(xylem_session_follow(txn, number, options.owner, 1, &err), &err, "follow");
}

/* --- An input ----------------------------------------------------------------------------------------------------- */

static int found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fprintf(stderr, "fuzz: verify: %s: %s\n", problem->table, problem->text);
    return 0;
}

static void verify(struct xylem_txn *txn)
{
    struct xylem_verify_report report;
    struct xylem_error err = {0};
    must_work(xylem_verify(&report, txn, NULL, found, NULL, &err), &err, "verify");
    must(report.problem_count == 0, "the store is damaged");
}

static bool is_promised(int code)
{
    static const int codes[] = {XYLEM_OK,         XYLEM_E_MALFORMED, XYLEM_E_TOO_NEW,  XYLEM_E_CORRUPT,
                                XYLEM_E_LIMIT,    XYLEM_E_NOT_FOUND, XYLEM_E_CONFLICT, XYLEM_E_DELETED,
                                XYLEM_E_MAP_FULL, XYLEM_E_MEMORY};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (code == codes[i]) {
            return true;
        }
    }
    return false;
}

static void apply(struct xylem_txn *txn, struct xylem_view bytes)
{
    struct xylem_segment segment;
    struct xylem_apply_report report;
    struct xylem_error err = {0};
    int read = xylem_segment_read(&segment, bytes, &err);
    must(read == XYLEM_OK || err.text[0] != '\0', "an error of a read has no text");
    int code = xylem_segment_apply(&report, txn, bytes, &options, &err);
    must(read == XYLEM_OK || code == read, "what cannot be read can be applied");
    must(is_promised(code), "an apply gives a code that it does not promise");
    if (code == XYLEM_OK) {
        verify(txn);
        must_work(xylem_segment_apply(&report, txn, bytes, &options, &err), &err, "the segment comes again");
        must(report.change_count == 0 && report.redacted_count == 0, "the segment was applied twice");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    if (!store) {
        store = scratch_open();
    }
    struct xylem_txn *txn = scratch_begin(store, XYLEM_WRITE);
    struct xylem_buffer bytes = {NULL, 0, 0};
    unsigned choice = data[0];
    must(xylem_buffer_add(&bytes, data + 1, size - 1) == XYLEM_OK, "no memory");
    if (choice % 3 == 1) {
        mend_sum(bytes.data, bytes.bytes);
    } else if (choice % 3 == 2) {
        mend_chain(bytes.data, bytes.bytes);
    }
    if (choice / 3 % 3 > 0) {
        fill(txn, choice / 3 % 3 == 1);
    }
    apply(txn, (struct xylem_view){bytes.data, bytes.bytes});
    xylem_abort(txn);
    xylem_buffer_release(&bytes);
    return 0;
}
