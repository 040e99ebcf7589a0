/* Leads a redaction from the first look to the report: of one entry, or of matches of patterns. */
#include "cli/redact.h"
#include "xylem/note.h"

#include <stdlib.h>
#include <string.h>

/* Places that no program can search. */
static const char *const unreachable[] = {"other stores, and backups of this one", "snapshots of the file system",
                                          "swap space and core dumps", "spare blocks of an SSD"};
#define UNREACHABLE_COUNT (sizeof unreachable / sizeof unreachable[0])

int xylem_cli__redact_write(struct xylem_cli *cli, struct xylem_redact_report *report)
{
    xylem_cli__close_store(cli);
    int code = xylem_cli__open_writing(cli);
    if (code != 0 || (code = xylem_redact_write(report, cli->store, &cli->err)) < 0) {
        return code;
    }
    if (code == 1) {
        xylem_cli__note(cli, "an earlier redaction that was ended in the middle is finished now");
    }
    return 0;
}

int xylem_cli__redact_finish(struct xylem_cli *cli, struct xylem_cli__redacting *redacting)
{
    const struct xylem_compact_options options = {
        .overwrite_old = true, .allow_network_fs = cli->allow_network_fs, .wait_ms = XYLEM_CLI__WAIT_MS};
    struct xylem_error err = {0};
    struct xylem_cli__text next = {0};
    char *path = strdup(cli->store_path);
    xylem_cli__add_named(cli, &next, "redact --finish", NULL);
    xylem_cli__close_store(cli);
    int code =
        !path || next.failed ? xylem_cli__fail_memory(cli) : xylem_compact(&redacting->compacted, path, &options, &err);
    redacting->finished = code == 0;
    if (code != 0 && err.code != 0) {
        code = xylem_cli__fail(cli, code,
                               "the redacted text cannot be read any more, but its bytes may still be in the file: %s; "
                               "run %s later",
                               err.text, next.bytes.data);
    }
    free(path);
    xylem_cli__text_release(&next);
    return code;
}

/* Stands from the first redaction until the file is without the text, so a killed run is finished by the next. */
#define UNFINISHED "bundle:unfinished"

int xylem_cli__redact_note(struct xylem_cli *cli)
{
    return xylem_note_put(cli->txn, xylem_view_of(UNFINISHED), xylem_view_of("redacted"), &cli->err);
}

static int forget_unfinished(struct xylem_cli *cli, void *context)
{
    (void)context;
    return xylem_note_put(cli->txn, xylem_view_of(UNFINISHED), (struct xylem_view){NULL, 0}, &cli->err);
}

int xylem_cli__redact_finish_noted(struct xylem_cli *cli, struct xylem_cli__redacting *redacting)
{
    struct xylem_view note;
    int code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    code = code < 0 ? code : xylem_note_get(&note, cli->txn, xylem_view_of(UNFINISHED), &cli->err);
    xylem_abort(cli->txn);
    cli->txn = NULL;
    if (code < 0) {
        return code == XYLEM_E_NOT_FOUND ? 0 : code;
    }
    if ((code = xylem_cli__redact_finish(cli, redacting)) < 0 || (code = xylem_cli__open_writing(cli)) < 0) {
        return code;
    }
    return xylem_cli__change(cli, forget_unfinished, NULL);
}

void xylem_cli__redact_add_file(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting)
{
    xylem_cli__add(text, "file     ");
    xylem_cli__add_size(text, redacting->compacted.bytes_before);
    xylem_cli__add(text, " became ");
    xylem_cli__add_size(text, redacting->compacted.bytes_after);
    xylem_cli__add(text, ", and the old file was overwritten\n");
}

void xylem_cli__redact_add_file_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting)
{
    xylem_cli__member_bool(text, "finished", redacting->finished);
    xylem_cli__member_count(text, "bytes_before", redacting->compacted.bytes_before);
    xylem_cli__member_count(text, "bytes_after", redacting->compacted.bytes_after);
    xylem_cli__member_count(text, "overwritten_bytes", redacting->compacted.overwritten_bytes);
}

void xylem_cli__redact_add_json(struct xylem_cli__text *text, const struct xylem_cli__redacting *redacting,
                                const char *last)
{
    const struct xylem_redact_report *report = &redacting->report;
    xylem_cli__member_count(text, "redacted_entries", report->redacted_count);
    xylem_cli__member_count(text, "redacted_bytes", report->redacted_bytes);
    xylem_cli__member_count(text, "dropped_hashes", report->dropped_count);
    xylem_cli__member_count(text, "rechecked_entries", report->rechecked_count);
    xylem_cli__member_count(text, "quarantined_lines", report->quarantined_count);
    xylem_cli__member_count(text, "torn_lines", report->tail_count);
    xylem_cli__member_count(text, "side_lines", report->side_count);
    xylem_cli__member_count(text, "session_count", report->session_count);
    xylem_cli__redact_add_file_json(text, redacting);
    xylem_cli__member_begin(text, "files", '[');
    for (size_t i = 0; i < report->source_count; i++) {
        xylem_cli__json_string(text, report->sources[i]);
    }
    xylem_cli__json_end(text, ']');
    xylem_cli__member_begin(text, "unreachable", '[');
    for (size_t i = 0; i < UNREACHABLE_COUNT; i++) {
        xylem_cli__json_string(text, xylem_view_of(unreachable[i]));
    }
    xylem_cli__json_string(text, xylem_view_of(last));
    xylem_cli__json_end(text, ']');
    xylem_cli__holders_add_json(text, &redacting->holders);
}

void xylem_cli__redact_add(const struct xylem_cli *cli, struct xylem_cli__text *text,
                           const struct xylem_cli__redacting *redacting, const char *last)
{
    const struct xylem_redact_report *report = &redacting->report;
    bool dry_run = redacting->given->dry_run;
    /* `taken    234 B of 2 entries, 1 quarantined line; in 2 sessions` */
    xylem_cli__add(text, dry_run ? "to take  " : "taken    ");
    xylem_cli__add_size(text, report->redacted_bytes);
    xylem_cli__add(text, " of ");
    xylem_cli__add_counted(text, report->redacted_count, "entry", "entries");
    if (report->quarantined_count > 0) {
        xylem_cli__add_next_counted(text, report->quarantined_count, "quarantined line", "quarantined lines");
    }
    if (report->tail_count > 0) {
        xylem_cli__add_next_counted(text, report->tail_count, "torn line", "torn lines");
    }
    if (report->side_count > 0) {
        xylem_cli__add_next_counted(text, report->side_count, "line beside entries", "lines beside entries");
    }
    xylem_cli__add(text, "; in ");
    xylem_cli__add_counted(text, report->session_count, "session", "sessions");
    xylem_cli__add(text, "\n");
    if (report->dropped_count > 0) {
        xylem_cli__add(text, "hashes   ");
        xylem_cli__add_count(text, report->dropped_count);
        xylem_cli__add(text, dry_run ? " to drop, and the checks of " : " dropped, and the checks of ");
        xylem_cli__add_counted(text, report->rechecked_count, "entry behind", "entries behind");
        xylem_cli__add(text, dry_run ? " to make anew\n" : " made anew\n");
    }
    if (redacting->finished) {
        xylem_cli__redact_add_file(text, redacting);
    }
    xylem_cli__add(text, "Not reached; the text may still be in:\n");
    for (size_t i = 0; i < report->source_count; i++) {
        xylem_cli__add_path(cli, text, "  the session file ", report->sources[i], SIZE_MAX);
        xylem_cli__add(text, "\n");
    }
    for (size_t i = 0; i < UNREACHABLE_COUNT; i++) {
        xylem_cli__addf(text, "  %s\n", unreachable[i]);
    }
    xylem_cli__addf(text, "  %s\n", last);
}

/* --- From the look to the report ---------------------------------------------------------------------------------- */

int xylem_cli__redact(struct xylem_cli *cli, struct xylem_cli__redacting *redacting,
                      const struct xylem_cli__redact_way *way, void *context)
{
    const struct xylem_cli__redact_options *given = redacting->given;
    struct xylem_cli__text text = {0};
    int finished = 0;
    int code = way->look(cli, context);
    if (code == 0 && redacting->takes && !given->dry_run) {
        if (!given->yes) { /* the store may have changed before the answer */
            xylem_cli__close_store(cli);
            xylem_cli__add(&text, "Redact ");
            way->add_subject(cli, &text, context);
            xylem_cli__add(&text, " in ");
            xylem_cli__add_counted(&text, redacting->report.session_count, "session", "sessions");
            xylem_cli__add(&text, "? The text cannot be brought back.");
            code = xylem_cli__confirm(cli, &text, "nothing was redacted");
            code = code != 0 ? code : way->look(cli, context);
        }
        if (code == 0 && (code = xylem_cli__redact_write(cli, &redacting->report)) == 0) {
            finished = xylem_cli__redact_finish(cli, redacting);
        }
    }
    if (code != 0) {
        return code;
    }
    const struct xylem_error unfinished = cli->err;
    int settled = xylem_cli__holders_settle(cli, redacting);
    cli->err = finished != 0 ? unfinished : cli->err; /* a file that stays is in the report */
    if (given->json) {
        way->add_json(&text, context);
    } else {
        way->add_human(cli, &text, context);
    }
    code = xylem_cli__put_output(cli, &text, given->json);
    return code != 0 ? code : finished != 0 ? finished : settled;
}
