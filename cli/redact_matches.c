/* xylem redact --pattern: redacts every match in a session, a family or the store. */
#include "cli/store/family.h"
#include "cli/redact.h"

#include <stdlib.h>

#define LISTED_MAX 10000u
#define SPLIT "text split over two strings, or encoded (base64, compressed)"

struct matching {
    struct xylem_cli *cli;
    struct xylem_cli__redacting *redacting;
    const char *spec;   /* of the session; NULL: the whole store */
    uint64_t *sessions; /* NULL: the whole store, or not found yet */
    size_t session_count;
    struct xylem_cli__text list;
    uint64_t listed_count;
    uint64_t unlisted_count; /* matches beyond LISTED_MAX */
};

/* --- Matches ------------------------------------------------------------------------------------------------------ */

void xylem_cli__member_match(struct xylem_cli__text *text, const struct xylem_match *match)
{
    xylem_cli__member_string(text, "place", xylem_view_of(xylem_match_place_word(match->place)));
    xylem_cli__member_bool(text, "taken", match->taken);
    xylem_cli__member_maybe(text, "session", match->session_id);
    xylem_cli__member_count(text, "session_number", match->session);
    xylem_cli__member_maybe(text, "entry", match->entry_id);
    xylem_cli__member_count(text, "branch", match->position.branch);
    xylem_cli__member_count(text, "depth", match->position.depth);
    xylem_cli__member_count(text, "number", match->number);
}

/* `  would be taken: session s, entry aaaa0002`, `  stays: session s, the working directory of a session` */
static void add_match(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_match *match)
{
    xylem_cli__add(text, match->taken ? "  would be taken: " : "  stays: ");
    if (match->session_id.data) {
        xylem_cli__add(text, "session ");
        xylem_cli__add_shown(cli, text, match->session_id, XYLEM_CLI__EXACT, SIZE_MAX);
        xylem_cli__add(text, ", ");
    } else if (match->session != 0) {
        xylem_cli__addf(text, "session number %llu, ", (unsigned long long)match->session);
    }
    bool is_entry = match->place == XYLEM_MATCH_ENTRY && match->entry_id.data;
    xylem_cli__add(text, is_entry ? "entry " : xylem_match_place_text(match->place));
    if (match->entry_id.data) {
        xylem_cli__add(text, is_entry ? "" : ", entry ");
        xylem_cli__add_shown(cli, text, match->entry_id, XYLEM_CLI__EXACT, SIZE_MAX);
    } else if (match->position.depth != 0) {
        xylem_cli__addf(text, ", branch %llu, depth %llu", (unsigned long long)match->position.branch,
                        (unsigned long long)match->position.depth);
    }
    if (match->number != 0) {
        xylem_cli__addf(text, ", number %llu", (unsigned long long)match->number);
    }
    xylem_cli__add(text, "\n");
}

static int see(void *context, const struct xylem_match *match)
{
    struct matching *matching = context;
    struct xylem_cli__text *text = &matching->list;
    if (match->taken && !matching->redacting->given->dry_run) {
        return 0;
    }
    if (matching->listed_count == LISTED_MAX) {
        matching->unlisted_count++;
        return 0;
    }
    matching->listed_count++;
    if (matching->redacting->given->json) {
        xylem_cli__json_begin(text, '{');
        xylem_cli__member_match(text, match);
        xylem_cli__json_end(text, '}');
    } else {
        add_match(matching->cli, text, match);
    }
    return text->failed;
}

/* --- Finding ------------------------------------------------------------------------------------------------------ */

/* Finds the session in any state, and with --family all related sessions. */
static int find_sessions(struct xylem_cli *cli, struct matching *matching)
{
    struct xylem_cli__family family = {0};
    struct xylem_session session;
    if (!matching->spec || matching->sessions) {
        return 0;
    }
    bool whole_family = matching->redacting->given->family;
    int code = xylem_cli__session_kept(cli, &session, matching->spec);
    if (code < 0 || (whole_family && (code = xylem_cli__family_read(cli, &family, &session)) < 0)) {
        goto out;
    }
    matching->session_count = whole_family ? family.count : 1;
    matching->sessions = calloc(matching->session_count, sizeof *matching->sessions);
    if (!matching->sessions) {
        code = xylem_cli__fail_memory(cli);
        goto out;
    }
    matching->sessions[0] = session.number;
    for (size_t i = 0; whole_family && i < family.count; i++) {
        matching->sessions[i] = family.kin[i].number;
    }
out:
    xylem_cli__family_release(&family);
    return code;
}

/* Finds the matches. */
static int look(struct xylem_cli *cli, void *context)
{
    struct matching *matching = context;
    struct xylem_redact_report *report = &matching->redacting->report;
    int code;
    if ((code = xylem_cli__open_reading(cli)) != 0 || (code = find_sessions(cli, matching)) != 0) {
        return code;
    }
    struct xylem_redact_matches_options options = {.redact = matching->redacting->options,
                                                   .sessions = matching->sessions,
                                                   .session_count = matching->session_count,
                                                   .found = see,
                                                   .context = matching};
    options.redact.dry_run = true;
    xylem_cli__text_clear(&matching->list);
    matching->listed_count = 0;
    matching->unlisted_count = 0;
    xylem_redact_report_release(report);
    code = xylem_redact_matches(report, cli->txn, matching->redacting->patterns, &options, &cli->err);
    if (matching->list.failed) {
        return xylem_cli__fail_memory(cli);
    }
    matching->redacting->takes =
        report->redacted_count > 0 || report->quarantined_count > 0 || report->tail_count > 0 || report->side_count > 0;
    xylem_cli__holders_clear(&matching->redacting->holders);
    if (code == 0 && matching->session_count == 0) {
        code = xylem_cli__holders_add_all(cli, &matching->redacting->holders);
    }
    for (size_t i = 0; code == 0 && i < matching->session_count; i++) {
        code = xylem_cli__holders_add(cli, &matching->redacting->holders, matching->sessions[i]);
    }
    return code;
}

/* --- Report ------------------------------------------------------------------------------------------------------- */

static void add_json(struct xylem_cli__text *text, const void *context)
{
    const struct matching *matching = context;
    const struct xylem_cli__redact_options *given = matching->redacting->given;
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "scope",
                             xylem_view_of(matching->session_count == 0 ? "store"
                                           : given->family              ? "family"
                                                                        : "session"));
    xylem_cli__member_bool(text, "dry_run", given->dry_run);
    xylem_cli__redact_add_json(text, matching->redacting, SPLIT);
    xylem_cli__member_count(text, "kept", matching->redacting->report.kept_count);
    xylem_cli__member_list(text, "matches", &matching->list);
    xylem_cli__member_count(text, "unlisted", matching->unlisted_count);
    xylem_cli__json_end(text, '}');
}

static void add_human(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context)
{
    const struct matching *matching = context;
    const struct xylem_redact_report *report = &matching->redacting->report;
    if (!matching->redacting->takes) {
        xylem_cli__add(text, report->kept_count > 0 ? "no match can be redacted\n" : "nothing matches\n");
    } else {
        xylem_cli__addf(text, "%s every match that can be redacted\n",
                        matching->redacting->given->dry_run ? "would redact" : "redacted");
    }
    xylem_cli__add_bytes(text, matching->list.bytes.data, matching->list.bytes.bytes);
    if (matching->unlisted_count > 0) {
        xylem_cli__add(text, "  and ");
        xylem_cli__add_count(text, matching->unlisted_count);
        xylem_cli__add(text, " more\n");
    }
    if (matching->redacting->takes) {
        xylem_cli__redact_add(cli, text, matching->redacting, SPLIT);
    }
    xylem_cli__holders_add_human(cli, text, &matching->redacting->holders);
    if (report->kept_count > 0) {
        xylem_cli__add_counted(text, report->kept_count, "match stays", "matches stay");
        xylem_cli__add(text, ": the store cannot be read without this text\n");
    }
}

/* `2 entries and 1 line` */
static void add_subject(const struct xylem_cli *cli, struct xylem_cli__text *text, const void *context)
{
    const struct matching *matching = context;
    const struct xylem_redact_report *report = &matching->redacting->report;
    uint64_t lines = report->quarantined_count + report->tail_count + report->side_count;
    (void)cli;
    if (report->redacted_count > 0) {
        xylem_cli__add_counted(text, report->redacted_count, "entry", "entries");
    }
    xylem_cli__add(text, report->redacted_count > 0 && lines > 0 ? " and " : "");
    if (lines > 0) {
        xylem_cli__add_counted(text, lines, "line", "lines");
    }
}

static const struct xylem_cli__redact_way matches = {look, add_subject, add_json, add_human};

int xylem_cli__redact_matches(struct xylem_cli *cli, struct xylem_cli__redacting *redacting, const char *session)
{
    struct matching matching = {.cli = cli, .redacting = redacting, .spec = session};
    int code = xylem_cli__redact(cli, redacting, &matches, &matching);
    xylem_cli__text_release(&matching.list);
    free(matching.sessions);
    return code == 0 && redacting->report.kept_count > 0 ? XYLEM_CLI__PROBLEM : code;
}
