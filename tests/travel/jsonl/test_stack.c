/* How much of a thread's stack an import and an export take. */
#include "tests/lib/painted_stack.h"
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

#define LINES 1200 /* more than one append */

struct job {
    struct sandbox *sandbox;
    char path[512];
    struct xylem_verify_report verified;
    struct xylem_buffer exported;
    int code;
    struct xylem_error err;
};

static int verify_and_export(struct job *job, struct xylem_txn *txn)
{
    int code = xylem_verify(&job->verified, txn, NULL, NULL, NULL, &job->err);
    uint64_t session = job->sandbox->report.session;
    return code < 0 ? code : xylem_export(txn, session, NULL, sandbox_collect, &job->exported, &job->err);
}

/* In a thread of its own, where no assertion may fail. */
static void *import_and_export(void *context)
{
    struct job *job = context;
    struct xylem_txn *txn = NULL;
    struct xylem_store *store = job->sandbox->store;
    job->code = xylem_import(&job->sandbox->report, store, job->path, NULL, &job->err);
    job->code = job->code < 0 ? job->code : xylem_begin(&txn, store, XYLEM_READ, &job->err);
    job->code = job->code < 0 ? job->code : verify_and_export(job, txn);
    xylem_abort(txn);
    return NULL;
}

static void write_lines(struct sandbox *sandbox)
{
    struct xylem_buffer text = {0};
    assert_int_equal(xylem_base__buffer_add_text(&text, HEADER ROOT("i0")), XYLEM_OK);
    for (int i = 1; i <= LINES; i++) {
        const char *type =
            i % 3 == 0 ? "custom\",\"customType\":\"c\",\"data\":[1.5,{\"a\":null}],\"x\":\"" : "message";
        assert_int_equal(xylem_base__buffer_add_format(&text, "{\"type\":\"%s\",\"id\":\"i%d\",\"parentId\":\"i%d\"}\n",
                                                       type, i, i - 1),
                         XYLEM_OK);
    }
    sandbox_write(sandbox, "f", text.data, text.bytes);
    xylem_buffer_release(&text);
}

TEST(an_import_and_an_export_fit_the_stack_of_a_small_thread)
{
    struct sandbox sandbox;
    struct job job = {.sandbox = &sandbox};
    sandbox_open(&sandbox);
    write_lines(&sandbox);
    sandbox_path(job.path, &sandbox, "f");
    size_t taken = painted_stack_taken(import_and_export, &job);
    if (job.code < 0) {
        fail_msg("%s", job.err.text);
    }
    assert_int_equal(job.verified.problem_count, 0);
    assert_true(job.exported.bytes > 0);
    xylem_buffer_release(&job.exported);
    assert_report(&sandbox, XYLEM_IMPORT_NEW, LINES + 1, 0, 0, 0);
    sandbox_close(&sandbox);
    if (taken > STACK_TAKEN_BYTES_MAX) {
        fail_msg("%zu bytes of stack were taken", taken);
    }
}
