/* Gives the verdict before a write. */
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/value.h"
#include "replay/reads/message.h"
#include "replay/reads/table.h"

const char *xylem_reads_why_name(enum xylem_reads_why why)
{
    static const char *const names[] = {[XYLEM_READS_PASS] = "pass",
                                        [XYLEM_READS_UNREAD] = "unread",
                                        [XYLEM_READS_CHANGED] = "changed",
                                        [XYLEM_READS_DELETED] = "deleted"};
    return (unsigned)why < sizeof names / sizeof *names ? names[why] : "unknown";
}

static enum xylem_reads_why decide(const struct xylem_reads__file *noted, enum xylem_write_tool tool, int code,
                                   const struct xylem_fingerprint *now)
{
    if (code == XYLEM_E_NOT_FOUND) {
        return noted ? XYLEM_READS_DELETED : tool == XYLEM_WRITE_TOOL_WRITE ? XYLEM_READS_PASS : XYLEM_READS_UNREAD;
    }
    if (code != 0 || !noted) {
        return XYLEM_READS_UNREAD;
    }
    bool same =
        noted->fingerprint.bytes == now->bytes && strncmp(noted->fingerprint.hash, now->hash, sizeof now->hash) == 0;
    return same ? XYLEM_READS_PASS : XYLEM_READS_CHANGED;
}

void xylem_reads__verdict_clear(struct xylem_reads_verdict *verdict)
{
    xylem_base__buffer_clear(&verdict->message);
    verdict->why = XYLEM_READS_UNREAD;
    verdict->block = true;
    verdict->noted_ms = 0;
}

int xylem_reads_check(struct xylem_reads_verdict *verdict, struct xylem_reads *reads, struct xylem_view key,
                      struct xylem_view shown, enum xylem_write_tool tool, int code,
                      const struct xylem_fingerprint *now, struct xylem_view problem, struct xylem_error *err)
{
    if (!verdict) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a place for the verdict is missing");
    }
    xylem_reads__verdict_clear(verdict);
    if (!reads || (code == 0 && !now) || (unsigned)tool > XYLEM_WRITE_TOOL_WRITE || xylem_base__view_lacks_bytes(key) ||
        xylem_base__view_lacks_bytes(shown) || xylem_base__view_lacks_bytes(problem)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT,
                                "reads: a check needs a table, a key, edit or write, and a file");
    }
    size_t known = xylem_reads__find(reads, key);
    struct xylem_reads__file *noted = known < reads->file_count ? reads->files[known] : NULL;
    enum xylem_reads_why why = decide(noted, tool, code, now);
    verdict->noted_ms = noted ? noted->at_ms : 0;
    verdict->why = why;
    if (why != XYLEM_READS_PASS) {
        const struct xylem_view none = {NULL, 0};
        bool unreadable = code != 0 && code != XYLEM_E_NOT_FOUND;
        int added = xylem_reads__add_message(&verdict->message, why, shown.bytes > 0 ? shown : key,
                                             unreadable ? problem : none);
        return added < 0 ? xylem_base__fail_memory(err) : 0;
    }
    if (noted) {
        noted->fingerprint.stamp = now->stamp; /* the same content, looked at later */
        xylem_reads__use(reads, known);
    }
    verdict->block = false;
    return 0;
}

int xylem_reads_check_file(struct xylem_reads_verdict *verdict, struct xylem_reads *reads, struct xylem_view key,
                           struct xylem_view shown, enum xylem_write_tool tool, struct xylem_error *err)
{
    struct xylem_fingerprint known;
    struct xylem_fingerprint now;
    struct xylem_error why = {0};
    struct xylem_buffer path = {0};
    if (!verdict) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a place for the verdict is missing");
    }
    xylem_reads__verdict_clear(verdict);
    if (!reads || xylem_base__view_lacks_bytes(key) || xylem_reads__key_problem(key)) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "reads: a check needs a table and the path of a file");
    }
    if (xylem_buffer_add(&path, key.data, key.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    bool noted = xylem_reads_known(&known, reads, key);
    int code = xylem_fingerprint_look(&now, path.data, noted ? &known : NULL, &why);
    code = xylem_reads_check(verdict, reads, key, shown, tool, code, &now, xylem_view_of(why.text), err);
    xylem_buffer_release(&path);
    return code;
}

void xylem_reads_verdict_release(struct xylem_reads_verdict *verdict)
{
    if (verdict) {
        xylem_buffer_release(&verdict->message);
        *verdict = (struct xylem_reads_verdict){.block = false};
    }
}
