/* Reports what a bundle holds, and what became of its sessions. */
#include "cli/unbundle.h"
#include "xylem/store.h"

#define OUTCOME_COUNT (XYLEM_CLI__UNBUNDLE_GONE + 1)

static const char *const words[OUTCOME_COUNT] = {"-", "new", "extended", "equal", "diverged", "refused", "gone"};

enum { OUTCOME, SESSION, CHANGES, ENTRIES, DIRECTORY, COLUMN_COUNT };

static const struct xylem_cli__column columns[COLUMN_COUNT] = {{"OUTCOME", false, 0, NULL, false},
                                                               {"SESSION", false, 0, XYLEM_CLI__CYAN, true},
                                                               {"CHANGES", true, 0, NULL, false},
                                                               {"ENTRIES", true, 0, NULL, false},
                                                               {"DIRECTORY", false, 12, NULL, false}};

struct totals {
    uint64_t outcomes[OUTCOME_COUNT];
    uint64_t changes;
    uint64_t entries;
};

static struct totals sum_up(const struct xylem_cli__unbundling *unbundling)
{
    struct totals totals = {.changes = 0};
    for (size_t i = 0; i < unbundling->list.count; i++) {
        totals.outcomes[unbundling->arrivals[i].outcome]++;
        totals.changes += unbundling->arrivals[i].change_count;
        totals.entries += unbundling->arrivals[i].entry_count;
    }
    return totals;
}

/* --- For programs -------------------------------------------------------------------------------------------------- */

/* A session that the store has keeps its directory. NULL: the directory is not mapped. */
static const char *mapped_of(const struct xylem_cli__arrival *arrival)
{
    return arrival->outcome == XYLEM_CLI__UNBUNDLE_NEW ? arrival->mapped : NULL;
}

static int put_json(const struct xylem_cli__unbundling *unbundling)
{
    struct xylem_cli__text text = {0};
    const struct totals totals = sum_up(unbundling);
    xylem_cli__json_document(&text);
    xylem_cli__member_string(&text, "from_store", xylem_view_of(unbundling->owner));
    xylem_cli__member_time(&text, "made", unbundling->list.made_ms);
    xylem_cli__member_bool(&text, "by_patterns", unbundling->list.patterns_sum != 0);
    xylem_cli__member_bool(&text, "dry_run", unbundling->given->check || unbundling->given->dry_run);
    xylem_cli__member_begin(&text, "sessions", '[');
    for (size_t i = 0; i < unbundling->list.count; i++) {
        const struct xylem_cli__arrival *arrival = &unbundling->arrivals[i];
        const char *word = arrival->outcome == XYLEM_CLI__UNBUNDLE_NONE ? NULL : words[arrival->outcome];
        xylem_cli__json_begin(&text, '{');
        xylem_cli__member_string(&text, "session", arrival->session->id);
        xylem_cli__member_maybe(&text, "outcome", xylem_view_of(word));
        xylem_cli__member_bool(&text, "asked", arrival->session->flags & XYLEM_CLI__BUNDLE_ASKED);
        xylem_cli__member_bool(&text, "freed", arrival->session->flags & XYLEM_CLI__BUNDLE_REMAINS);
        xylem_cli__member_count(&text, "from_change", arrival->session->from);
        xylem_cli__member_count(&text, "change_count", arrival->change_count);
        xylem_cli__member_count(&text, "entry_count", arrival->entry_count);
        xylem_cli__member_count(&text, "redacted_count", arrival->redacted_count);
        xylem_cli__member_count(&text, "redacted_line_count", arrival->line_count);
        xylem_cli__member_count(&text, "differs_at", arrival->differs);
        xylem_cli__member_maybe(&text, "reason", xylem_view_of(arrival->reason));
        xylem_cli__member_maybe(&text, "cwd", xylem_view_of(arrival->cwd));
        xylem_cli__member_maybe(&text, "mapped_cwd", xylem_view_of(mapped_of(arrival)));
        xylem_cli__json_end(&text, '}');
    }
    xylem_cli__json_end(&text, ']');
    xylem_cli__member_count(&text, "part_count", unbundling->part_count);
    xylem_cli__member_count(&text, "plain_bytes", unbundling->plain_bytes);
    xylem_cli__member_count(&text, "change_count", totals.changes);
    xylem_cli__member_count(&text, "entry_count", totals.entries);
    xylem_cli__redact_add_file_json(&text, &unbundling->redacting);
    xylem_cli__json_end(&text, '}');
    return xylem_cli__put_output(unbundling->cli, &text, true);
}

/* --- For people ---------------------------------------------------------------------------------------------------- */

/* The ids of the bundle, and of the store if it is open. */
static int read_short_ids(const struct xylem_cli__unbundling *unbundling, struct xylem_cli__short_ids *short_ids)
{
    struct xylem_cli *cli = unbundling->cli;
    int code = 0;
    if (cli->store && !cli->txn) {
        code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err);
    }
    code = code == 0 && cli->txn ? xylem_cli__short_ids_read(cli, short_ids) : code;
    for (size_t i = 0; code == 0 && i < unbundling->list.count; i++) {
        code = xylem_cli__short_ids_add(cli, short_ids, unbundling->list.sessions[i].id);
    }
    xylem_cli__short_ids_sort(short_ids);
    return code;
}

int xylem_cli__unbundle_table(const struct xylem_cli__unbundling *unbundling)
{
    struct xylem_cli *cli = unbundling->cli;
    bool looks = unbundling->given->check || unbundling->given->dry_run;
    struct xylem_cli__table table = {.columns = columns, .column_count = COLUMN_COUNT};
    const size_t cells[COLUMN_COUNT] = {unbundling->given->check ? 0 : SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                        SIZE_MAX};
    struct xylem_cli__short_ids short_ids = {.count = 0};
    int code = read_short_ids(unbundling, &short_ids);
    for (size_t i = 0; code == 0 && i < unbundling->list.count; i++) {
        const struct xylem_cli__arrival *arrival = &unbundling->arrivals[i];
        bool is_news = arrival->outcome != XYLEM_CLI__UNBUNDLE_NONE && arrival->outcome != XYLEM_CLI__UNBUNDLE_EQUAL;
        if (!unbundling->given->check && !is_news) {
            continue;
        }
        const char *mapped = mapped_of(arrival);
        bool is_base = !(arrival->session->flags & XYLEM_CLI__BUNDLE_ASKED);
        xylem_cli__table_add(&table, xylem_view_of(words[arrival->outcome]));
        xylem_cli__table_add(&table, xylem_cli__short_id(&short_ids, arrival->session->id));
        xylem_cli__table_add_count(&table, arrival->change_count);
        xylem_cli__table_add_count(&table, arrival->entry_count);
        xylem_cli__add(&table.cell, mapped ? mapped : arrival->cwd ? arrival->cwd : is_base ? "" : "-");
        if (mapped) {
            xylem_cli__addf(&table.cell, " (from %s)", arrival->cwd);
        }
        xylem_cli__add(&table.cell, !is_base ? "" : arrival->cwd ? " (shared)" : "(shared)");
        xylem_cli__table_end_cell(&table);
    }
    code = code == 0 ? xylem_cli__table_put_part(cli, &table, cells) : code;
    xylem_cli__table_release(&table);
    xylem_cli__short_ids_release(&short_ids);
    if (cli->txn && !looks) {
        xylem_abort(cli->txn);
        cli->txn = NULL;
    }
    return code;
}

/* `refused: SESSION: reason`, and what was redacted. */
static void add_remarks(const struct xylem_cli__unbundling *unbundling, struct xylem_cli__text *text)
{
    const struct xylem_cli *cli = unbundling->cli;
    for (size_t i = 0; i < unbundling->list.count; i++) {
        const struct xylem_cli__arrival *arrival = &unbundling->arrivals[i];
        if (arrival->reason) {
            xylem_cli__addf(text, "%s: ", words[arrival->outcome]);
            xylem_cli__add_shown(cli, text, arrival->session->id, XYLEM_CLI__EXACT, SIZE_MAX);
            xylem_cli__add(text, ": ");
            xylem_cli__add_shown(cli, text, xylem_view_of(arrival->reason), XYLEM_CLI__EXACT, SIZE_MAX);
            xylem_cli__add(text, "\n");
        }
        if (arrival->redacted_count + arrival->line_count > 0) {
            bool both = arrival->redacted_count > 0 && arrival->line_count > 0;
            xylem_cli__add(text, "redacted: ");
            xylem_cli__add_shown(cli, text, arrival->session->id, XYLEM_CLI__EXACT, SIZE_MAX);
            xylem_cli__add(text, ": ");
            if (arrival->redacted_count > 0) {
                xylem_cli__add_counted(text, arrival->redacted_count, "entry", "entries");
            }
            xylem_cli__add(text, both ? " and " : "");
            if (arrival->line_count > 0) {
                xylem_cli__add_counted(text, arrival->line_count, "line", "lines");
            }
            xylem_cli__addf(text, " lost the %s here, because the owner redacted\n",
                            arrival->line_count > 0 ? "text" : "payload");
        }
    }
}

/* `5 sessions: 4 new, 1 diverged; 97 changes with 55 entries` */
static void add_totals(const struct xylem_cli__unbundling *unbundling, struct xylem_cli__text *text)
{
    const struct totals totals = sum_up(unbundling);
    const char *separator = ": ";
    xylem_cli__add(text, unbundling->given->dry_run ? "would take " : "");
    xylem_cli__add_counted(text, unbundling->list.count, "session", "sessions");
    for (size_t i = 0; i < OUTCOME_COUNT && !unbundling->given->check; i++) {
        if (totals.outcomes[i] > 0) {
            xylem_cli__add(text, separator);
            xylem_cli__add_count(text, totals.outcomes[i]);
            xylem_cli__addf(text, " %s", i == 0 ? "not reached" : words[i]);
            separator = ", ";
        }
    }
    xylem_cli__add(text, "; ");
    xylem_cli__add_counted(text, totals.changes, "change", "changes");
    xylem_cli__add(text, " with ");
    xylem_cli__add_counted(text, totals.entries, "entry", "entries");
    bool took = totals.outcomes[XYLEM_CLI__UNBUNDLE_NEW] + totals.outcomes[XYLEM_CLI__UNBUNDLE_EXTENDED] +
                    totals.outcomes[XYLEM_CLI__UNBUNDLE_EQUAL] >
                0;
    bool belong = unbundling->owns && took && (unbundling->given->dry_run || unbundling->settled);
    uint64_t others = totals.outcomes[XYLEM_CLI__UNBUNDLE_DIVERGED] + totals.outcomes[XYLEM_CLI__UNBUNDLE_REFUSED];
    xylem_cli__add(text, !belong                      ? "\n"
                         : unbundling->given->dry_run ? "; they would belong to this store\n"
                         : others > 0                 ? "; the others belong to this store\n"
                                                      : "; they belong to this store\n");
}

int xylem_cli__unbundle_report(const struct xylem_cli__unbundling *unbundling)
{
    const struct totals totals = sum_up(unbundling);
    struct xylem_cli__text text = {0};
    bool conflict =
        totals.outcomes[XYLEM_CLI__UNBUNDLE_DIVERGED] > 0 || totals.outcomes[XYLEM_CLI__UNBUNDLE_REFUSED] > 0;
    int code = unbundling->given->json ? put_json(unbundling) : 0;
    if (!unbundling->given->json) {
        add_remarks(unbundling, &text);
        add_totals(unbundling, &text);
        if (unbundling->given->check) {
            xylem_cli__addf(&text, "from store %s, made ", unbundling->owner);
            xylem_cli__add_time(&text, unbundling->list.made_ms);
            xylem_cli__add(&text, unbundling->list.patterns_sum != 0 ? ", with patterns; " : "; ");
            xylem_cli__add_counted(&text, unbundling->part_count, "part", "parts");
            xylem_cli__add(&text, ", ");
            xylem_cli__add_size(&text, unbundling->plain_bytes);
            xylem_cli__add(&text, " before compression\n");
        }
        if (unbundling->redacting.finished) {
            xylem_cli__redact_add_file(&text, &unbundling->redacting);
        }
        code = xylem_cli__put_output(unbundling->cli, &text, false);
    }
    return code != 0 ? code : conflict ? XYLEM_CLI__CONFLICT : 0;
}
