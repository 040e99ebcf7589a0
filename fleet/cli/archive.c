/* xylem fleet archive and restore: copies of sessions outside of the engine, in a directory or a mounted bucket. */
#include "fleet/archive.h"
#include "fleet/cli/cli.h"
#include "fleet/directory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_counts(struct xylem_cli__text *members, const struct fleet_archive_count *count)
{
    xylem_cli__member_count(members, "sessions", count->sessions);
    xylem_cli__member_count(members, "current", count->current);
    xylem_cli__member_count(members, "segments_copied", count->copied);
    xylem_cli__member_count(members, "segments_rewritten", count->rewritten);
    xylem_cli__member_count(members, "freed", count->freed);
    xylem_cli__member_count(members, "bytes", count->bytes);
    xylem_cli__member_count(members, "failed", count->failed);
}

static int put_counts(struct xylem_cli *cli, const struct fleet_archive_count *count)
{
    struct xylem_cli__text text = {0};
    xylem_cli__add_counted(&text, count->sessions, "session", "sessions");
    xylem_cli__add(&text, ": ");
    xylem_cli__add_counted(&text, count->copied, "segment copied", "segments copied");
    xylem_cli__add(&text, ", ");
    xylem_cli__add_size(&text, count->bytes);
    if (count->rewritten > 0) {
        xylem_cli__add_next_counted(&text, count->rewritten, "redacted segment replaced", "redacted segments replaced");
    }
    if (count->failed > 0) {
        xylem_cli__add_next_counted(&text, count->failed, "session failed", "sessions failed");
    }
    xylem_cli__add(&text, "\n");
    return xylem_cli__put_output(cli, &text, false);
}

static int run_archive(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *given = options;
    struct fleet_cli fleet = {.cli = cli};
    struct fleet_engine *to = NULL;
    struct fleet_cli_told told = {.fleet = &fleet, .json = given->json, .archives = true};
    struct fleet_archive_count count = {0};
    struct xylem_cli__text members = {0};
    int code = fleet_cli_engine(&fleet, cli, true);
    code = code == 0 ? fleet_engine_directory(&to, arguments[0], true, &cli->err) : code;
    if (code == 0) {
        const struct fleet_archive_options how = {
            .from = fleet.engine, .to = to, .tell = fleet_cli_tell, .context = &told};
        code = fleet_archive(&count, &how, &cli->err);
        add_counts(&members, &count);
        int ended = fleet_cli_told_end(&told, &members, "the archive has everything already");
        ended = ended == 0 && !given->json ? put_counts(cli, &count) : ended;
        code = code == 0 ? ended : code;
        code = code == 0 && count.failed > 0 ? XYLEM_CLI__PROBLEM : code;
    }
    xylem_cli__text_release(&members);
    if (to) {
        to->free(to);
    }
    fleet_cli_end(&fleet);
    return code;
}

const struct xylem_cli__command fleet_cli_archive = {
    .name = "fleet archive",
    .summary = "Copy what the fleet has into a directory, or a mounted bucket",
    .usage = "DIR [--json]",
    .details =
        "Copies what the archive lacks, session by session, reads each object back and compares; a run that was\n"
        "interrupted goes on with the next. Redactions reach the archive with the next run. Nobody owns a session in\n"
        "an archive. `xylem fleet restore` brings sessions back, also without the engine.\n",
    .options = xylem_cli__form_json,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_min = 1,
    .arguments_max = 1,
    .arguments = {XYLEM_CLI__DIRECTORY},
    .run = run_archive,
};

/* --- restore ------------------------------------------------------------------------------------------------------ */

static int find(struct fleet_cli *fleet, char (*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1], char **words)
{
    int code = 0;
    for (; code == 0 && *words; words++) {
        code = fleet_cli_find(fleet, *ids++, *words);
    }
    return code;
}

static int run_restore(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct xylem_cli__form *given = options;
    struct fleet_cli fleet = {.cli = cli};
    struct fleet_cli_told told = {.fleet = &fleet, .json = given->json};
    struct xylem_cli__text members = {0};
    size_t count = 0;
    while (arguments[count + 1]) {
        count++;
    }
    char(*ids)[XYLEM_SESSION_ID_BYTES_MAX + 1] = calloc(count + 1, sizeof *ids);
    xylem_cli__signals_defer();
    int code =
        ids ? fleet_engine_directory(&fleet.engine, arguments[0], false, &cli->err) : xylem_cli__fail_memory(cli);
    code = code == 0 ? find(&fleet, ids, arguments + 1) : code;
    code = code == 0 ? xylem_cli__open_or_make(cli) : code;
    code = code == 0 ? fleet_cli_bring(&told, ids, count, count == 0, 0) : code;
    bool done = code == 0 && told.problem_count == 0;
    xylem_cli__member_bool(&members, "complete", done);
    int ended = code == 0 ? fleet_cli_told_end(&told, &members, "the store has all of it already") : 0;
    xylem_cli__text_release(&members);
    free(ids);
    fleet_cli_end(&fleet);
    return code != 0 ? code : ended != 0 ? ended : done ? 0 : XYLEM_CLI__PROBLEM;
}

const struct xylem_cli__command fleet_cli_restore = {
    .name = "fleet restore",
    .summary = "Bring sessions of an archive into this store",
    .usage = "DIR [ID...] [--json]",
    .details = "Without ID, all sessions of the archive. They come as sessions that follow their owner: `xylem fleet\n"
               "resume` takes one over while the engine is there, `xylem fork` or `xylem clone` goes on without it.\n",
    .options = xylem_cli__form_json,
    .options_bytes = sizeof(struct xylem_cli__form),
    .arguments_min = 1,
    .arguments_max = SIZE_MAX,
    .arguments = {XYLEM_CLI__DIRECTORY, XYLEM_CLI__ANY},
    .run = run_restore,
};
