/* xylem unbundle: takes the sessions of a bundle into the store. */
#include "cli/unbundle.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "xylem/branch.h"
#include "xylem/inspect.h"
#include "xylem/note.h"
#include "xylem/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct xylem_cli__option unbundle_table[] = {
    {"check", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__unbundle_options, check),
     "only check the bundle, and say what the bundle holds; needs no store", NULL},
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__unbundle_options, dry_run),
     "only check the bundle, and say what would happen", NULL},
    {"own", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct xylem_cli__unbundle_options, own),
     "the sessions belong to this store from now on, and follow no other store", NULL},
    {"map", 0, "OLD=NEW", XYLEM_CLI__LIST, offsetof(struct xylem_cli__unbundle_options, map),
     "new sessions of a directory OLD, or below, get the directory NEW; may be given more than once", NULL},
    XYLEM_CLI__JSON_ROW(struct xylem_cli__unbundle_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* --- Directories -------------------------------------------------------------------------------------------------- */

/* Without slashes at the end; the root has none then. */
static size_t path_bytes(const char *path, size_t bytes)
{
    while (bytes > 0 && path[bytes - 1] == '/') {
        bytes--;
    }
    return bytes;
}

/*
 * Keeps the directory for the report, and maps it by the first map whose OLD is the directory, or a directory above. A
 * directory with a NUL byte is no directory of anybody.
 */
static int take_directory(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *arrival,
                          const struct xylem_segment *segment)
{
    const struct xylem_cli__list *maps = &unbundling->given->map;
    if (!segment->cwd.data || arrival->cwd || memchr(segment->cwd.data, '\0', segment->cwd.bytes)) {
        return 0;
    }
    arrival->cwd = strndup(segment->cwd.data, segment->cwd.bytes);
    if (!arrival->cwd) {
        return xylem_cli__fail_memory(unbundling->cli);
    }
    for (size_t i = 0; i < maps->count; i++) {
        const char *new = strchr(maps->texts[i], '=') + 1;
        size_t old_bytes = path_bytes(maps->texts[i], (size_t)(new - 1 - maps->texts[i]));
        const char *rest = arrival->cwd + old_bytes;
        if (strncmp(arrival->cwd, maps->texts[i], old_bytes) == 0 && (*rest == '\0' || *rest == '/')) {
            int written = asprintf(&arrival->mapped, "%.*s%s", (int)path_bytes(new, strlen(new)), new, rest);
            return written < 0 ? xylem_cli__fail_memory(unbundling->cli) : 0;
        }
    }
    return 0;
}

#define MISSING "what it builds on is missing here: take the bundle before, or one without --since-bundle"
#define DELETED                                                                                                       \
    "the session is deleted in this store: undelete the session to keep it as this store's own, or free it (gc) and " \
    "take a bundle without --since-bundle"

#define STAYS "stays here: this store owns the session"

/* --- What would happen --------------------------------------------------------------------------------------------- */

static int set_outcome(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *arrival,
                       enum xylem_cli__unbundle_outcome outcome, const char *reason)
{
    arrival->outcome = outcome;
    free(arrival->reason);
    arrival->reason = reason ? strdup(reason) : NULL;
    return !reason || arrival->reason ? 0 : xylem_cli__fail_memory(unbundling->cli);
}

/* Compares the chains at the last change that the store and the list both know. */
static int compare(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *arrival,
                   const struct xylem_session *here)
{
    struct xylem_cli *cli = unbundling->cli;
    const struct xylem_cli__bundle_session *there = arrival->session;
    bool has_all = here->history.count >= there->to - 1;
    uint64_t chain = 0;
    if (here->history.count + 1 < there->from) {
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, MISSING);
    }
    int code =
        xylem_session_chain(&chain, cli->txn, here->number, has_all ? there->to - 1 : there->from - 1, &cli->err);
    if (code < 0) {
        return code;
    }
    bool same = chain == (has_all ? there->chain : there->chain_before);
    /* A deletion here is a change behind those of the owner. Of two histories of one length the owner deleted. */
    bool deleted_here = here->state == XYLEM_SESSION_DELETED && here->history.count >= there->from;
    bool taken = same && (has_all || (xylem_base__view_is(here->owner, unbundling->owner) && !deleted_here));
    if (!taken && here->state == XYLEM_SESSION_DELETED) {
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, DELETED);
    }
    if (!taken) {
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_DIVERGED,
                           !same                    ? "the store has another history"
                           : here->owner.bytes == 0 ? "this store owns the session"
                                                    : "the session follows another store");
    }
    return set_outcome(unbundling, arrival, has_all ? XYLEM_CLI__UNBUNDLE_EQUAL : XYLEM_CLI__UNBUNDLE_EXTENDED, NULL);
}

/* Decides by the list and the store (no transaction: an empty store). Remains alone have no id to look for. */
static int look(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *arrival)
{
    struct xylem_cli *cli = unbundling->cli;
    const struct xylem_cli__bundle_session *there = arrival->session;
    struct xylem_session here;
    if ((there->flags & XYLEM_CLI__BUNDLE_REMAINS) && !(there->flags & XYLEM_CLI__BUNDLE_GONE)) {
        return 0;
    }
    int found = cli->txn ? xylem_cli__session_exact(cli, &here, there->id) : 0;
    if (found < 0) {
        return found;
    }
    if (there->flags & XYLEM_CLI__BUNDLE_GONE) {
        bool stays = found && here.state == XYLEM_SESSION_LIVE &&
                     (unbundling->owns || !xylem_base__view_is(here.owner, unbundling->owner));
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_GONE, stays ? STAYS : NULL);
    }
    if (!found) {
        bool begins = there->from == 1 && there->to > 1;
        return set_outcome(unbundling, arrival, begins ? XYLEM_CLI__UNBUNDLE_NEW : XYLEM_CLI__UNBUNDLE_REFUSED,
                           begins ? NULL : MISSING);
    }
    return compare(unbundling, arrival, &here);
}

/*
 * Remains are in the store if a fork with that base is in the store. A fork is refused if its base is refused, and the
 * store has no entry of the base.
 */
static int look_at_base(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *fork,
                        const struct xylem_segment *segment)
{
    struct xylem_cli *cli = unbundling->cli;
    struct xylem_view base = segment->base_session;
    struct xylem_session here;
    struct xylem_position at;
    const struct xylem_cli__bundle_session *session = xylem_cli__bundle_list_find(&unbundling->list, base);
    struct xylem_cli__arrival *arrival = session ? &unbundling->arrivals[session - unbundling->list.sessions] : NULL;
    bool remains = arrival && (session->flags & XYLEM_CLI__BUNDLE_REMAINS);
    if (remains && arrival->outcome != XYLEM_CLI__UNBUNDLE_EQUAL && arrival->outcome != XYLEM_CLI__UNBUNDLE_GONE) {
        bool is_there = fork->outcome == XYLEM_CLI__UNBUNDLE_EQUAL || fork->outcome == XYLEM_CLI__UNBUNDLE_EXTENDED;
        arrival->outcome = is_there ? XYLEM_CLI__UNBUNDLE_EQUAL : XYLEM_CLI__UNBUNDLE_NEW;
    }
    bool refused =
        arrival && fork->outcome == XYLEM_CLI__UNBUNDLE_NEW &&
        (arrival->outcome == XYLEM_CLI__UNBUNDLE_REFUSED || arrival->outcome == XYLEM_CLI__UNBUNDLE_DIVERGED);
    int found = refused && cli->txn ? xylem_cli__session_exact(cli, &here, base) : 0;
    if (found == 1) { /* a refused base may have the entry already */
        found = xylem_find(&at, cli->txn, here.number, segment->base_entry, &cli->err);
        found = found == 0 ? 1 : found == XYLEM_E_NOT_FOUND ? 0 : found;
    }
    return found < 0               ? found
           : refused && found == 0 ? set_outcome(unbundling, fork, XYLEM_CLI__UNBUNDLE_REFUSED, MISSING)
                                   : 0;
}

/* --- Applying ------------------------------------------------------------------------------------------------------ */

struct applying {
    struct xylem_cli__unbundling *unbundling;
    struct xylem_cli__arrival *arrival;
    struct xylem_view segment;
    struct xylem_apply_report report;
};

/* Each set of patterns gives redacted entries hashes of its own, so a store takes bundles of one set alone. */
static int check_patterns(struct xylem_cli__unbundling *unbundling, bool put)
{
    struct xylem_cli *cli = unbundling->cli;
    char name[64];
    char sum[17];
    struct xylem_view known;
    snprintf(name, sizeof name, "bundle:%s", unbundling->owner);
    snprintf(sum, sizeof sum, "%016llx", (unsigned long long)unbundling->list.patterns_sum);
    int code = xylem_note_get(&known, cli->txn, xylem_view_of(name), &cli->err);
    if (code == 0 && !xylem_base__view_is(known, sum)) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "the store has a bundle of the same store that was made with other patterns, or with "
                               "none: the redacted entries differ");
    }
    if (code == XYLEM_E_NOT_FOUND) {
        code = put ? xylem_note_put(cli->txn, xylem_view_of(name), xylem_view_of(sum), &cli->err) : 0;
    }
    return code;
}

static int apply(struct xylem_cli *cli, void *context)
{
    struct applying *applying = context;
    struct xylem_cli__unbundling *unbundling = applying->unbundling;
    const struct xylem_apply_options options = {.owner = xylem_view_of(unbundling->owner),
                                                .cwd = xylem_view_of(applying->arrival->mapped)};
    int code = check_patterns(unbundling, true);
    code = code < 0 ? code : xylem_segment_apply(&applying->report, cli->txn, applying->segment, &options, &cli->err);
    return code == 0 && applying->report.redacted_count + applying->report.line_count > 0 ? xylem_cli__redact_note(cli)
                                                                                          : code;
}

/* Keeps the result of one session, and the command goes on. Gives the code of a failure that ends the command. */
static int take_result(struct applying *applying, int code)
{
    struct xylem_cli__unbundling *unbundling = applying->unbundling;
    struct xylem_cli__arrival *arrival = applying->arrival;
    const struct xylem_apply_report *report = &applying->report;
    switch (code) {
    case 0:
        arrival->change_count += report->change_count;
        arrival->entry_count += report->entry_count;
        arrival->redacted_count += report->redacted_count;
        arrival->line_count += report->line_count;
        if (report->deleted) {
            arrival->deleted = true;
            return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, report->session ? DELETED : MISSING);
        }
        arrival->outcome = report->is_new || arrival->outcome == XYLEM_CLI__UNBUNDLE_NEW ? XYLEM_CLI__UNBUNDLE_NEW
                           : arrival->change_count > 0                                   ? XYLEM_CLI__UNBUNDLE_EXTENDED
                                                                                         : XYLEM_CLI__UNBUNDLE_EQUAL;
        return 0;
    case XYLEM_E_CONFLICT:
        arrival->differs = report->differs;
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_DIVERGED, unbundling->cli->err.text);
    case XYLEM_E_NOT_FOUND:
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, MISSING);
    case XYLEM_E_DELETED:
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, DELETED);
    case XYLEM_E_EXISTS:
    case XYLEM_E_FREED:
    case XYLEM_E_LIMIT:
    case XYLEM_E_MALFORMED:
        return set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, unbundling->cli->err.text);
    default:
        return code;
    }
}

/* Takes the session over (--own), or deletes the session as its owner did, or says so. */
static int settle_one(struct xylem_cli__unbundling *unbundling, struct xylem_cli__arrival *arrival,
                      const struct xylem_session *here)
{
    struct xylem_cli *cli = unbundling->cli;
    bool deleted = here->state == XYLEM_SESSION_DELETED;
    if (arrival->outcome == XYLEM_CLI__UNBUNDLE_DIVERGED || arrival->outcome == XYLEM_CLI__UNBUNDLE_REFUSED) {
        return 0;
    }
    if (unbundling->owns) { /* a base that came only in part still follows: its owner may send the rest */
        bool part =
            !(arrival->session->flags & (XYLEM_CLI__BUNDLE_ASKED | XYLEM_CLI__BUNDLE_GONE)) && !unbundling->comes_home;
        int code = part ? 0 : xylem_session_own(cli->txn, here->number, here->epoch, &cli->err);
        return code == 0 && (arrival->session->flags & XYLEM_CLI__BUNDLE_GONE)
                   ? set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_GONE, STAYS)
                   : code;
    }
    if ((arrival->session->flags & XYLEM_CLI__BUNDLE_GONE) && !deleted) {
        int code = xylem_session_delete(cli->txn, here->number, &cli->err);
        return code < 0 ? code
                        : set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_GONE,
                                      "deleted here, since its owner freed the session; it can be undeleted, and its "
                                      "text stays until gc frees it");
    }
    return deleted && arrival->change_count > 0
               ? set_outcome(unbundling, arrival, arrival->outcome, "its owner deleted the session")
               : 0;
}

/* A session without a segment has nothing new, or is gone. */
static int settle(struct xylem_cli *cli, void *context)
{
    struct xylem_cli__unbundling *unbundling = context;
    int code = 0;
    for (size_t i = 0; code == 0 && i < unbundling->list.count; i++) {
        struct xylem_cli__arrival *arrival = &unbundling->arrivals[i];
        struct xylem_session here;
        bool gone = (arrival->session->flags & XYLEM_CLI__BUNDLE_GONE) && arrival->outcome == XYLEM_CLI__UNBUNDLE_EQUAL;
        code = arrival->outcome == XYLEM_CLI__UNBUNDLE_NONE || gone ? look(unbundling, arrival) : 0;
        int found = code == 0 ? xylem_cli__session_exact(cli, &here, arrival->session->id) : code;
        bool follows = found == 1 && xylem_base__view_is(here.owner, unbundling->owner);
        code = found < 0 ? found : follows ? settle_one(unbundling, arrival, &here) : 0;
        if (code == XYLEM_E_CONFLICT) { /* a lease of this session keeps no other from being settled */
            code = set_outcome(unbundling, arrival, XYLEM_CLI__UNBUNDLE_REFUSED, cli->err.text);
        }
    }
    return code;
}

/* --- Reading the bundle -------------------------------------------------------------------------------------------- */

/* False if the segment is none that the list of the bundle announces next. */
static bool comes_next(struct xylem_cli__arrival *arrival, const struct xylem_segment *segment)
{
    const struct xylem_cli__bundle_session *session = arrival->session;
    uint64_t next = arrival->segment_count > 0 ? arrival->through : session->from;
    bool remains = session->flags & XYLEM_CLI__BUNDLE_REMAINS;
    arrival->segment_count++;
    arrival->through = segment->to;
    return segment->freed == remains && (remains || (segment->from == next && segment->to <= session->to));
}

/* The list says which changes come: a bundle without them is damaged. */
static int check_complete(struct xylem_cli__unbundling *unbundling)
{
    for (size_t i = 0; i < unbundling->list.count; i++) {
        const struct xylem_cli__arrival *arrival = &unbundling->arrivals[i];
        const struct xylem_cli__bundle_session *session = arrival->session;
        bool expected = session->from < session->to || (session->flags & XYLEM_CLI__BUNDLE_REMAINS);
        if (expected && (arrival->segment_count == 0 || arrival->through != session->to)) {
            return xylem_cli__fail(unbundling->cli, XYLEM_E_MALFORMED, "%s lacks changes of the session %.*s",
                                   unbundling->reader.name, (int)session->id.bytes, session->id.data);
        }
    }
    return 0;
}

/* A wrong segment is an error of the bundle: the command ends. */
static int take_segment(struct xylem_cli__unbundling *unbundling, struct xylem_view bytes)
{
    struct xylem_cli *cli = unbundling->cli;
    struct xylem_segment segment;
    int code = xylem_segment_read(&segment, bytes, &cli->err);
    const struct xylem_cli__bundle_session *session =
        code == 0 && !segment.name_space.data ? xylem_cli__bundle_list_find(&unbundling->list, segment.session) : NULL;
    if (!session) {
        code = code < 0 ? code : xylem_cli__fail(cli, XYLEM_E_MALFORMED, "a session that the first part does not name");
        code = xylem_cli__fail_in(cli, code, unbundling->reader.name);
        return xylem_cli__bundle_damaged(cli, code);
    }
    struct xylem_cli__arrival *arrival = &unbundling->arrivals[session - unbundling->list.sessions];
    if (!comes_next(arrival, &segment)) {
        code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: the segments of the session %.*s are not those of the list",
                               unbundling->reader.name, (int)session->id.bytes, session->id.data);
        return xylem_cli__bundle_damaged(cli, code);
    }
    code = take_directory(unbundling, arrival, &segment);
    if (code < 0 || unbundling->given->check || unbundling->given->dry_run) {
        arrival->change_count += segment.to - segment.from;
        arrival->entry_count += segment.entry_count;
        return code < 0 ? code : look_at_base(unbundling, arrival, &segment);
    }
    if (!arrival->deleted &&
        (arrival->outcome == XYLEM_CLI__UNBUNDLE_DIVERGED || arrival->outcome == XYLEM_CLI__UNBUNDLE_REFUSED)) {
        return 0;
    }
    struct applying applying = {.unbundling = unbundling, .arrival = arrival, .segment = bytes};
    return take_result(&applying, xylem_cli__change(cli, apply, &applying));
}

/* Damage of the store is not damage of the bundle. */
static int take_parts(struct xylem_cli__unbundling *unbundling)
{
    struct xylem_cli *cli = unbundling->cli;
    struct xylem_cli__part part;
    int code;
    while ((code = xylem_cli__bundle_next(&part, &unbundling->reader, &cli->err)) == 1) {
        struct xylem_base__cursor cursor = xylem_base__cursor_of(part.plain.data, part.plain.bytes);
        unbundling->plain_bytes += part.plain.bytes;
        unbundling->part_count = part.number;
        while (cursor.left > 0) {
            struct xylem_view segment = xylem_base__read_sized(&cursor);
            if (cursor.failed || part.type != XYLEM_CLI__PART_SEGMENTS) {
                code = xylem_cli__fail(cli, XYLEM_E_MALFORMED, "%s: part %llu is no list of segments",
                                       unbundling->reader.name, (unsigned long long)part.number);
                return xylem_cli__bundle_damaged(cli, code);
            }
            if ((code = take_segment(unbundling, segment)) < 0) {
                return code;
            }
        }
    }
    return xylem_cli__bundle_damaged(cli, code < 0 ? code : check_complete(unbundling));
}

/* A bundle of this store comes home. */
static int look_at_store(struct xylem_cli__unbundling *unbundling)
{
    unsigned char uuid[16];
    int code = xylem_store_uuid(uuid, unbundling->cli->txn, &unbundling->cli->err);
    unbundling->comes_home = code == 0 && memcmp(uuid, unbundling->list.store, sizeof uuid) == 0;
    unbundling->owns = unbundling->given->own || unbundling->comes_home;
    return code < 0 ? code : check_patterns(unbundling, false);
}

/* For --dry-run a missing store is an empty store; otherwise the store is made. */
static int open_store(struct xylem_cli__unbundling *unbundling)
{
    struct xylem_cli *cli = unbundling->cli;
    int code = 0;
    if (unbundling->given->check) {
        return 0;
    }
    if (unbundling->given->dry_run) {
        code = xylem_cli__open_reading(cli);
        return code == XYLEM_E_NOT_FOUND ? 0 : code == 0 ? look_at_store(unbundling) : code;
    }
    if ((code = xylem_cli__open_or_make(cli)) == 0 &&
        (code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err)) == 0) {
        code = look_at_store(unbundling);
        xylem_abort(cli->txn);
        cli->txn = NULL;
    }
    return code;
}

/* Reports the taken sessions, also after an error (`code`). */
static int end(struct xylem_cli__unbundling *unbundling, int code, bool looks)
{
    struct xylem_cli *cli = unbundling->cli;
    const struct xylem_error broken = cli->err;
    bool reached = false;
    for (size_t i = 0; !looks && !reached && i < unbundling->list.count; i++) {
        reached = unbundling->arrivals[i].outcome != XYLEM_CLI__UNBUNDLE_NONE;
    }
    bool reports = code == 0 || reached;
    int finished = 0;
    int told = reports && !unbundling->given->json ? xylem_cli__unbundle_table(unbundling) : 0;
    if (!looks && reports) {
        xylem_cli__keep_outlines(cli);
        finished = xylem_cli__redact_finish_noted(cli, &unbundling->redacting);
    }
    const struct xylem_error unfinished = cli->err;
    told = reports && told == 0 ? xylem_cli__unbundle_report(unbundling) : told;
    if (code < 0) {
        if (finished < 0) {
            xylem_cli__note(cli, "%s", unfinished.text);
        }
        cli->err = broken;
        return looks || !cli->file_damaged
                   ? code
                   : xylem_cli__fail(cli, code, "%s; %s", broken.text,
                                     reached
                                         ? "what stands before was taken: the same command with a whole bundle goes on"
                                         : "nothing was taken");
    }
    cli->err = finished < 0 ? unfinished : cli->err;
    return finished < 0 ? finished : told;
}

static int take_all(struct xylem_cli__unbundling *unbundling)
{
    const struct xylem_cli__unbundle_options *given = unbundling->given;
    bool looks = given->check || given->dry_run;
    int code = open_store(unbundling);
    unbundling->part_count = 1;
    unbundling->plain_bytes = unbundling->list.bytes.bytes;
    for (size_t i = 0; code == 0 && given->dry_run && i < unbundling->list.count; i++) {
        code = look(unbundling, &unbundling->arrivals[i]);
    }
    if (code < 0) {
        return code;
    }
    code = take_parts(unbundling);
    code = code == 0 && !looks ? xylem_cli__change(unbundling->cli, settle, unbundling) : code;
    unbundling->settled = code == 0;
    return end(unbundling, code, looks);
}

static int check_usage(struct xylem_cli *cli, const char *path, const struct xylem_cli__unbundle_options *given)
{
    if (given->check && (given->dry_run || given->own || given->map.count > 0)) {
        return xylem_cli__usage(cli, "--check looks at the bundle alone, and takes no option but --json");
    }
    if ((!path || strcmp(path, "-") == 0) && isatty(STDIN_FILENO) == 1) {
        return xylem_cli__usage(cli, "an argument is missing: xylem unbundle FILE");
    }
    for (size_t i = 0; i < given->map.count; i++) {
        const char *map = given->map.texts[i];
        const char *equals = strchr(map, '=');
        if (!equals || map[0] != '/' || equals[1] != '/') {
            return xylem_cli__usage(cli, "--map: expected two directories from / on, OLD=NEW, found '%s'", map);
        }
    }
    return 0;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    struct xylem_cli__unbundling unbundling = {.cli = cli, .given = options};
    int fd = -1;
    int code;
    if ((code = check_usage(cli, arguments[0], options)) == 0 &&
        (code = xylem_cli__bundle_list_open(cli, &unbundling.list, &unbundling.reader, &fd, arguments[0])) == 0) {
        xylem_base__uuid_show(unbundling.owner, unbundling.list.store);
        unbundling.arrivals = calloc(unbundling.list.count + 1, sizeof *unbundling.arrivals);
        for (size_t i = 0; unbundling.arrivals && i < unbundling.list.count; i++) {
            unbundling.arrivals[i].session = &unbundling.list.sessions[i];
        }
        code = unbundling.arrivals ? take_all(&unbundling) : xylem_cli__fail_memory(cli);
    }
    for (size_t i = 0; unbundling.arrivals && i < unbundling.list.count; i++) {
        free(unbundling.arrivals[i].reason);
        free(unbundling.arrivals[i].cwd);
        free(unbundling.arrivals[i].mapped);
    }
    free(unbundling.arrivals);
    xylem_cli__bundle_close(&unbundling.reader);
    xylem_cli__bundle_list_release(&unbundling.list);
    if (fd >= 0) {
        close(fd);
    }
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_unbundle = {
    .name = "unbundle",
    .group = XYLEM_CLI__KEEP,
    .summary = "Take the sessions of a bundle into the store",
    .usage = "[FILE] [--check] [--dry-run] [--own] [--map OLD=NEW]... [--json]",
    .details =
        "FILE is a file of `xylem bundle`; without FILE, or with -, the bundle comes from standard input. A missing\n"
        "store is made. The sessions follow the store of the bundle: they can be read and forked, and grow by later\n"
        "bundles. A second time changes nothing.\n"
        "\n"
        "Exit code 4: a session diverged or was refused, and the others were taken. Exit code 5: the bundle is\n"
        "damaged or was cut; what stands before the damage was taken.\n",
    .options = unbundle_table,
    .options_bytes = sizeof(struct xylem_cli__unbundle_options),
    .arguments_max = 1,
    .surplus = "one bundle at a time",
    .arguments = {XYLEM_CLI__FILE},
    .run = run,
};
