/* Prints the sums of `xylem stat`. */
#include "cli/store/listing.h"
#include "cli/sums.h"
#include "xylem/care.h"

enum { COST, INPUT, OUTPUT, CACHED, TO_CACHE, USAGE_ENTRIES, USAGE_KEY, USAGE_COUNT };
enum { BYTES, IMAGES, BYTES_ENTRIES, BYTES_KEY, BYTES_COUNT };
#define KEY_CELLS_MIN 12u

static const char *const keys[] = {[XYLEM_CLI__SUMS_DAY] = "day",
                                   [XYLEM_CLI__SUMS_MODEL] = "model",
                                   [XYLEM_CLI__SUMS_DIRECTORY] = "directory",
                                   [XYLEM_CLI__SUMS_SESSION] = "session",
                                   [XYLEM_CLI__SUMS_BRANCH] = "branch",
                                   [XYLEM_CLI__SUMS_TOOL] = "kind"};

static const char *const titles[] = {[XYLEM_CLI__SUMS_DAY] = "DAY",
                                     [XYLEM_CLI__SUMS_MODEL] = "MODEL",
                                     [XYLEM_CLI__SUMS_DIRECTORY] = "DIRECTORY",
                                     [XYLEM_CLI__SUMS_SESSION] = "SESSION",
                                     [XYLEM_CLI__SUMS_BRANCH] = "LAST ENTRY",
                                     [XYLEM_CLI__SUMS_TOOL] = "KIND"};

/* --- For programs ------------------------------------------------------------------------------------------------- */

static void add_sum_members(struct xylem_cli__text *text, const struct xylem_cli__sum *sum, bool usage)
{
    xylem_cli__member_count(text, "entry_count", sum->entry_count);
    if (usage) {
        xylem_cli__member_number(text, "cost", sum->cost);
        xylem_cli__member_count(text, "input_tokens", sum->input);
        xylem_cli__member_count(text, "output_tokens", sum->output);
        xylem_cli__member_count(text, "cache_read_tokens", sum->cache_read);
        xylem_cli__member_count(text, "cache_write_tokens", sum->cache_write);
    } else {
        xylem_cli__member_count(text, "bytes", sum->bytes);
        xylem_cli__member_count(text, "image_bytes", sum->image_bytes);
    }
}

/* The bytes, or a view without data if there are none. */
static struct xylem_view given(const struct xylem_buffer *word)
{
    return (struct xylem_view){word->bytes > 0 ? word->data : NULL, word->bytes};
}

/* The session of a part, with its name, if the name can be read; the row of a freed session has no id. */
static int read_owner(struct xylem_cli *cli, struct xylem_cli__sums *sums, struct xylem_session *session,
                      struct xylem_cli__text *name, uint64_t number)
{
    struct xylem_outline outline;
    xylem_cli__text_clear(name);
    int code = xylem_session_read(session, cli->txn, number, &cli->err);
    if (code == 0 && session->state != XYLEM_SESSION_FREED &&
        (code = xylem_outline_read(&outline, &name->bytes, cli->txn, session, &cli->err)) < 0) {
        xylem_cli__text_clear(name);
        code = xylem_cli__sums_pardon(cli, sums, code);
    }
    return code;
}

static int add_part(struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_cli__sums *sums,
                    const struct xylem_cli__part *part)
{
    struct xylem_session session = {.number = 0};
    struct xylem_cli__text name = {0};
    struct xylem_view entry = {NULL, 0};
    int code = 0;
    xylem_cli__json_begin(text, '{');
    if (sums->by == XYLEM_CLI__SUMS_SESSION) {
        code = read_owner(cli, sums, &session, &name, part->number);
        xylem_cli__member_session(text, session.id.bytes > 0 ? session.id : entry, session.name_space);
        xylem_cli__member_maybe(text, "name", name.bytes.bytes > 0 ? xylem_cli__text_view(&name) : entry);
        xylem_cli__member_string(text, "state", xylem_view_of(xylem_cli__state_word(session.state)));
    } else if (sums->by == XYLEM_CLI__SUMS_BRANCH) {
        code = xylem_cli__entry_id(cli, &entry, part->newest);
        xylem_cli__member_count(text, "branch", part->number);
        xylem_cli__member_maybe(text, "entry", entry);
    } else {
        xylem_cli__member_maybe(text, keys[sums->by], given(&part->word));
    }
    if (sums->by == XYLEM_CLI__SUMS_TOOL) {
        xylem_cli__member_maybe(text, "tool", given(&part->tool));
    }
    add_sum_members(text, &part->sum, sums->usage);
    xylem_cli__json_end(text, '}');
    xylem_cli__text_release(&name);
    return code;
}

static int put_json(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session,
                    const struct xylem_gc_report *freed)
{
    struct xylem_cli__text text = {0};
    int code = 0;
    xylem_cli__json_document(&text);
    if (session) {
        xylem_cli__member_string(&text, "session", session->id);
    }
    add_sum_members(&text, &sums->total, sums->usage);
    if (freed) {
        xylem_cli__member_begin(&text, "if_deleted", '{');
        xylem_cli__member_count(&text, "entry_count", freed->entry_count);
        xylem_cli__member_count(&text, "bytes", freed->bytes);
        xylem_cli__json_end(&text, '}');
    }
    xylem_cli__member_begin(&text, "parts", '[');
    for (size_t i = 0; code == 0 && i < sums->count; i++) {
        code = add_part(cli, &text, sums, &sums->list[i]);
    }
    xylem_cli__json_end(&text, ']');
    xylem_cli__json_end(&text, '}');
    code = code == 0 ? xylem_cli__put_json(cli, &text) : code;
    xylem_cli__text_release(&text);
    return code;
}

/* --- For people --------------------------------------------------------------------------------------------------- */

/* `1,234,567` in a pipe; on a terminal `1.2M`. */
static void add_tokens(const struct xylem_cli *cli, struct xylem_cli__table *table, uint64_t count)
{
    static const char units[] = "kMBT";
    double rest = (double)count;
    size_t unit = 0;
    if (cli->width == 0 || count < 1000) {
        xylem_cli__table_add_count(table, count);
        return;
    }
    for (rest /= 1000; rest >= 999.95 && unit + 2 < sizeof units; unit++) {
        rest /= 1000;
    }
    xylem_cli__addf(&table->cell, "%.1f%c", rest, units[unit]);
    xylem_cli__table_end_cell(table);
}

static void add_figures(const struct xylem_cli *cli, struct xylem_cli__table *table, const struct xylem_cli__sum *sum,
                        bool usage)
{
    if (usage) {
        /* `$1.23`; of less than a dollar four digits */
        xylem_cli__addf(&table->cell, sum->cost > 0 && sum->cost < 1 ? "$%.4f" : "$%.2f", sum->cost);
        xylem_cli__table_end_cell(table);
        add_tokens(cli, table, sum->input);
        add_tokens(cli, table, sum->output);
        add_tokens(cli, table, sum->cache_read);
        add_tokens(cli, table, sum->cache_write);
    } else {
        xylem_cli__add_size(&table->cell, sum->bytes);
        xylem_cli__table_end_cell(table);
        xylem_cli__add_size(&table->cell, sum->image_bytes);
        xylem_cli__table_end_cell(table);
    }
    xylem_cli__table_add_count(table, sum->entry_count);
}

static int add_key(struct xylem_cli *cli, struct xylem_cli__table *table, struct xylem_cli__sums *sums,
                   const struct xylem_cli__part *part, const struct xylem_cli__short_ids *short_ids, size_t room)
{
    struct xylem_cli__text *cell = &table->cell;
    struct xylem_cli__text name = {0};
    struct xylem_session session;
    struct xylem_view id = {NULL, 0};
    int code = 0;
    if (sums->by == XYLEM_CLI__SUMS_SESSION) { /* `01a1f9f7-22cb  scenario one (deleted)` */
        code = read_owner(cli, sums, &session, &name, part->number);
        if (code == 0 && session.state == XYLEM_SESSION_FREED) {
            xylem_cli__add(cell, "freed, but for shared entries");
        } else if (code == 0) {
            id = cli->width > 0 ? xylem_cli__short_id(short_ids, session.id) : session.id;
            xylem_cli__add_bytes(cell, id.data, id.bytes);
            xylem_cli__add_name_space(cli, cell, session.name_space);
            xylem_cli__add(cell, name.bytes.bytes > 0 ? "  " : "");
            xylem_cli__add_bytes(cell, name.bytes.data, name.bytes.bytes);
            if (session.state != XYLEM_SESSION_LIVE) {
                xylem_cli__addf(cell, " (%s)", xylem_cli__state_word(session.state));
            }
        }
        xylem_cli__part_end(cell, &name);
    } else if (sums->by == XYLEM_CLI__SUMS_BRANCH) {
        code = xylem_cli__entry_id(cli, &id, part->newest);
        xylem_cli__add_bytes(cell, id.data, id.bytes);
    } else if (sums->by == XYLEM_CLI__SUMS_DIRECTORY && part->word.bytes > 0) {
        xylem_cli__add_path(cli, cell, "", given(&part->word), room);
    } else {
        xylem_cli__add_bytes(cell, part->word.bytes > 0 ? part->word.data : "-",
                             part->word.bytes > 0 ? part->word.bytes : 1);
        xylem_cli__add(cell, part->tool.bytes > 0 ? " " : "");
        xylem_cli__add_bytes(cell, part->tool.data, part->tool.bytes);
    }
    xylem_cli__table_end_cell(table);
    return code;
}

/* Leaves out columns of zeros, and on a narrow terminal the tokens of the cache. */
static int put_columns(struct xylem_cli *cli, const struct xylem_cli__sums *sums, struct xylem_cli__table *table)
{
    size_t cells[USAGE_COUNT];
    for (size_t i = 0; i < USAGE_COUNT; i++) {
        cells[i] = SIZE_MAX;
    }
    if (sums->usage) {
        bool narrow = cli->width > 0 && cli->width < 70;
        cells[CACHED] = sums->total.cache_read == 0 || narrow ? 0 : SIZE_MAX;
        cells[TO_CACHE] = sums->total.cache_write == 0 || narrow ? 0 : SIZE_MAX;
    } else {
        cells[IMAGES] = sums->total.image_bytes == 0 ? 0 : SIZE_MAX;
    }
    return xylem_cli__table_put_part(cli, table, cells);
}

static int put_table(struct xylem_cli *cli, struct xylem_cli__sums *sums)
{
    const struct xylem_cli__column key = {titles[sums->by], false, KEY_CELLS_MIN, XYLEM_CLI__CYAN, false};
    const struct xylem_cli__column usage[USAGE_COUNT] = {[COST] = {"COST", true, 0, NULL, false},
                                                         [INPUT] = {"INPUT", true, 0, NULL, false},
                                                         [OUTPUT] = {"OUTPUT", true, 0, NULL, false},
                                                         [CACHED] = {"CACHED", true, 0, NULL, false},
                                                         [TO_CACHE] = {"TO CACHE", true, 0, NULL, false},
                                                         [USAGE_ENTRIES] = {"ENTRIES", true, 0, NULL, false},
                                                         [USAGE_KEY] = key};
    const struct xylem_cli__column bytes[BYTES_COUNT] = {[BYTES] = {"BYTES", true, 0, NULL, false},
                                                         [IMAGES] = {"IMAGES", true, 0, NULL, false},
                                                         [BYTES_ENTRIES] = {"ENTRIES", true, 0, NULL, false},
                                                         [BYTES_KEY] = key};
    struct xylem_cli__table table = {.columns = sums->usage ? usage : bytes,
                                     .column_count = sums->usage ? USAGE_COUNT : BYTES_COUNT};
    struct xylem_cli__short_ids short_ids = {0};
    size_t before = sums->usage ? 40 : 24; /* cells, of the widest usual figures */
    size_t room = cli->width == 0                       ? SIZE_MAX
                  : cli->width > before + KEY_CELLS_MIN ? cli->width - before
                                                        : KEY_CELLS_MIN;
    int code = cli->width > 0 && sums->by == XYLEM_CLI__SUMS_SESSION ? xylem_cli__short_ids_read(cli, &short_ids) : 0;
    for (size_t i = 0; code == 0 && i < sums->count; i++) {
        add_figures(cli, &table, &sums->list[i].sum, sums->usage);
        code = add_key(cli, &table, sums, &sums->list[i], &short_ids, room);
    }
    if (code == 0 && sums->count > 1) {
        add_figures(cli, &table, &sums->total, sums->usage);
        xylem_cli__table_add(&table, xylem_view_of("total"));
    }
    code = code == 0 ? put_columns(cli, sums, &table) : code;
    xylem_cli__short_ids_release(&short_ids);
    xylem_cli__table_release(&table);
    return code;
}

int xylem_cli__sums_put(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session,
                        const struct xylem_gc_report *freed, bool json)
{
    struct xylem_cli__text text = {0};
    if (json) {
        return put_json(cli, sums, session, freed);
    }
    int code = put_table(cli, sums);
    if (code == 0 && sums->count == 0) {
        bool all = sums->since_ms == INT64_MIN && sums->until_ms == INT64_MAX;
        xylem_cli__note(cli, "%s%s", sums->usage ? "no entry says what it cost" : "there are no entries",
                        all ? "" : ", in the time between --since and --until");
    }
    if (code == 0 && freed) {
        xylem_cli__add(&text, "a deletion of the session and ");
        xylem_cli__add_named(cli, &text, "gc", NULL);
        xylem_cli__add(&text, " would free ");
        xylem_cli__add_counted(&text, freed->entry_count, "entry", "entries");
        xylem_cli__add(&text, ", ");
        xylem_cli__add_size(&text, freed->bytes);
        xylem_cli__add(&text, "\n");
        code = xylem_cli__put_output(cli, &text, false);
    }
    return code;
}
