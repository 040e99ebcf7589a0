/* xylem secrets: lists where secrets of known forms are, and never what they are. */
#include "cli/redact.h"

static const struct xylem_cli__column columns[] = {{"KIND", false, 0, XYLEM_CLI__RED, false},
                                                   {"SECRETS", true, 0, NULL, false},
                                                   {"SESSION", false, 0, XYLEM_CLI__YELLOW, true},
                                                   {"PLACE", false, 0, XYLEM_CLI__YELLOW, true}};

struct listing {
    struct xylem_cli *cli;
    struct xylem_cli__documents documents;
    struct xylem_cli__short_ids short_ids;
    struct xylem_cli__short_ids entry_ids; /* of one session, for a terminal; empty: ids are shown whole */
    struct xylem_cli__table table;
    struct xylem_cli__text text;
    uint64_t secret_count;
    uint64_t place_count;
    int code; /* of the output */
};

/* `github-token  2  01a1f9f7-22cb  8d16e680`; or `a line in quarantine, 4`, `the working directory of a session` */
static void add_row(struct listing *listing, const struct xylem_match *match, const char *kind, uint64_t count)
{
    struct xylem_cli__table *table = &listing->table;
    bool is_entry = match->place == XYLEM_MATCH_ENTRY && match->entry_id.data;
    xylem_cli__table_add(table, xylem_view_of(kind));
    xylem_cli__table_add_count(table, count);
    xylem_cli__table_add(table, match->session_id.data ? xylem_cli__short_id(&listing->short_ids, match->session_id)
                                                       : xylem_view_of(""));
    xylem_cli__add(&table->cell, is_entry ? "" : xylem_match_place_text(match->place));
    xylem_cli__add(&table->cell, is_entry || !match->entry_id.data ? "" : ", ");
    struct xylem_view entry = xylem_cli__short_id(&listing->entry_ids, match->entry_id);
    xylem_cli__add_bytes(&table->cell, entry.data, entry.bytes);
    if (match->number != 0) {
        xylem_cli__addf(&table->cell, ", %llu", (unsigned long long)match->number);
    }
    xylem_cli__table_end_cell(table);
}

static int see(void *context, const struct xylem_match *match)
{
    struct listing *listing = context;
    const struct xylem_secret *row;
    listing->place_count++;
    for (size_t i = 0; listing->code == 0 && (row = xylem_secret_row(i)); i++) {
        uint64_t count = match->secret_counts[i];
        listing->secret_count += count;
        if (count > 0 && listing->documents.wanted) {
            xylem_cli__json_document(&listing->text);
            xylem_cli__member_string(&listing->text, "kind", xylem_view_of(row->kind));
            xylem_cli__member_count(&listing->text, "count", count);
            xylem_cli__member_match(&listing->text, match);
            xylem_cli__json_end(&listing->text, '}');
            listing->code = xylem_cli__documents_put(listing->cli, &listing->documents, &listing->text);
        } else if (count > 0) {
            add_row(listing, match, row->kind, count);
        }
    }
    return listing->code;
}

static int find(struct listing *listing, const char *spec)
{
    struct xylem_cli *cli = listing->cli;
    struct xylem_patterns *patterns = NULL;
    struct xylem_redact_report report = {0};
    struct xylem_session session;
    int code;
    if ((code = xylem_cli__open_reading(cli)) != 0 ||
        (spec && (code = xylem_cli__session_kept(cli, &session, spec)) < 0) ||
        (spec && cli->width > 0 &&
         (code = xylem_cli__short_ids_add_entries(cli, &listing->entry_ids, session.number)) != 0) ||
        (code = xylem_cli__short_ids_read(cli, &listing->short_ids)) != 0 ||
        (code = xylem_cli__patterns_given(cli, &patterns, NULL, "", &(struct xylem_cli__patterns){.secrets = true})) <
            0) {
        return code;
    }
    const struct xylem_redact_matches_options options = {
        .redact = {.reason = xylem_view_of("look"), .dry_run = true},
        .sessions = spec ? &session.number : NULL,
        .session_count = spec ? 1 : 0,
        .found = see,
        .context = listing,
    };
    code = xylem_redact_matches(&report, cli->txn, patterns, &options, &cli->err);
    xylem_redact_report_release(&report);
    xylem_patterns_free(patterns);
    return listing->code != 0 ? listing->code : code;
}

static int put(struct listing *listing, const char *spec)
{
    struct xylem_cli__text *text = &listing->text;
    int code = xylem_cli__table_put(listing->cli, &listing->table);
    xylem_cli__add(text, listing->secret_count > 0 ? "\n" : "");
    xylem_cli__add_counted(text, listing->secret_count, "secret of a known form", "secrets of known forms");
    xylem_cli__add(text, " in ");
    xylem_cli__add_counted(text, listing->place_count, "place", "places");
    if (listing->secret_count > 0) {
        xylem_cli__add(text, ": change them at their providers; ");
        xylem_cli__add_named(listing->cli, text, "redact --secrets --reason secret --dry-run", spec);
        xylem_cli__add(text, " shows what would go");
    }
    xylem_cli__add(text, "\n");
    return code == 0 ? xylem_cli__put(listing->cli, text) : code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *form = options;
    struct listing listing = {.cli = cli, .table = {.columns = columns, .column_count = 4}};
    int code = xylem_cli__documents_start(cli, &listing.documents, *form, "secrets");
    code = code == 0 ? find(&listing, arguments[0]) : code;
    if (code == 0) {
        code =
            listing.documents.wanted ? xylem_cli__documents_end(cli, &listing.documents) : put(&listing, arguments[0]);
    }
    xylem_cli__table_release(&listing.table);
    xylem_cli__short_ids_release(&listing.short_ids);
    xylem_cli__short_ids_release(&listing.entry_ids);
    xylem_cli__text_release(&listing.text);
    return code == 0 && listing.secret_count > 0 ? XYLEM_CLI__PROBLEM : code;
}

const struct xylem_cli__command xylem_cli__cmd_secrets = {
    .name = "secrets",
    .group = XYLEM_CLI__CHANGE,
    .summary = "List where keys and passwords of known forms are",
    .usage = "[SESSION] [--json|--jsonl]",
    .details =
        "Searches SESSION, or the whole store with its deleted sessions, for secrets that can be told by their form:\n"
        "keys of providers and forges, private keys, JWTs, passwords in URLs. The list has kind, session and place,\n"
        "and never the secret. Other secrets are not found: no list does not mean no secret.\n"
        "Exits with 0 if nothing is found, with 1 if something is.\n",
    .options = xylem_cli__form_lines,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
