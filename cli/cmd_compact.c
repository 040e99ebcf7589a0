/* xylem compact: makes the store's file smaller. */
#include "cli/cli.h"
#include "xylem/care.h"

struct compact_options {
    bool dry_run;
    bool yes;
    bool overwrite;
    bool json;
};

static const struct xylem_cli__option compact_table[] = {
    {"dry-run", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct compact_options, dry_run),
     "only say what would be given back", NULL},
    {"yes", 'y', NULL, XYLEM_CLI__FLAG, offsetof(struct compact_options, yes), "do not ask", NULL},
    {"overwrite", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct compact_options, overwrite), "then overwrite the old file",
     NULL},
    XYLEM_CLI__JSON_ROW(struct compact_options),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

static void add_document(const struct xylem_cli *cli, struct xylem_cli__text *text,
                         const struct xylem_compact_report *report)
{
    xylem_cli__json_document(text);
    xylem_cli__member_string(text, "store", xylem_view_of(cli->store_path));
    xylem_cli__member_bool(text, "compacted", report->replaced);
    xylem_cli__member_count(text, "bytes_before", report->bytes_before);
    xylem_cli__member_count(text, "bytes_after", report->bytes_after);
    xylem_cli__member_count(text, "overwritten_bytes", report->overwritten_bytes);
    xylem_cli__json_end(text, '}');
}

/* `/home/dev/.local/share/xylem: 4.2 MiB before, 1.1 MiB after, 3.1 MiB given back` */
static void add_report(const struct xylem_cli *cli, struct xylem_cli__text *text,
                       const struct xylem_compact_report *report)
{
    uint64_t least = report->bytes_after < report->bytes_before ? report->bytes_after : report->bytes_before;
    xylem_cli__add_shown(cli, text, xylem_view_of(cli->store_path), XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, ": ");
    xylem_cli__add_size(text, report->bytes_before);
    xylem_cli__add(text, report->replaced ? " before, " : ", ");
    xylem_cli__add_size(text, report->bytes_after);
    xylem_cli__add(text, report->replaced ? " after, " : " when compacted: ");
    xylem_cli__add_size(text, report->bytes_before - least);
    xylem_cli__add(text, report->replaced ? " given back" : " would be given back");
    if (report->overwritten_bytes > 0) {
        xylem_cli__add(text, ", the old file overwritten");
    }
    xylem_cli__add(text, "\n");
}

/* On a terminal: prints the result of a dry run, and asks. 1 if the answer is no. */
static int ask(struct xylem_cli *cli)
{
    const struct xylem_compact_options options = {.dry_run = true, .allow_network_fs = cli->allow_network_fs};
    struct xylem_compact_report report;
    struct xylem_cli__text text = {0};
    int code = xylem_compact(&report, cli->store_path, &options, &cli->err);
    if (code == 0) {
        add_report(cli, &text, &report);
        xylem_cli__add(&text, "Compact the store? Nobody can use the store meanwhile.");
        code = xylem_cli__confirm(cli, &text, "nothing was done");
    }
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct compact_options *given = options;
    struct xylem_compact_options wanted = {.dry_run = given->dry_run,
                                           .overwrite_old = given->overwrite,
                                           .allow_network_fs = cli->allow_network_fs,
                                           .wait_ms = XYLEM_CLI__WAIT_MS};
    struct xylem_compact_report report = {0};
    struct xylem_cli__text text = {0};
    (void)arguments;
    int code = xylem_cli__locate_writing(cli);
    if (code == 0 && !given->yes && !given->dry_run) {
        code = ask(cli);
    }
    if (code == 0 && !given->dry_run) {
        /* The smaller file gets all outlines. A store that cannot be opened is the compaction's to tell. */
        if (xylem_cli__open_writing(cli) == 0) {
            xylem_cli__keep_outlines(cli);
        }
        xylem_cli__close_store(cli);
    }
    if (code != 0 || (code = xylem_compact(&report, cli->store_path, &wanted, &cli->err)) != 0) {
        return code;
    }
    (given->json ? add_document : add_report)(cli, &text, &report);
    return xylem_cli__put_output(cli, &text, given->json);
}

const struct xylem_cli__command xylem_cli__cmd_compact = {
    .name = "compact",
    .group = XYLEM_CLI__KEEP,
    .summary = "Make the store's file smaller: give back unused room",
    .usage = "[--dry-run] [--yes] [--overwrite] [--json]",
    .details =
        "A verified copy without free pages takes the place of the store's file. Nobody may have the store open:\n"
        "the error names each process that has. Asks first on a terminal; elsewhere --yes is needed.\n",
    .options = compact_table,
    .options_bytes = sizeof(struct compact_options),
    .surplus = "-s DIR names the store",
    .run = run,
};
