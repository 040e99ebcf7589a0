/*
 * Any bytes as the changes of a session in JSON, or as a document of format 2: the store takes the session, or refuses
 * the bytes, and stays sound. What it took goes out again as bytes that it knows. The first byte chooses the store:
 * empty, or with a session "s" of the entries "a" and "b".
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "tests/fuzz/scratch.h"
#include "travel/told.h"
#include "xylem/append.h"
#include "xylem/inspect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct xylem_store *store;

static int take(struct xylem_apply_report *report, struct xylem_txn *txn, const void *bytes, size_t count,
                struct xylem_error *err)
{
    static const char path[] = "fuzz";
    struct xylem_jsonl__file file = {.fd = -1, .bytes = count, .held = malloc(count + sizeof path)};
    must(file.held != NULL, "no memory");
    memcpy(file.held, bytes, count);
    memcpy(file.held + count, path, sizeof path);
    file.path = file.held + count;
    memset(report, 0, sizeof *report);
    int code = xylem_travel__take(report, txn, &file, path, err);
    free(file.held);
    return code;
}

static int add(void *context, const void *data, size_t bytes)
{
    return xylem_buffer_add(context, data, bytes);
}

static void fill(struct xylem_txn *txn)
{
    const struct xylem_session_options made = {.id = xylem_view_of("s")};
    const struct xylem_new_entry entries[] = {{.id = xylem_view_of("a"), .kind.name = xylem_view_of("note")},
                                              {.id = xylem_view_of("b"), .kind.name = xylem_view_of("note")}};
    struct xylem_session session;
    struct xylem_error err = {0};
    must_work(xylem_session_create(&session, txn, &made, &err), &err, "create");
    must_work(xylem_append(NULL, txn, session.number, entries, 2, NULL, &err), &err, "append");
}

static int found(void *context, const struct xylem_problem *problem)
{
    (void)context;
    fprintf(stderr, "fuzz: verify: %s: %s\n", problem->table, problem->text);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    if (!store) {
        store = scratch_open();
    }
    struct xylem_txn *txn = scratch_begin(store, XYLEM_WRITE);
    struct xylem_apply_report report;
    struct xylem_verify_report verified;
    struct xylem_buffer again = {NULL, 0, 0};
    struct xylem_error err = {0};
    if (data[0] % 2 == 1) {
        fill(txn);
    }
    int code = take(&report, txn, data + 1, size - 1, &err);
    must(code == XYLEM_OK || err.text[0] != '\0', "an error has no text");
    if (code == XYLEM_OK) {
        must_work(xylem_verify(&verified, txn, NULL, found, NULL, &err), &err, "verify");
        must(verified.problem_count == 0, "the store is damaged");
    }
    if (code == XYLEM_OK && report.is_new) {
        must_work(xylem_export_changes(txn, report.session, add, &again, &err), &err, "export");
        must_work(take(&report, txn, again.data, again.bytes, &err), &err, "the session comes again");
        must(!report.is_new, "the session was taken twice");
    }
    xylem_abort(txn);
    xylem_buffer_release(&again);
    return 0;
}
