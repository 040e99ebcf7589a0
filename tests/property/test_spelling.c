/*
 * Random lines in the spellings of other writers: members in any order, white space anywhere, escapes nobody needs,
 * equal keys. Each file comes out as it went in, and lines of one spelling take few bytes beside their payloads.
 * XYLEM_SEED=n runs one seed alone, XYLEM_ROUNDS=n so many.
 */
#include "tests/travel/jsonl/sandbox.h"

#include <inttypes.h>
#include <time.h>

#include "tests/lib/chance.h"
#include "tests/lib/test.h"

#define ENTRIES_MAX 40
#define ROUNDS_USUAL 60

static struct {
    uint64_t seed;
    struct chance chance;
    struct xylem_buffer file;
    const char *before; /* white space before `:` and `,` */
    const char *behind;
    bool wild;   /* the white space differs from place to place */
    int escapes; /* one in so many bytes of a text is escaped without need; 0: none */
    bool sorted;
    uint64_t kept; /* lines */
} world;

static int draw(int bound)
{
    return chance_below(&world.chance, bound);
}

static void add(const char *text)
{
    assert_int_equal(xylem_buffer_add(&world.file, text, strlen(text)), XYLEM_OK);
}

static void add_between(const char *token)
{
    static const char *const spaces[] = {"", "", " ", "  ", "\t", "\r"};
    add(world.wild ? spaces[draw(6)] : world.before);
    add(token);
    add(world.wild ? spaces[draw(6)] : world.behind);
}

static void add_string(const char *text)
{
    add("\"");
    for (const char *at = text; *at; at++) {
        char spelt[8];
        snprintf(spelt, sizeof spelt, world.escapes > 0 && draw(world.escapes) == 0 ? "\\u%04X" : "%c", *at);
        add(spelt);
    }
    add("\"");
}

static void add_member(const char *name, bool first)
{
    if (!first) {
        add_between(",");
    }
    add_string(name);
    add_between(":");
}

static void add_words(void)
{
    static const char *const words[] = {"the same words", "again and", "some more", "/a/path", "x"};
    char text[400] = "";
    for (int i = 4 + draw(16); i > 0; i--) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %d ", words[draw(5)], draw(1000));
    }
    add_string(text);
}

static void add_object(int depth)
{
    static const char *const numbers[] = {"0", "-0", "1.0e0", "12345678901234567890", "0.10"};
    add("{");
    for (int i = 0, count = 1 + draw(3); i < count; i++) {
        static const char *const names[] = {"role", "content", "n", "content"}; /* equal keys are allowed */
        add_member(names[draw(4)], i == 0);
        if (depth > 0 && draw(3) == 0) {
            add_object(depth - 1);
        } else if (draw(4) == 0) {
            add(numbers[draw(5)]);
        } else {
            add_words();
        }
    }
    add("}");
}

enum member { ID, PARENT, TIME, TYPE, CUSTOM_TYPE, DATA, MEMBERS };

static void add_line(int number, bool custom)
{
    enum member order[MEMBERS] = {TYPE, ID, PARENT, TIME, DATA, CUSTOM_TYPE};
    char text[64];
    for (int i = 0; i < (world.sorted ? 0 : MEMBERS); i++) {
        int other = draw(MEMBERS);
        enum member kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    add("{");
    bool first = true;
    for (int i = 0; i < MEMBERS; i++) {
        static const char *const names[MEMBERS] = {"id", "parentId", "timestamp", "type", "customType", "data"};
        if (order[i] == CUSTOM_TYPE && !custom) {
            continue;
        }
        add_member(order[i] == DATA && !custom ? "message" : names[order[i]], first);
        first = false;
        if (order[i] == DATA) {
            add_object(2);
            continue;
        }
        snprintf(text, sizeof text, "%08x", order[i] == ID ? number : number - 1 - draw(number < 3 ? number : 3));
        if (order[i] == TIME) {
            snprintf(text, sizeof text, "2025-01-01T00:%02d:00.%03dZ", draw(60), draw(1000));
        } else if (order[i] == TYPE || order[i] == CUSTOM_TYPE) {
            snprintf(text, sizeof text, "%s", order[i] == CUSTOM_TYPE ? "mood" : custom ? "custom" : "message");
        }
        if (order[i] == PARENT && number == 1) {
            add("null");
        } else {
            add_string(text);
        }
    }
    add("}\n");
}

static void make_file(bool customs)
{
    static const char *const spaces[] = {"", " "};
    xylem_base__buffer_clear(&world.file);
    world.wild = draw(4) == 0;
    world.before = spaces[draw(4) == 0];
    world.behind = spaces[draw(2)];
    world.escapes = draw(3) == 0 ? 1 + draw(20) : 0;
    world.sorted = draw(2) == 0;
    add(HEADER);
    for (int i = 1, count = 1 + draw(ENTRIES_MAX); i <= count; i++) {
        add_line(i, customs && draw(3) == 0);
    }
}

static void run_seed(uint64_t seed)
{
    struct sandbox sandbox;
    struct xylem_stat stat;
    struct xylem_buffer out = {0};
    world.seed = seed;
    world.chance = chance_of(seed);
    bool customs = draw(2) == 0;
    make_file(customs);
    sandbox_open(&sandbox);
    sandbox_write(&sandbox, "file", world.file.data, world.file.bytes);
    sandbox_import(&sandbox, "file");
    uint64_t added = sandbox.report.added_count;
    sandbox_export_of(&out, &sandbox, "s", false);
    if (added == 0 || !xylem_base__view_equal(xylem_base__buffer_view(&out), xylem_base__buffer_view(&world.file))) {
        fail_msg("seed %" PRIu64 ": the lines come out otherwise", seed);
    }
    struct xylem_txn *txn = sandbox_begin(&sandbox, XYLEM_READ);
    assert_int_equal(xylem_stat_read(&stat, txn, NULL), XYLEM_OK);
    xylem_abort(txn);
    world.kept += sandbox.report.kept_line_count;
    /* The data of extensions is text in the line alone. */
    if (!customs && !world.wild && stat.payload_bytes + stat.line_bytes > world.file.bytes + 16 * added) {
        fail_msg("seed %" PRIu64 ": %" PRIu64 " bytes of payloads and %" PRIu64 " of lines for %zu bytes", seed,
                 stat.payload_bytes, stat.line_bytes, world.file.bytes);
    }
    sandbox_import(&sandbox, "file");
    assert_int_equal(sandbox.report.outcome, XYLEM_IMPORT_UNCHANGED);
    xylem_buffer_release(&out);
    sandbox_close(&sandbox);
}

TEST(lines_in_any_spelling_come_out_as_they_went_in)
{
    const char *given = getenv("XYLEM_SEED");
    const char *wanted = getenv("XYLEM_ROUNDS");
    uint64_t first = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 1000000;
    uint64_t rounds = given ? 1 : wanted ? strtoull(wanted, NULL, 10) : ROUNDS_USUAL;
    print_message("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
    for (uint64_t i = 0; i < rounds; i++) {
        run_seed(first + i);
    }
    assert_true(given || world.kept > rounds);
    xylem_buffer_release(&world.file);
}
