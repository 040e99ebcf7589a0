/* xylem bundle: writes sessions, with everything that another store needs, as one file. */
#include "cli/bundle_list.h"
#include "cli/store/family.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "xylem/files.h"
#include "xylem/inspect.h"
#include "xylem/segment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART_BYTES 8388608u /* a part takes no further segment at this size: zstd looks back as far */
#define REASON "matched a pattern"

struct bundle_options {
    bool family;
    bool quiet;
    const char *since;
    struct xylem_cli__patterns patterns;
};

static const struct xylem_cli__option bundle_table[] = {
    {"family", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct bundle_options, family),
     "all sessions that are related to SESSION", NULL},
    {"since-bundle", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct bundle_options, since),
     "only the changes since the bundle FILE was made", NULL},
    {"redact-secrets", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct bundle_options, patterns.secrets),
     "entries with a secret travel redacted (xylem help secrets)", NULL},
    {"redact-pattern", 0, "TEXT", XYLEM_CLI__TEXT, offsetof(struct bundle_options, patterns.text),
     "entries that match the regular expression TEXT travel redacted", NULL},
    {"redact-pattern-file", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct bundle_options, patterns.file),
     "the same for the regular expressions in FILE", NULL},
    {"quiet", 'q', NULL, XYLEM_CLI__FLAG, offsetof(struct bundle_options, quiet), "print no report on standard error",
     NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* A session to pack. */
struct packed {
    struct xylem_session session;
    bool asked;                          /* all of it; else up to `needed` */
    uint64_t needed;                     /* the greatest ordinal that a fork needs; 0: none */
    uint64_t fork;                       /* the number of the fork with that need */
    size_t fork_count;                   /* forks that need the session */
    char id[XYLEM_SESSION_ID_BYTES_MAX]; /* of remains: their row has no id */
    struct xylem_cli__bundle_session range;
};

struct bundling {
    struct xylem_cli *cli;
    const struct bundle_options *given;
    struct xylem_patterns *patterns;
    struct xylem_cli__bundle_list list;
    struct xylem_cli__bundle_list since; /* the list of the bundle before; empty without --since-bundle */
    struct packed *packed;               /* by ascending number: a fork is younger than its base */
    size_t packed_count;
    size_t capacity;
    size_t gone_count; /* in front of the list */
    struct xylem_cli__bundle_writer writer;
    struct xylem_buffer part;
    int written; /* the code of standard output */
    uint64_t change_count;
    uint64_t entry_count;
    uint64_t taken_count; /* entries redacted by the patterns */
    uint64_t bytes;
};

/* --- Which sessions ------------------------------------------------------------------------------------------------ */

/* The index of the session with that number. Adds the session if need be. */
static int find_or_add(struct bundling *bundling, size_t *at, uint64_t number)
{
    struct xylem_cli *cli = bundling->cli;
    struct packed packed = {.asked = false};
    size_t low = 0;
    for (size_t high = bundling->packed_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (bundling->packed[middle].session.number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *at = low;
    if (low < bundling->packed_count && bundling->packed[low].session.number == number) {
        return 0;
    }
    int code = xylem_session_read(&packed.session, cli->txn, number, &cli->err);
    if (code == 0 && packed.session.name_space.bytes > 0) {
        return xylem_cli__fail(cli, XYLEM_E_CONFLICT,
                               "session %.*s, which is related by a fork, is in a namespace of its host: no bundle "
                               "holds such a session",
                               (int)packed.session.id.bytes, packed.session.id.data);
    }
    if (code < 0 || (code = xylem_cli__list_add(cli, &bundling->packed, &bundling->packed_count, &bundling->capacity,
                                                &packed, sizeof packed)) < 0) {
        return code;
    }
    struct packed *place = &bundling->packed[low];
    memmove(place + 1, place, (bundling->packed_count - 1 - low) * sizeof *place);
    *place = packed;
    return 0;
}

/*
 * Takes the session, and with --family all related sessions. Deleted sessions stay out of a family, unless a fork needs
 * entries of theirs.
 */
static int ask_for(struct bundling *bundling, const struct xylem_session *session)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_cli__family family = {0};
    struct xylem_session kin;
    size_t at = 0;
    int code = find_or_add(bundling, &at, session->number);
    if (code < 0 || bundling->packed[at].asked) {
        return code; /* with another session of the family */
    }
    bundling->packed[at].asked = true;
    code = bundling->given->family ? xylem_cli__family_read(cli, &family, session) : 0;
    for (size_t i = 0; code == 0 && i < family.count; i++) {
        code = xylem_session_read(&kin, cli->txn, family.kin[i].number, &cli->err);
        if (code == 0 && kin.state == XYLEM_SESSION_LIVE && (code = find_or_add(bundling, &at, kin.number)) == 0) {
            bundling->packed[at].asked = true;
        }
    }
    xylem_cli__family_release(&family);
    return code;
}

static int find_given(struct bundling *bundling, char **specs)
{
    struct xylem_session session;
    int code = 0;
    for (; code == 0 && *specs; specs++) {
        code = xylem_cli__session(bundling->cli, &session, *specs);
        code = code == 0 ? ask_for(bundling, &session) : code;
    }
    return code;
}

/* The sessions of the bundle before. Sessions freed since then stand in front of the list, as gone. */
static int find_since(struct bundling *bundling)
{
    struct xylem_session session;
    int code = 0;
    for (size_t i = 0; code >= 0 && i < bundling->since.count; i++) {
        const struct xylem_cli__bundle_session *had = &bundling->since.sessions[i];
        if (!(had->flags & XYLEM_CLI__BUNDLE_ASKED) || (had->flags & XYLEM_CLI__BUNDLE_GONE)) {
            continue;
        }
        code = xylem_cli__session_exact(bundling->cli, &session, had->id);
        if (code == 0) {
            struct xylem_cli__bundle_session *gone = &bundling->list.sessions[bundling->gone_count++];
            *gone = *had;
            gone->from = had->to;
            gone->chain_before = had->chain;
            gone->flags = XYLEM_CLI__BUNDLE_ASKED | XYLEM_CLI__BUNDLE_GONE;
        } else if (code == 1) {
            code = ask_for(bundling, &session);
        }
    }
    return code < 0 ? code : 0;
}

/*
 * A fork needs the changes of its base up to the shared entry, and the base those of its own base. Also a fork of the
 * bundle before: an entry of its base may be redacted since. Each base is older than its fork, so one pass from the
 * youngest session on finds every base.
 */
static int add_bases(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    for (size_t i = bundling->packed_count; i > 0; i--) {
        struct xylem_session fork = bundling->packed[i - 1].session;
        uint64_t owner = 0;
        uint64_t ordinal = 0;
        size_t count = bundling->packed_count;
        size_t at = 0;
        if (xylem_cli__position_none(fork.base)) {
            continue;
        }
        int code = xylem_entry_ordinal(&owner, &ordinal, cli->txn, fork.base, &cli->err);
        if (code == 0 && owner >= fork.number) {
            code = xylem_cli__fail(cli, XYLEM_E_CORRUPT, "session %.*s has its base in a younger session",
                                   (int)fork.id.bytes, fork.id.data);
        }
        if (code < 0 || (code = find_or_add(bundling, &at, owner)) < 0) {
            return code;
        }
        struct packed *base = &bundling->packed[at];
        base->fork = ordinal >= base->needed ? fork.number : base->fork;
        base->needed = ordinal > base->needed ? ordinal : base->needed;
        base->fork_count++;
        i += bundling->packed_count - count; /* the sessions from `at` on moved up */
    }
    return 0;
}

/* --- Which changes ------------------------------------------------------------------------------------------------- */

static int begin_packing(struct bundling *bundling, struct xylem_packing **packing, const struct packed *packed)
{
    struct xylem_cli *cli = bundling->cli;
    const struct xylem_pack_options options = {.from = packed->range.from,
                                               .to = packed->asked ? 0 : packed->range.to,
                                               .patterns = bundling->patterns,
                                               .patterns_sum = bundling->list.patterns_sum,
                                               .reason = xylem_view_of(REASON)};
    return xylem_packing_new(packing, cli->txn, packed->session.number, &options, &cli->err);
}

/*
 * Only the segments of remains have the id. If the session was freed since the bundle before, its line among the gone
 * sessions is left out: one line says both.
 */
static int set_remains(struct bundling *bundling, struct packed *packed)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_cli__bundle_session *gone = bundling->list.sessions;
    struct xylem_packing *packing = NULL;
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    size_t i = 0;
    int code = begin_packing(bundling, &packing, packed);
    if (code == 0 && (code = xylem_packing_next(&bytes, &segment, packing, &cli->err)) == 1) {
        memcpy(packed->id, segment.session.data, segment.session.bytes);
        packed->range.id = (struct xylem_view){packed->id, segment.session.bytes};
        packed->range.flags = XYLEM_CLI__BUNDLE_REMAINS;
        while (i < bundling->gone_count && !xylem_base__view_equal(gone[i].id, packed->range.id)) {
            i++;
        }
        if (i < bundling->gone_count) {
            memmove(&gone[i], &gone[i + 1], (--bundling->gone_count - i) * sizeof *gone);
            packed->range.flags |= XYLEM_CLI__BUNDLE_GONE;
        }
    } else if (code == 0) {
        code = xylem_cli__fail(cli, XYLEM_E_CORRUPT, "session number %llu was freed, and a fork needs an entry of it",
                               (unsigned long long)packed->session.number);
    }
    xylem_packing_free(packing);
    xylem_buffer_release(&bytes);
    return code < 0 ? code : 0;
}

static int chain_at(struct bundling *bundling, uint64_t *chain, const struct packed *packed, uint64_t ordinal)
{
    const struct xylem_session *session = &packed->session;
    *chain = session->history.chain;
    return ordinal == session->history.count
               ? 0
               : xylem_session_chain(chain, bundling->cli->txn, session->number, ordinal, &bundling->cli->err);
}

/* The changes begin behind the bundle before. An error if the store has other changes than the bundle before. */
static int set_range(struct bundling *bundling, struct packed *packed)
{
    const struct xylem_session *session = &packed->session;
    struct xylem_cli__bundle_session *range = &packed->range;
    const struct xylem_cli__bundle_session *had = xylem_cli__bundle_list_find(&bundling->since, session->id);
    uint64_t count = session->history.count;
    uint64_t to = (packed->asked ? count : packed->needed) + 1;
    if (had && (had->flags & (XYLEM_CLI__BUNDLE_REMAINS | XYLEM_CLI__BUNDLE_GONE))) {
        had = NULL; /* no changes with ordinals */
    } else if (had && !packed->asked && had->count != count) {
        /* A change behind the shared part may redact an entry of the shared part: the shared part comes again. */
        had = NULL;
    }
    *range = (struct xylem_cli__bundle_session){.id = session->id, .from = had ? had->to : 1, .count = count};
    range->to = to > range->from ? to : range->from;
    int code = range->to > count + 1 ? 1 : chain_at(bundling, &range->chain_before, packed, range->from - 1);
    if (code == 1 || (code == 0 && had && range->chain_before != had->chain)) {
        return xylem_cli__fail(bundling->cli, XYLEM_E_CONFLICT,
                               "session %.*s has another history than %s tells: another store made that bundle, or "
                               "this store is a restored backup, or the id was freed and used again; name other "
                               "sessions to bundle these alone",
                               (int)session->id.bytes, session->id.data, bundling->given->since);
    }
    code = code == 0 ? chain_at(bundling, &range->chain, packed, range->to - 1) : code;
    range->flags = !packed->asked             ? 0
                   : range->from == range->to ? XYLEM_CLI__BUNDLE_ASKED
                                              : XYLEM_CLI__BUNDLE_ASKED | XYLEM_CLI__BUNDLE_DOCUMENT;
    return code;
}

static int set_ranges(struct bundling *bundling)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < bundling->packed_count; i++) {
        struct packed *packed = &bundling->packed[i];
        code =
            packed->session.state == XYLEM_SESSION_FREED ? set_remains(bundling, packed) : set_range(bundling, packed);
    }
    return code;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static int write_out(void *context, const void *data, size_t bytes)
{
    struct bundling *bundling = context;
    bundling->written = xylem_cli__put_stored(bundling->cli, data, bytes);
    bundling->bytes += bytes;
    return bundling->written;
}

static int put_list(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    bundling->list.made_ms = cli->now_ms;
    bundling->list.count = bundling->gone_count;
    struct xylem_cli__bundle_session *lines =
        reallocarray(bundling->list.sessions, bundling->gone_count + bundling->packed_count + 1, sizeof *lines);
    if (!lines) {
        return xylem_cli__fail_memory(cli);
    }
    bundling->list.sessions = lines;
    for (size_t i = 0; i < bundling->packed_count; i++) {
        lines[bundling->list.count++] = bundling->packed[i].range;
    }
    int code = xylem_cli__bundle_list_write(&bundling->part, &bundling->list, &cli->err);
    const struct xylem_view plain = xylem_base__buffer_view(&bundling->part);
    code = code == 0 ? xylem_cli__bundle_put(&bundling->writer, XYLEM_CLI__PART_LIST, plain, &cli->err) : code;
    bundling->part.bytes = 0;
    return code;
}

static int put_segments(struct bundling *bundling)
{
    const struct xylem_view plain = xylem_base__buffer_view(&bundling->part);
    int code = plain.bytes == 0
                   ? 0
                   : xylem_cli__bundle_put(&bundling->writer, XYLEM_CLI__PART_SEGMENTS, plain, &bundling->cli->err);
    bundling->part.bytes = 0;
    return code;
}

static int put_all(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_buffer bytes = {0};
    struct xylem_segment segment;
    int code = xylem_cli__bundle_begin(&bundling->writer, write_out, bundling, &cli->err);
    code = code == 0 ? put_list(bundling) : code;
    for (size_t i = 0; code == 0 && i < bundling->packed_count; i++) {
        const struct packed *packed = &bundling->packed[i];
        struct xylem_packing *packing = NULL;
        if (packed->range.from == packed->range.to && !(packed->range.flags & XYLEM_CLI__BUNDLE_REMAINS)) {
            continue;
        }
        code = begin_packing(bundling, &packing, packed);
        while (code == 0 && (code = xylem_packing_next(&bytes, &segment, packing, &cli->err)) == 1) {
            bundling->change_count += segment.to - segment.from;
            bundling->entry_count += segment.entry_count;
            bundling->taken_count += segment.taken_count;
            code = xylem_base__add_sized(&bundling->part, xylem_base__buffer_view(&bytes));
            code = code < 0                             ? xylem_cli__fail_memory(cli)
                   : bundling->part.bytes >= PART_BYTES ? put_segments(bundling)
                                                        : 0;
        }
        xylem_packing_free(packing);
    }
    xylem_buffer_release(&bytes);
    code = code == 0 ? put_segments(bundling) : code;
    code = code == 0 ? xylem_cli__bundle_end(&bundling->writer, &cli->err) : code;
    code = code == XYLEM_E_STOPPED ? bundling->written : code; /* standard output failed: its error counts */
    return code == 0 ? xylem_cli__flush(cli) : code;
}

/* --- The report --------------------------------------------------------------------------------------------------- */

/* `shared: the first 412 changes of S, for its fork F` */
static void note_shared(struct bundling *bundling, const struct packed *packed)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_cli__text text = {0};
    struct xylem_session fork;
    bool named = packed->fork_count == 1 && xylem_session_read(&fork, cli->txn, packed->fork, &cli->err) == 0 &&
                 fork.id.bytes > 0;
    if (packed->range.flags & XYLEM_CLI__BUNDLE_REMAINS) {
        xylem_cli__add(&text, "what is left of the freed session ");
    } else {
        xylem_cli__add(&text, "the first ");
        xylem_cli__add_counted(&text, packed->needed, "change", "changes");
        xylem_cli__add(&text, " of ");
    }
    xylem_cli__add_bytes(&text, packed->range.id.data, packed->range.id.bytes);
    if (named) {
        xylem_cli__add(&text, ", for its fork ");
        xylem_cli__add_bytes(&text, fork.id.data, fork.id.bytes);
    } else {
        xylem_cli__add(&text, ", for ");
        xylem_cli__add_counted(&text, packed->fork_count, "fork of it", "forks of it");
    }
    xylem_cli__note(cli, "shared: %s", text.failed ? "" : text.bytes.data);
    xylem_cli__text_release(&text);
}

static void report(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_cli__text text = {0};
    uint64_t asked = 0;
    for (size_t i = 0; i < bundling->packed_count; i++) {
        const struct packed *packed = &bundling->packed[i];
        asked += packed->asked;
        bool travels = packed->range.from < packed->range.to || (packed->range.flags & XYLEM_CLI__BUNDLE_REMAINS);
        if (!packed->asked && travels) {
            note_shared(bundling, packed);
        }
    }
    for (size_t i = 0; i < bundling->gone_count; i++) {
        struct xylem_view id = bundling->list.sessions[i].id;
        xylem_cli__note(cli, "gone: %.*s was freed here since", (int)id.bytes, id.data);
    }
    xylem_cli__add_counted(&text, asked, "session", "sessions");
    xylem_cli__add_next_counted(&text, bundling->change_count, "change", "changes");
    xylem_cli__add(&text, " with ");
    xylem_cli__add_counted(&text, bundling->entry_count, "entry", "entries");
    if (bundling->patterns) {
        xylem_cli__add(&text, ", ");
        xylem_cli__add_count(&text, bundling->taken_count);
        xylem_cli__add(&text, " redacted by the patterns");
    }
    xylem_cli__add(&text, "; ");
    xylem_cli__add_size(&text, bundling->bytes);
    xylem_cli__note(cli, "%s", text.failed ? "" : text.bytes.data);
    xylem_cli__text_release(&text);
}

/* --- The command -------------------------------------------------------------------------------------------------- */

static int read_since(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    struct xylem_cli__bundle_reader reader = {0};
    int fd = -1;
    if (!bundling->given->since) {
        return 0;
    }
    int code = xylem_cli__bundle_list_open(cli, &bundling->since, &reader, &fd, bundling->given->since);
    xylem_cli__bundle_close(&reader);
    if (fd >= 0) {
        close(fd);
    }
    if (code == 0 && bundling->since.patterns_sum != bundling->list.patterns_sum) {
        code = xylem_cli__usage(cli, "%s was made with other patterns, or with none: the redacted entries would differ",
                                bundling->given->since);
    }
    bundling->list.sessions = code == 0 ? calloc(bundling->since.count + 1, sizeof *bundling->list.sessions) : NULL;
    return code != 0 || bundling->list.sessions ? code : xylem_cli__fail_memory(cli);
}

/* Only durable changes travel: the sync comes behind the begin of the transaction. */
static int begin(struct bundling *bundling)
{
    struct xylem_cli *cli = bundling->cli;
    int code;
    if ((code = xylem_cli__open_writing(cli)) < 0 ||
        (code = xylem_begin(&cli->txn, cli->store, XYLEM_READ, &cli->err)) < 0 ||
        (code = xylem_sync(cli->store, &cli->err)) < 0 ||
        (code = xylem_store_uuid(bundling->list.store, cli->txn, &cli->err)) < 0) {
        return code;
    }
    return bundling->given->since && memcmp(bundling->since.store, bundling->list.store, 16) != 0
               ? xylem_cli__fail(cli, XYLEM_E_CONFLICT, "%s is a bundle of another store", bundling->given->since)
               : 0;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct bundle_options *given = options;
    struct bundling bundling = {.cli = cli, .given = given};
    int code;
    if (!arguments[0] && !given->since) {
        return xylem_cli__usage(cli, "an argument is missing: xylem bundle SESSION > FILE");
    }
    if (cli->out_terminal) {
        return xylem_cli__usage(cli, "a bundle is no text for a terminal: xylem bundle SESSION > FILE, or xylem bundle "
                                     "SESSION | ssh HOST xylem unbundle");
    }
    if ((code = xylem_cli__patterns_given(cli, &bundling.patterns, &bundling.list.patterns_sum, "redact-pattern",
                                          &given->patterns)) == 0 &&
        (code = read_since(&bundling)) == 0 && (code = begin(&bundling)) == 0 &&
        (code = arguments[0] ? find_given(&bundling, arguments) : find_since(&bundling)) == 0 &&
        (code = add_bases(&bundling)) == 0 && (code = set_ranges(&bundling)) == 0 && (code = put_all(&bundling)) == 0 &&
        !given->quiet) {
        report(&bundling);
    }
    xylem_cli__bundle_release(&bundling.writer);
    xylem_cli__bundle_list_release(&bundling.list);
    xylem_cli__bundle_list_release(&bundling.since);
    xylem_buffer_release(&bundling.part);
    xylem_patterns_free(bundling.patterns);
    free(bundling.packed);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_bundle = {
    .name = "bundle",
    .group = XYLEM_CLI__KEEP,
    .summary = "Write sessions as one file for another store",
    .usage =
        "[SESSION...] [--family] [--since-bundle FILE] [--redact-secrets] [--redact-pattern TEXT|--redact-pattern-file "
        "FILE] [--quiet]",
    .details =
        "Writes to standard output, which must not be a terminal: `xylem bundle SESSION > FILE`, or\n"
        "`xylem bundle SESSION | ssh HOST xylem unbundle`. A bundle has the whole session: entries of all branches,\n"
        "labels, navigations, quarantined lines. A fork brings along what it shares with its source.\n"
        "\n"
        "--since-bundle writes what came since FILE, which a store must have taken before; without SESSION, of all\n"
        "sessions of FILE.\n",
    .options = bundle_table,
    .options_bytes = sizeof(struct bundle_options),
    .arguments_max = SIZE_MAX,
    .arguments = {XYLEM_CLI__SESSION},
    .run = run,
};
