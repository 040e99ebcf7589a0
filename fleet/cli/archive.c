/* xylem fleet archive and restore: copies of sessions outside of the engine, in a directory or a mounted bucket. */
#include "fleet/archive.h"
#include "fleet/cli/cli.h"
#include "fleet/directory.h"

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
    const struct {
        uint64_t count;
        const char *one;
        const char *many;
    } more[] = {{count->rewritten, "rewritten segment replaced", "rewritten segments replaced"},
                {count->failed, "session failed", "sessions failed"}};
    struct xylem_cli__text text = {0};
    xylem_cli__add_counted(&text, count->sessions, "session", "sessions");
    xylem_cli__add(&text, ": ");
    xylem_cli__add_counted(&text, count->copied, "segment copied", "segments copied");
    xylem_cli__add(&text, ", ");
    xylem_cli__add_size(&text, count->bytes);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (more[i].count > 0) {
            xylem_cli__add_next_counted(&text, more[i].count, more[i].one, more[i].many);
        }
    }
    xylem_cli__add(&text, "\n");
    return xylem_cli__put_output(cli, &text, false);
}

static int run_archive(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    struct fleet_archive_count count = {0};
    int code = fleet_cli_engine(fleet, true);
    code = code == 0 ? fleet_engine_directory(&fleet->archive, arguments[0], true, &cli->err) : code;
    if (code < 0) {
        return code;
    }
    const struct fleet_archive_options how = {
        .from = fleet->waiting.engine, .to = fleet->archive, .tell = fleet_cli_tell, .context = fleet};
    code = fleet_archive(&count, &how, &cli->err);
    fleet->problem_count += count.failed;
    add_counts(&fleet->members, &count);
    code = fleet_cli_told(fleet, code, "complete", "the archive has everything already", NULL);
    int put = code < 0 || fleet->given->form.json ? 0 : put_counts(cli, &count);
    return put < 0 ? put : code;
}

FLEET_CLI_VERB(
    archive, fleet_cli_json_table, .arguments_min = 1, .arguments_max = 1, .arguments = {XYLEM_CLI__DIRECTORY},
    .usage = "DIR [--json]", .summary = "Copy what the fleet has into a directory, or a mounted bucket",
    .details = "Copies what the archive lacks, session by session, reads each object back and compares; a run that "
               "was interrupted goes on with the next. Redactions reach the archive with the next run. Nobody owns "
               "a session in an archive. `xylem fleet restore` brings sessions back, also without the engine.\n");

/* --- restore ------------------------------------------------------------------------------------------------------ */

static int run_restore(struct fleet_cli *fleet, char **arguments)
{
    struct xylem_cli *cli = fleet->cli;
    xylem_cli__signals_defer();
    int code = fleet_engine_directory(&fleet->waiting.engine, arguments[0], false, &cli->err);
    code = code == 0 ? fleet_cli_find(fleet, arguments + 1) : code;
    code = code == 0 ? xylem_cli__open_or_make(cli) : code;
    if (code < 0) {
        return code;
    }
    code = fleet_cli_bring(fleet, fleet->id_count == 0, 0);
    return fleet_cli_told(fleet, code, "complete", "the store has all of it already", NULL);
}

FLEET_CLI_VERB(restore, fleet_cli_json_table, .arguments_min = 1, .arguments_max = SIZE_MAX,
               .arguments = {XYLEM_CLI__DIRECTORY, XYLEM_CLI__ANY}, .usage = "DIR [ID...] [--json]",
               .summary = "Bring sessions of an archive into this store",
               .details = "Without ID, all sessions of the archive. They come as sessions that follow their owner: "
                          "`xylem fleet resume` takes one over while the engine is there, `xylem fork` or `xylem "
                          "clone` goes on without it.\n");
