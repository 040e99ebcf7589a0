/* xylem state: prints the state at an entry, and the reason. */
#include "cli/show/pieces.h"
#include "xylem/branch.h"

#include <string.h>

struct state_options {
    int event;
    int previous_readonly;
    bool flag_readonly;
    bool flag_fallback;
    bool every;
    bool explain;
    bool scan;
    bool tool_results;
    struct xylem_cli__patterns patterns;
    struct xylem_cli__form form;
};

/* The reads of the log for an answer. */
struct log_reads {
    uint64_t record_count;
    uint64_t record_bytes;
    uint64_t gets;
    uint64_t seeks;
    uint64_t steps;
};

/* The options, and the cost of the last answer. */
struct question {
    const struct state_options *given;
    struct xylem_session session;
    struct xylem_event event;
    struct log_reads read;
};

/* Number of skipped entries shown to people: the newest. */
#define SKIPPED_SHOWN 5u
#define SKIPPED_EXPLAINED 20u

#define NAME_CELLS 11u
#define SUMMARY_CELLS 60u /* if the width of a line is not known */
#define SUMMARY_CELLS_MIN 12u
#define FOREIGN_CELLS 60u
#define WIDTH_WITH_TIME 80u

/* The reasons of a session_start in the order of enum xylem_event_reason, then the other events. */
static const char *const event_words[] = {"startup", "reload",       "new",     "resume",
                                          "fork",    "session_tree", "toggled", NULL};
enum { REASON_COUNT = 5 };
static const char *const switch_words[] = {"on", "off", NULL};

static const struct xylem_cli__option state_table[] = {
    {"event", 0, "EVENT", XYLEM_CLI__CHOICE, offsetof(struct state_options, event),
     "what the host does: start a session (startup, reload, new, resume, fork; default: resume), or session_tree or "
     "toggled",
     event_words},
    {"flag-readonly", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, flag_readonly),
     "the host was started with --readonly", NULL},
    {"flag-fallback", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, flag_fallback),
     "the flag counts only if the path has no toggle", NULL},
    {"previous-readonly", 0, "STATE", XYLEM_CLI__CHOICE, offsetof(struct state_options, previous_readonly),
     "readonly before a session_tree or toggled: on or off", switch_words},
    {"every", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, every),
     "print the state at every entry of the session, oldest first; needs --jsonl or --json", NULL},
    {"explain", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, explain),
     "also show the entries that decided and why, every step and item, and the cost of reading", NULL},
    {"scan", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, scan),
     "read every entry of the path: the same answer at a higher cost", NULL},
    {"tool-results", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, tool_results),
     "also take todo lists from results of the tool todo; reads every message", NULL},
    XYLEM_CLI__LEFT_OUT_ROWS(struct state_options),
    XYLEM_CLI__FORM_ROWS(struct state_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The event that the options describe. `previous` must live as long as the event. */
static struct xylem_event event_of(const struct state_options *given, bool *previous)
{
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START,
                                .reason = XYLEM_REASON_RESUME,
                                .flag_readonly = given->flag_readonly,
                                .flag_is_fallback = given->flag_fallback};

    if (given->event > REASON_COUNT) {
        event.type = given->event == REASON_COUNT + 1 ? XYLEM_EVENT_SESSION_TREE : XYLEM_EVENT_TOGGLED;
    } else if (given->event != 0) {
        event.reason = (enum xylem_event_reason)(given->event - 1);
    }
    if (given->previous_readonly != 0) {
        *previous = given->previous_readonly == 1;
        event.previous_readonly = previous;
    }
    return event;
}

static int rehydrate(struct xylem_cli *cli, struct xylem_state *state, struct question *question,
                     struct xylem_position at)
{
    const struct xylem_reduce_options options = {.scan = question->given->scan,
                                                 .tool_results = question->given->tool_results};
    struct xylem_counters before;
    struct xylem_counters after;
    xylem_counters_read(&before, cli->txn);
    int code = xylem_cli__rehydrate(cli, state, at, &question->event, &options);
    xylem_counters_read(&after, cli->txn);
    question->read = (struct log_reads){.record_count = after.record_count - before.record_count,
                                        .record_bytes = after.record_bytes - before.record_bytes};
    for (size_t i = 0; i < XYLEM_TABLE_COUNT; i++) {
        if (strcmp(after.tables[i].name, "log") == 0) {
            question->read.gets = after.tables[i].gets - before.tables[i].gets;
            question->read.seeks = after.tables[i].seeks - before.tables[i].seeks;
            question->read.steps = after.tables[i].steps - before.tables[i].steps;
        }
    }
    return code;
}

/* --- For programs ----------------------------------------------------------------------------------------------- */

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents, struct question *question,
                      struct xylem_position at)
{
    struct xylem_state state = {0};
    struct xylem_cli__text text = {0};
    int code = rehydrate(cli, &state, question, at);
    if (code == 0) {
        text.failed = xylem_state_json(&text.bytes, &state, question->session.id) != 0;
        if (question->given->explain && !text.failed) {
            /* The library does not know its caller's reads: they stand behind the last member of its document. */
            text.bytes.bytes -= 1;
            xylem_cli__member_begin(&text, "read", '{');
            xylem_cli__member_count(&text, "records", question->read.record_count);
            xylem_cli__member_count(&text, "record_bytes", question->read.record_bytes);
            xylem_cli__member_count(&text, "gets", question->read.gets);
            xylem_cli__member_count(&text, "seeks", question->read.seeks);
            xylem_cli__member_count(&text, "steps", question->read.steps);
            xylem_cli__json_end(&text, '}');
            xylem_cli__json_end(&text, '}');
        }
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    xylem_state_release(&state);
    return code;
}

/* --- For people ------------------------------------------------------------------------------------------------- */

static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), NAME_CELLS, XYLEM_CLI__DIM);
}

/* `custom:readonly {"enabled":true}, depth 7, 2026-11-20 17:18:05`, on its own line if the line is cut. */
static int add_explanation(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    struct xylem_cli__text before = {0};
    struct xylem_cli__text behind = {0};
    xylem_cli__add_kind(cli, &before, entry->kind);
    xylem_cli__addf(&behind, ", depth %llu, ", (unsigned long long)entry->position.depth);
    if (cli->width > 0 && cli->width < WIDTH_WITH_TIME) {
        xylem_cli__add_age(cli, &behind, entry->time_ms);
        xylem_cli__add(&behind, " ago");
    } else {
        xylem_cli__add_time(&behind, entry->time_ms);
    }
    size_t taken = NAME_CELLS + xylem_cli__cells(cli, xylem_cli__text_view(&before), SIZE_MAX) + 1 + behind.bytes.bytes;
    size_t left = cli->width == 0 ? SUMMARY_CELLS : cli->width > taken ? cli->width - taken : 0;
    xylem_cli__add(text, cli->width == 0 ? " (" : "\n");
    xylem_cli__add_repeated(text, " ", cli->width == 0 ? 0 : NAME_CELLS);
    xylem_cli__add_bytes(text, before.bytes.data, before.bytes.bytes);
    xylem_cli__add(text, " ");
    int code = xylem_cli__add_summary(cli, text, entry, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
    xylem_cli__add_bytes(text, behind.bytes.data, behind.bytes.bytes);
    xylem_cli__add(text, cli->width == 0 ? ")" : "");
    xylem_cli__part_end(text, &before);
    xylem_cli__part_end(text, &behind);
    return code;
}

static void add_event(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_event *event)
{
    add_name(cli, text, "event");
    size_t word = event->type == XYLEM_EVENT_SESSION_START  ? (size_t)event->reason
                  : event->type == XYLEM_EVENT_SESSION_TREE ? REASON_COUNT
                                                            : REASON_COUNT + 1;
    xylem_cli__add(text, event_words[word]);
    if (event->previous_readonly) {
        xylem_cli__addf(text, ", readonly was %s before", *event->previous_readonly ? "on" : "off");
    }
    if (event->flag_readonly) {
        xylem_cli__addf(text, ", flag --readonly%s", event->flag_is_fallback ? " as a fallback" : "");
    }
    xylem_cli__add(text, "\n");
}

/* Adds the words of a piece; with --explain also the deciding entries and each part. */
static int add_piece(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_state *state,
                     const struct question *question, size_t index)
{
    const bool explain = question->given->explain;
    const struct xylem_words_options options = {.detail = explain ? XYLEM_DETAIL_EXPLAINED : XYLEM_DETAIL_WHOLE,
                                                .event = &question->event};
    const struct xylem_cli__look look = {.shape = XYLEM_CLI__EXACT,
                                         .cells = cli->width == 0 ? FOREIGN_CELLS : cli->width / 4};
    const size_t part_cells = cli->width > 40 ? cli->width - 20 : 100;
    struct xylem_word words[XYLEM_WORDS_MAX];
    struct xylem_part part;
    struct xylem_entry entry;
    bool named = false;
    size_t count = xylem_piece_words(words, state, 1u << index, &options);
    int code = 0;
    add_name(cli, text, xylem_piece_names()[index]);
    for (size_t i = 0; i < count; i++) {
        if (words[i].type == XYLEM_WORD_ENTRY) {
            if ((code = xylem_cli__entry_read(cli, &entry, words[i].position)) < 0) {
                return code;
            }
            words[i].text = entry.id;
            named = true;
        } else if (words[i].type == XYLEM_WORD_BREAK) {
            xylem_cli__add(text, cli->width == 0 ? "; " : "\n");
            xylem_cli__add_repeated(text, " ", cli->width == 0 ? 0 : NAME_CELLS);
        }
        xylem_cli__add_word(cli, text, &words[i], &look);
    }
    code = explain && named ? add_explanation(cli, text, &entry) : 0;
    xylem_cli__add(text, "\n");
    for (size_t i = 0; explain && xylem_piece_part(&part, state, 1u << index, i); i++) {
        add_name(cli, text, "");
        xylem_cli__add_part(cli, text, &part, i, part_cells);
        xylem_cli__add(text, "\n");
    }
    return code;
}

static void add_skipped(const struct xylem_cli *cli, struct xylem_cli__text *text,
                        const struct xylem_reduction *reduction, bool explain)
{
    size_t most = explain ? SKIPPED_EXPLAINED : SKIPPED_SHOWN;
    size_t shown = reduction->skipped_count < most ? reduction->skipped_count : most;
    for (size_t i = 0; i < shown; i++) {
        const struct xylem_skipped *skipped = &reduction->skipped[i];
        add_name(cli, text, i == 0 ? "skipped" : "");
        xylem_cli__add_colored(cli, text, skipped->entry_id, XYLEM_CLI__YELLOW);
        xylem_cli__add(text, " ");
        xylem_cli__add_shown(cli, text, skipped->kind, XYLEM_CLI__EXACT, 40);
        xylem_cli__addf(text, ": %s\n", skipped->reason);
    }
    if (shown < reduction->skipped_count) {
        add_name(cli, text, "");
        xylem_cli__add(text, xylem_cli__utf8(cli) ? "\u2026 and " : "... and ");
        xylem_cli__add_count(text, reduction->skipped_count - shown);
        xylem_cli__add(text, " more (--json lists all)\n");
    }
}

/* Adds the number of entries looked at, and the cost of reading. */
static void add_cost(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_reduction *reduction,
                     const struct log_reads *read)
{
    add_name(cli, text, "looked at");
    xylem_cli__add_counted(text, reduction->looked_at, "entry", "entries");
    xylem_cli__add(text, "\n");
    add_name(cli, text, "decoded");
    xylem_cli__add_counted(text, reduction->decoded_count, "payload", "payloads");
    xylem_cli__add(text, ", ");
    xylem_cli__add_size(text, reduction->decoded_bytes);
    xylem_cli__add(text, "\n");
    add_name(cli, text, "read");
    xylem_cli__add_counted(text, read->record_count, "record", "records");
    xylem_cli__add(text, " of the log, ");
    xylem_cli__add_size(text, read->record_bytes);
    xylem_cli__add(text, "\n");
    add_name(cli, text, "");
    xylem_cli__add_counted(text, read->gets, "get", "gets");
    xylem_cli__add_next_counted(text, read->seeks, "seek", "seeks");
    xylem_cli__add_next_counted(text, read->steps, "step", "steps");
    xylem_cli__add(text, "\n");
}

static int print_human(struct xylem_cli *cli, struct question *question, struct xylem_position at)
{
    bool explain = question->given->explain;
    struct xylem_state state = {0};
    struct xylem_cli__text text = {0};
    int code = rehydrate(cli, &state, question, at);
    if (code == 0) {
        add_name(cli, &text, "session");
        xylem_cli__add_shown(cli, &text, question->session.id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&text, "\n");
        add_name(cli, &text, "at");
        if (xylem_cli__position_none(state.at)) {
            xylem_cli__add(&text, "none: the path is empty\n");
        } else {
            xylem_cli__add_colored(cli, &text, state.at_entry_id, XYLEM_CLI__YELLOW);
            xylem_cli__addf(&text, ", depth %llu\n", (unsigned long long)state.at.depth);
        }
        add_event(cli, &text, &question->event);
    }
    for (size_t i = 0; code == 0 && xylem_piece_names()[i]; i++) {
        code = add_piece(cli, &text, &state, question, i);
    }
    if (code == 0) {
        add_skipped(cli, &text, &state.reduction, explain);
        if (explain) {
            add_cost(cli, &text, &state.reduction, &question->read);
        }
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    xylem_state_release(&state);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct state_options *given = options;
    bool previous = false;
    struct question question = {.given = given, .event = event_of(given, &previous)};
    struct xylem_cli__place place;
    struct xylem_cli__documents documents;
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_cli__documents_start(cli, &documents, given->form, given->every ? "states" : NULL);
    if (code == 0 && given->every && !documents.wanted) {
        code = xylem_cli__usage(cli, "--every needs --jsonl or --json");
    }
    if (code != 0 || (code = xylem_cli__leave_out_given(cli, &given->patterns)) != 0 ||
        (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none)) !=
            0) {
        return code;
    }
    if (given->every && place.is_entry) {
        return xylem_cli__usage(cli, "--every takes a session, not an entry");
    }
    question.session = place.session;
    if (!given->every) {
        return documents.wanted ? print_json(cli, &documents, &question, place.position)
                                : print_human(cli, &question, place.position);
    }
    code = xylem_scan_new(&scan, cli->txn, place.session.number, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = print_json(cli, &documents, &question, entry.position);
    }
    xylem_scan_free(scan);
    return code != 0 ? code : xylem_cli__documents_end(cli, &documents);
}

const struct xylem_cli__command xylem_cli__cmd_state = {
    .name = "state",
    .group = XYLEM_CLI__LOOK,
    .often = true,
    .summary = "Show the state that comes back at an entry, and why",
    .usage = "[PLACE] [--event EVENT] [--flag-readonly] [--flag-fallback] "
             "[--previous-readonly on|off] [--every] [--explain] [--scan] [--tool-results] "
             "[--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file FILE] [--json|--jsonl]",
    .options = state_table,
    .options_bytes = sizeof(struct state_options),
    .arguments_max = 1,
    .surplus = "blame tells of one piece",
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
