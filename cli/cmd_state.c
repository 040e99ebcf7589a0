/* xylem state */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

struct state_options {
    const char *at;
    int event;
    int reason;
    int previous_readonly;
    bool flag_readonly;
    bool flag_fallback;
    bool every;
    bool explain;
    struct xylem_cli__form form;
};

/* How many skipped entries people are shown: the newest ones. */
#define SKIPPED_SHOWN 5u
#define SKIPPED_EXPLAINED 20u

#define NAME_CELLS 11u
#define SUMMARY_CELLS 60u /* where the width of a line is not known */
#define SUMMARY_CELLS_MIN 12u
#define SEQUENCE_CELLS 60u
#define WIDTH_WITH_TIME 80u

static const char *const event_words[] = {"session_start", "session_tree", NULL};
static const char *const reason_words[] = {"startup", "reload", "new", "resume", "fork", NULL};
static const char *const switch_words[] = {"on", "off", NULL};

static const struct xylem_cli__option state_table[] = {
    {"at", 0, "ENTRY", XYLEM_CLI__TEXT, offsetof(struct state_options, at),
     "with this entry as leaf, or `none` (default: the leaf)", NULL},
    {"event", 0, "EVENT", XYLEM_CLI__CHOICE, offsetof(struct state_options, event),
     "session_start (default) or session_tree", event_words},
    {"reason", 0, "REASON", XYLEM_CLI__CHOICE, offsetof(struct state_options, reason),
     "of a session_start: startup, reload, new, resume (default) or fork", reason_words},
    {"flag-readonly", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, flag_readonly),
     "the host was started with --readonly", NULL},
    {"flag-fallback", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, flag_fallback),
     "the flag only counts where the path has no toggle", NULL},
    {"previous-readonly", 0, "STATE", XYLEM_CLI__CHOICE, offsetof(struct state_options, previous_readonly),
     "of a session_tree: what readonly was before, on or off", switch_words},
    {"every", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, every),
     "for every entry of the session as leaf, oldest first; needs --jsonl or --json", NULL},
    {"explain", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct state_options, explain),
     "also show the entries that decided, and the steps of the sequence", NULL},
    XYLEM_CLI__FORM_ROWS(struct state_options, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The event that the options describe. `previous` must live as long as it. */
static struct xylem_event event_of(const struct state_options *given, bool *previous)
{
    struct xylem_event event = {.type = XYLEM_EVENT_SESSION_START,
                                .reason = XYLEM_REASON_RESUME,
                                .flag_readonly = given->flag_readonly,
                                .flag_is_fallback = given->flag_fallback};

    if (given->event != 0) {
        event.type = (enum xylem_event_type)(given->event - 1);
    }
    if (given->reason != 0) {
        event.reason = (enum xylem_event_reason)(given->reason - 1);
    }
    if (given->previous_readonly != 0) {
        *previous = given->previous_readonly == 1;
        event.previous_readonly = previous;
    }
    return event;
}

static int print_json(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                      const struct xylem_session *session, struct xylem_position at, const struct xylem_event *event)
{
    struct xylem_state state = {0};
    struct xylem_cli__text text = {0};
    int code = xylem_cli__rehydrate(cli, &state, at, event);

    if (code == 0) {
        text.failed = xylem_state_json(&text.bytes, &state, session->id) != 0;
        code = xylem_cli__documents_put(cli, documents, &text);
    }
    xylem_cli__text_release(&text);
    xylem_state_release(&state);
    return code;
}

static int print_every(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                       const struct xylem_session *session, const struct xylem_event *event)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_new(&scan, cli->txn, session->number, &cli->err);

    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        code = print_json(cli, documents, session, entry.position, event);
    }
    xylem_scan_free(scan);
    return code != 0 ? code : xylem_cli__documents_end(cli, documents);
}

static void add_name(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name)
{
    xylem_cli__add_column(cli, text, xylem_view_of(name), NAME_CELLS, XYLEM_CLI__DIM);
}

static void add_id(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view id)
{
    xylem_cli__color_on(cli, text, XYLEM_CLI__YELLOW);
    xylem_cli__add_shown(cli, text, id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_off(cli, text, XYLEM_CLI__YELLOW);
}

/* `custom:readonly {"enabled":true}, depth 7, 2026-11-20 17:18:05`, in a line of its own where the line is cut. */
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
    text->failed = text->failed || before.failed || behind.failed;
    xylem_cli__add(text, cli->width == 0 ? " (" : "\n");
    xylem_cli__add_repeated(text, " ", cli->width == 0 ? 0 : NAME_CELLS);
    xylem_cli__add_bytes(text, before.bytes.data, before.bytes.bytes);
    xylem_cli__add(text, " ");
    int code = xylem_cli__add_summary(cli, text, entry, left < SUMMARY_CELLS_MIN ? SUMMARY_CELLS_MIN : left);
    xylem_cli__add_bytes(text, behind.bytes.data, behind.bytes.bytes);
    xylem_cli__add(text, cli->width == 0 ? ")" : "");
    xylem_cli__text_release(&before);
    xylem_cli__text_release(&behind);
    return code;
}

/* `8d16e680`, and with --explain what it is. */
static int add_entry(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_position position, bool explain)
{
    struct xylem_entry entry;
    int code = xylem_cli__entry_read(cli, &entry, position);

    if (code != 0) {
        return code;
    }
    add_id(cli, text, entry.id);
    return explain ? add_explanation(cli, text, &entry) : 0;
}

static void add_event(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_event *event)
{
    add_name(cli, text, "event");
    xylem_cli__add(text, event_words[event->type]);
    if (event->type == XYLEM_EVENT_SESSION_START) {
        xylem_cli__addf(text, ", %s", reason_words[event->reason]);
    } else if (event->previous_readonly != NULL) {
        xylem_cli__addf(text, ", readonly was %s before", *event->previous_readonly ? "on" : "off");
    }
    if (event->flag_readonly) {
        xylem_cli__addf(text, ", flag --readonly%s", event->flag_is_fallback ? " as a fallback" : "");
    }
    xylem_cli__add(text, "\n");
}

static int add_readonly(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_state *state,
                        bool explain)
{
    const char *color = state->readonly.enabled ? XYLEM_CLI__RED : XYLEM_CLI__GREEN;
    int code = 0;

    add_name(cli, text, "readonly");
    xylem_cli__add_column(cli, text, xylem_view_of(state->readonly.enabled ? "on" : "off"), 5, color);
    switch (state->readonly.from) {
    case XYLEM_FROM_PATH:
        xylem_cli__add(text, "decided by ");
        code = add_entry(cli, text, state->readonly.position, explain);
        break;
    case XYLEM_FROM_FLAG:
        xylem_cli__add(text, "decided by the flag");
        break;
    case XYLEM_FROM_DEFAULT:
        xylem_cli__add(text, "the default: nothing decides");
        break;
    }
    xylem_cli__add(text, "\n");
    add_name(cli, text, "nudge");
    xylem_cli__addf(text, "%s\n",
                    !state->nudge.due           ? "none due"
                    : state->nudge.direction_on ? "due: readonly went on"
                                                : "due: readonly went off");
    return code;
}

static int add_sequence(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_state *state,
                        bool explain)
{
    add_name(cli, text, "sequence");
    if (!state->sequence.present) {
        xylem_cli__add(text, "none\n");
        return 0;
    }
    xylem_cli__add_shown(cli, text, state->sequence.sequence_id, XYLEM_CLI__EXACT,
                         cli->width == 0 ? SEQUENCE_CELLS : cli->width / 4);
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, state->sequence.step_count, "step", "steps");
    xylem_cli__add(text, ", from ");
    int code = add_entry(cli, text, state->sequence.position, explain);
    xylem_cli__add(text, "\n");
    for (size_t i = 0; explain && i < state->sequence.step_count; i++) {
        add_name(cli, text, "");
        xylem_cli__addf(text, "%zu. ", i + 1);
        xylem_cli__add_shown(cli, text, state->sequence.steps[i], XYLEM_CLI__EXACT,
                             cli->width > 40 ? cli->width - 20 : 100);
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
        add_id(cli, text, skipped->entry_id);
        xylem_cli__add(text, " ");
        xylem_cli__add_shown(cli, text, skipped->kind, XYLEM_CLI__EXACT, 40);
        xylem_cli__addf(text, ": %s\n", skipped->reason);
    }
    if (shown < reduction->skipped_count) {
        add_name(cli, text, "");
        xylem_cli__add(text, cli->utf8 ? "\u2026 and " : "... and ");
        xylem_cli__add_count(text, reduction->skipped_count - shown);
        xylem_cli__add(text, " more (--json lists all)\n");
    }
    if (explain) {
        add_name(cli, text, "looked at");
        xylem_cli__add_counted(text, reduction->looked_at, "entry", "entries");
        xylem_cli__add(text, "\n");
    }
}

static int print_human(struct xylem_cli *cli, const struct xylem_session *session, struct xylem_position at,
                       const struct xylem_event *event, bool explain)
{
    struct xylem_state state = {0};
    struct xylem_cli__text text = {0};
    int code = xylem_cli__rehydrate(cli, &state, at, event);

    if (code == 0) {
        add_name(cli, &text, "session");
        xylem_cli__add_shown(cli, &text, session->id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(&text, "\n");
        add_name(cli, &text, "at");
        if (xylem_cli__position_none(at)) {
            xylem_cli__add(&text, "none");
        } else {
            add_id(cli, &text, state.at_entry_id);
            xylem_cli__addf(&text, ", depth %llu", (unsigned long long)at.depth);
        }
        xylem_cli__add(&text, "\n");
        add_event(cli, &text, event);
        code = add_readonly(cli, &text, &state, explain);
    }
    if (code == 0 && (code = add_sequence(cli, &text, &state, explain)) == 0) {
        add_skipped(cli, &text, &state.reduction, explain);
        code = xylem_cli__put(cli, &text);
    }
    xylem_cli__text_release(&text);
    xylem_state_release(&state);
    return code;
}

static int check_options(struct xylem_cli *cli, const struct state_options *given, bool documents_wanted)
{
    if (given->every && !documents_wanted) {
        return xylem_cli__usage(cli, "--every needs --jsonl or --json");
    }
    if (given->every && given->at != NULL) {
        return xylem_cli__usage(cli, "--every and --at exclude each other");
    }
    if (given->explain && documents_wanted) {
        return xylem_cli__usage(cli, "--explain is for people: --json and --jsonl say it all");
    }
    return 0;
}

static int run(struct xylem_cli *cli, char **arguments, size_t argument_count, const void *options)
{
    const struct state_options *given = options;
    struct xylem_session session;
    bool previous = false;
    struct xylem_event event = event_of(given, &previous);
    struct xylem_cli__documents documents;
    int code = xylem_cli__documents_start(cli, &documents, given->form, given->every ? "states" : NULL);

    (void)argument_count;
    if (code == 0) {
        code = check_options(cli, given, documents.wanted);
    }
    if (code != 0 || (code = xylem_cli__open_reading(cli)) != 0 ||
        (code = xylem_cli__session(cli, &session, arguments[0])) != 0) {
        return code;
    }
    if (given->every) {
        return print_every(cli, &documents, &session, &event);
    }
    struct xylem_position at = session.leaf;
    if (given->at != NULL && (code = xylem_cli__entry_or_none(cli, &at, &session, given->at)) != 0) {
        return code;
    }
    return documents.wanted ? print_json(cli, &documents, &session, at, &event)
                            : print_human(cli, &session, at, &event, given->explain);
}

const struct xylem_cli__command xylem_cli__cmd_state = {
    .name = "state",
    .summary = "Show the state that comes back at an entry, and why",
    .usage = "SESSION [--at ENTRY] [--event EVENT] [--reason REASON] [--flag-readonly] [--flag-fallback] "
             "[--previous-readonly on|off] [--every] [--explain|--json|--jsonl]",
    .options = state_table,
    .options_bytes = sizeof(struct state_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
