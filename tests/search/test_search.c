/* A search finds what was said, where it was said, and nothing else. */
#include "tests/lib/damage.h"
#include "tests/lib/one_store.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "store/format/keys.h"
#include "store/lmdb/tables.h"
#include "xylem/search.h"

#define USER(text) "{\"message\":{\"role\":\"user\",\"content\":" text "}}"
#define SAYS(text) USER("[{\"type\":\"text\",\"text\":\"" text "\"}]")

static struct xylem_search_report report;
static struct xylem_error err;
static char found[4096];

static void describe(void)
{
    found[0] = '\0';
    for (size_t i = 0; i < report.hit_count; i++) {
        const struct xylem_search_hit *hit = &report.hits[i];
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%.*s %s [%.*s|%.*s|%.*s]\n", (int)hit->entry_id.bytes,
                 hit->entry_id.bytes > 0 ? hit->entry_id.data : "", xylem_search_part_word(hit->part),
                 (int)hit->match_offset, hit->text.data, (int)hit->match_bytes, hit->text.data + hit->match_offset,
                 (int)(hit->text.bytes - hit->match_offset - hit->match_bytes),
                 hit->text.data + hit->match_offset + hit->match_bytes);
    }
}

static int search_by(const struct xylem_search_options *options)
{
    xylem_search_report_release(&report);
    int code = xylem_search(&report, builder.txn, options, &err);
    describe();
    return code;
}

static const char *search(const char *pattern, enum xylem_search_syntax syntax)
{
    struct xylem_search_options options = {.pattern = xylem_view_of(pattern), .syntax = syntax};
    store_builder_must(search_by(&options), &err);
    return found;
}

static int finish(void **state)
{
    xylem_search_report_release(&report);
    return tear_down(state);
}

#define SEARCH_TEST(name) TEST_WITH(name, set_up, finish)

SEARCH_TEST(every_part_of_a_message_is_searched)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", USER("\"plain fox\""));
    store_builder_add(&builder, s, "b", "message", SAYS("two\\nlines of \\\"fox\\\" here\\nand more"));
    store_builder_add(&builder, s, "c", "message",
                      "{\"message\":{\"role\":\"assistant\",\"stopReason\":\"fox\",\"content\":["
                      "{\"type\":\"thinking\",\"thinking\":\"the fox\",\"thinkingSignature\":\"fox\"},"
                      "{\"type\":\"toolCall\",\"id\":\"fox\",\"name\":\"bash\",\"arguments\":{\"fox\":\"run\"}}]}}");
    store_builder_add(&builder, s, "d", "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":["
                      "{\"type\":\"toolCall\",\"id\":\"x\",\"name\":\"fox\",\"arguments\":{\"type\":[\"a\"]}}]}}");
    store_builder_add(&builder, s, "e", "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":["
                      "{\"type\":\"toolCall\",\"id\":\"x\",\"name\":\"bash\",\"arguments\":{\"type\":[\"a fox\"]}}]}}");
    store_builder_add(&builder, s, "f", "message",
                      "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"fox\",\"toolCallId\":\"fox\",\"content\":["
                      "{\"type\":\"image\",\"data\":\"fox\",\"mimeType\":\"image/fox\"}]}}");
    store_builder_add(&builder, s, "g", "message",
                      "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"bash\",\"content\":["
                      "{\"type\":\"text\",\"text\":\"fox\"}]}}");
    store_builder_add(&builder, s, "h", "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":[],\"errorMessage\":\"no fox\"}}");
    store_builder_add(&builder, s, "i", "custom:fox", "{\"fox\":1,\"x\":[\"deep fox\"]}");
    store_builder_add(&builder, s, "j", "label", "{\"targetId\":\"fox\",\"label\":\"a fox\"}");
    store_builder_add(&builder, s, "k", "session_info", "{\"name\":\"fox hunt\"}");
    store_builder_add(&builder, s, "l", "compaction", "{\"summary\":\"of foxes\",\"firstKeptEntryId\":\"fox\"}");
    store_builder_add(&builder, s, "m", "message", USER("\"data:image/png;base64,fox\""));
    assert_string_equal(search("fox", XYLEM_SEARCH_SMART), "l summary [of |fox|es]\n"
                                                           "k name [|fox| hunt]\n"
                                                           "j label [a |fox|]\n"
                                                           "i data [deep |fox|]\n"
                                                           "h failure [no |fox|]\n"
                                                           "g result [|fox|]\n"
                                                           "e call [a |fox|]\n"
                                                           "d call [|fox|]\n"
                                                           "c thinking [the |fox|]\n"
                                                           "b text [lines of \"|fox|\" here]\n"
                                                           "a text [plain |fox|]\n");
    assert_int_equal(report.match_count, 11);
    assert_int_equal(report.entry_count, 13);
    assert_int_equal(report.session_count, 1);
    assert_int_equal(report.sessions[0].number, s);
    assert_int_equal(report.sessions[0].match_count, 11);
}

SEARCH_TEST(a_pattern_without_a_capital_ignores_case)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", SAYS("GRÖSSE"));
    store_builder_add(&builder, s, "b", "message", SAYS("größe"));
    store_builder_add(&builder, s, "c", "message", SAYS("Straw"));
    store_builder_add(&builder, s, "d", "message", SAYS("\xC5\xBFtraw"));
    store_builder_add(&builder, s, "e", "message", SAYS("\\u017ftraw"));
    assert_string_equal(search("straw", XYLEM_SEARCH_SMART),
                        "e text [|\xC5\xBFtraw|]\nd text [|\xC5\xBFtraw|]\nc text [|Straw|]\n");
    assert_true(report.ignored_case);
    assert_string_equal(search("Straw", XYLEM_SEARCH_SMART), "c text [|Straw|]\n");
    assert_false(report.ignored_case);
    assert_string_equal(search("straw", XYLEM_SEARCH_EXACT), "");
    assert_string_equal(search("größe", XYLEM_SEARCH_SMART), "b text [|größe|]\n");
    assert_string_equal(search("grö", XYLEM_SEARCH_SMART), "b text [|grö|ße]\na text [|GRÖ|SSE]\n");
    assert_string_equal(search("Ö", XYLEM_SEARCH_SMART), "a text [GR|Ö|SSE]\n");
}

SEARCH_TEST(any_spelling_in_json_is_found)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", SAYS("src\\/main.c"));
    store_builder_add(&builder, s, "b", "message", SAYS("src/m\\u0061in.c"));
    store_builder_add(&builder, s, "c", "message", SAYS("\\u001b[31msrc/main.c"));
    store_builder_add(&builder, s, "d", "message", SAYS("C:\\\\u0041"));
    store_builder_add(&builder, s, "e", "message", SAYS("one\\u000atwo"));
    assert_string_equal(search("src/main.c", XYLEM_SEARCH_EXACT),
                        "c text [\x1b[31m|src/main.c|]\nb text [|src/main.c|]\na text [|src/main.c|]\n");
    assert_string_equal(search("\\u0041", XYLEM_SEARCH_EXACT), "d text [C:|\\u0041|]\n");
    assert_string_equal(search("\x1b[31m", XYLEM_SEARCH_EXACT), "c text [|\x1b[31m|src/main.c]\n");
    assert_string_equal(search("one\ntwo", XYLEM_SEARCH_EXACT), "e text [|one|]\n");
    assert_string_equal(search("/", XYLEM_SEARCH_EXACT), "c text [\x1b[31msrc|/|main.c]\nb text [src|/|main.c]\n"
                                                         "a text [src|/|main.c]\n");
}

SEARCH_TEST(an_expression_is_matched_line_by_line)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", SAYS("first 12\\r\\nsecond 345\\nthird"));
    assert_string_equal(search("^second [0-9]+$", XYLEM_SEARCH_REGEX), "a text [|second 345|]\n");
    assert_string_equal(search("12$", XYLEM_SEARCH_REGEX), "a text [first |12|\r]\n");
    assert_string_equal(search("x*", XYLEM_SEARCH_REGEX), "");
    assert_string_equal(search("t|x*", XYLEM_SEARCH_REGEX), "a text [firs|t| 12\r]\n");
    assert_int_equal(report.hits[0].match_count, 2);
    assert_string_equal(search("12\nsecond", XYLEM_SEARCH_REGEX), "");
    struct xylem_search_options options = {.pattern = xylem_view_of("(a"), .syntax = XYLEM_SEARCH_REGEX};
    assert_int_equal(search_by(&options), XYLEM_E_MALFORMED);
    assert_null(report.hits);
}

SEARCH_TEST(an_expression_that_meets_a_limit_names_entry_and_pattern)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", SAYS("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaX"));
    struct xylem_search_options options = {.pattern = xylem_view_of("(a+)+$"), .syntax = XYLEM_SEARCH_REGEX};
    assert_int_equal(search_by(&options), XYLEM_E_LIMIT);
    assert_non_null(strstr(err.text, "entry a of session s: '(a+)+$': "));
}

SEARCH_TEST(an_entry_of_forks_is_found_once_and_says_where)
{
    uint64_t source = store_builder_session(&builder, "source");
    struct xylem_position a = store_builder_add(&builder, source, "a", "message", SAYS("a fox"));
    uint64_t one = store_builder_fork(&builder, source, a, XYLEM_FORK_AT, "one");
    store_builder_add(&builder, source, "b", "message", SAYS("b fox"));
    uint64_t two = store_builder_clone(&builder, one, "two");
    store_builder_add(&builder, two, "c", "message", SAYS("c fox"));
    search("fox", XYLEM_SEARCH_SMART);
    assert_string_equal(found, "c text [c |fox|]\nb text [b |fox|]\na text [a |fox|]\n");
    assert_int_equal(report.hits[2].session, source);
    assert_int_equal(report.hits[2].session_count, 3);
    assert_int_equal(report.hits[2].sessions[0], source);
    assert_int_equal(report.hits[2].sessions[1], one);
    assert_int_equal(report.hits[2].sessions[2], two);
    assert_int_equal(report.hits[1].session_count, 1);
    assert_int_equal(report.session_count, 2);
    /* The owner is out of scope: the fork that was last appended to has the entry. */
    const uint64_t forks[] = {one, two};
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .sessions = forks, .session_count = 2};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "c text [c |fox|]\na text [a |fox|]\n");
    assert_int_equal(report.hits[1].session, two);
    assert_int_equal(report.hits[1].session_count, 3);
    store_builder_must(xylem_session_delete(builder.txn, source, &err), &err);
    search("fox", XYLEM_SEARCH_SMART);
    assert_string_equal(found, "c text [c |fox|]\na text [a |fox|]\n");
    assert_int_equal(report.hits[1].session_count, 2);
}

SEARCH_TEST(filters_hold_together)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "message", SAYS("fox"));
    store_builder_add(
        &builder, s, "b", "message",
        "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"bash\",\"isError\":true,\"content\":\"fox\"}}");
    store_builder_add(&builder, s, "c", "message",
                      "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"read\",\"content\":\"fox\"}}");
    store_builder_add(&builder, s, "d", "custom:note", "\"fox\"");
    store_builder_add(&builder, s, "e", "message",
                      "{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"fox\"},"
                      "{\"type\":\"toolCall\",\"name\":\"read\",\"arguments\":{\"path\":\"fox.c\"}}]}}");
    const struct xylem_kind note = {XYLEM_CLASS_CUSTOM, xylem_view_of("note")};
    const struct xylem_view roles[] = {xylem_view_of("user"), xylem_view_of("toolResult")};
    const struct xylem_view tools[] = {xylem_view_of("read")};
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .kinds = &note, .kind_count = 1};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "d data [|fox|]\n");
    options = (struct xylem_search_options){.pattern = xylem_view_of("fox"), .roles = roles, .role_count = 2};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "c result [|fox|]\nb result [|fox|]\na text [|fox|]\n");
    assert_true(report.hits[1].failed);
    assert_true(xylem_base__view_is(report.hits[1].tool, "bash"));
    options.tools = tools;
    options.tool_count = 1;
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "c result [|fox|]\n");
    options.role_count = 0;
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "e call [|fox|.c]\nc result [|fox|]\n");
    options = (struct xylem_search_options){.pattern = xylem_view_of("fox"), .errors = true};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "b result [|fox|]\n");
}

SEARCH_TEST(only_the_newest_hits_are_kept_and_all_are_counted)
{
    uint64_t s = store_builder_session(&builder, "s");
    for (int i = 0; i < 500; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%03d", i);
        store_builder_add(&builder, s, id, "message", SAYS("a fox and a fox"));
    }
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .hits_max = 3};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_int_equal(report.match_count, 500);
    assert_string_equal(found, "e499 text [a |fox| and a fox]\ne498 text [a |fox| and a fox]\n"
                               "e497 text [a |fox| and a fox]\n");
    assert_int_equal(report.hits[0].match_count, 2);
    options.hits_max = 0;
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_int_equal(report.hit_count, XYLEM_SEARCH_HITS_DEFAULT);
}

SEARCH_TEST(a_long_line_is_cut_around_the_match)
{
    static char text[40000];
    uint64_t s = store_builder_session(&builder, "s");
    strcpy(text, "{\"message\":{\"role\":\"user\",\"content\":\"");
    for (int i = 0; i < 5000; i++) {
        strcat(text, "ä ");
    }
    strcat(text, "fox");
    for (int i = 0; i < 5000; i++) {
        strcat(text, " ü");
    }
    strcat(text, "\"}}");
    store_builder_add(&builder, s, "a", "message", text);
    search("fox", XYLEM_SEARCH_SMART);
    const struct xylem_search_hit *hit = &report.hits[0];
    assert_true(hit->cut_before && hit->cut_after);
    assert_true(hit->text.bytes <= XYLEM_SEARCH_LINE_BYTES_MAX);
    assert_memory_equal(hit->text.data + hit->match_offset, "fox", 3);
    assert_true(((unsigned char)hit->text.data[0] & 0xC0) != 0x80);
}

struct told {
    unsigned count;
    char text[1024];
};

static int tell(void *context, const struct xylem_problem *problem)
{
    struct told *told = context;
    size_t used = strlen(told->text);
    told->count++;
    snprintf(told->text + used, sizeof told->text - used, "%s %llu:%llu %.*s\n", problem->table,
             (unsigned long long)problem->position.branch, (unsigned long long)problem->position.depth,
             (int)problem->entry_id.bytes, problem->entry_id.data ? problem->entry_id.data : "");
    return told->count == 100;
}

static int end_at_once(void *context, const struct xylem_search_progress *so_far)
{
    *(uint64_t *)context = so_far->entry_total;
    return 1;
}

/* Each entry is a branch of its own, and the expression takes a while for each: all together take many pauses. */
SEARCH_TEST(a_search_of_many_branches_asks_whether_to_go_on)
{
    enum { ENTRIES = 400, TEXT_BYTES = 16000 };
    static char payload[TEXT_BYTES + 100];
    char text[TEXT_BYTES + 1];
    uint64_t total = 0;
    memset(text, 'a', TEXT_BYTES);
    text[TEXT_BYTES] = '\0';
    snprintf(payload, sizeof payload, SAYS("%s"), text);
    uint64_t s = store_builder_session(&builder, "s");
    for (int i = 0; i < ENTRIES; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%d", i);
        store_builder_add_at(&builder, s, (struct xylem_position){0, 0}, id, "message", payload);
    }
    struct xylem_search_options options = {.pattern = xylem_view_of("[a-p ]{1,20}\\d"),
                                           .syntax = XYLEM_SEARCH_REGEX,
                                           .progress = end_at_once,
                                           .context = &total};
    assert_int_equal(search_by(&options), XYLEM_E_STOPPED);
    assert_string_equal(err.text, "the search was stopped");
    assert_int_equal(total, ENTRIES);
    assert_int_equal(report.hit_count, 0);
}

SEARCH_TEST(a_damaged_entry_is_named_and_the_search_goes_on)
{
    struct xylem_position positions[6];
    struct told told = {0};
    uint64_t s = store_builder_session(&builder, "s");
    for (int i = 0; i < 6; i++) {
        const char id[] = {(char)('a' + i), '\0'};
        positions[i] = store_builder_add(&builder, s, id, "message", SAYS("fox"));
    }
    store_builder_damage(&builder, positions[1]);
    store_builder_drop(&builder, positions[3]);
    struct xylem_format__record record = store_builder_record(&builder, positions[4]);
    char payload[] = SAYS("fix");
    record.payload = xylem_view_of(payload);
    store_builder_rewrite(&builder, positions[4], &record);
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .damaged = tell, .context = &told};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "f text [|fox|]\nc text [|fox|]\na text [|fox|]\n");
    assert_string_equal(told.text, "log 1:2 \nlog 1:4 \nlog 1:5 e\n");
    assert_int_equal(report.problem_count, 3);
    store_builder_drop(&builder, positions[5]);
    told = (struct told){0};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(told.text, "log 0:0 \nlog 1:2 \nlog 1:4 \nlog 1:5 e\n");
    told.count = 99;
    assert_int_equal(search_by(&options), XYLEM_E_STOPPED);
}

/* Gives an entry another payload under the old hash. */
static void swap_payload(struct xylem_position position, const char *payload)
{
    struct xylem_format__record record = store_builder_record(&builder, position);
    record.payload = xylem_view_of(payload);
    store_builder_rewrite(&builder, position, &record);
}

/* Takes the last byte of a record. */
static void shorten(struct xylem_position position)
{
    struct xylem_format__key key;
    struct xylem_view record;
    char bytes[512];
    xylem_format__key_pair(&key, position.branch, position.depth);
    assert_int_equal(xylem_lmdb__get(&record, builder.txn, XYLEM_FORMAT__LOG, key.view, &err), 1);
    assert_in_range(record.bytes, 1, sizeof bytes);
    memcpy(bytes, record.data, record.bytes);
    record = (struct xylem_view){bytes, record.bytes - 1};
    store_builder_must(xylem_lmdb__put(builder.txn, XYLEM_FORMAT__LOG, key.view, record, true, &err), &err);
}

SEARCH_TEST(a_fast_search_tells_damage_only_where_an_entry_may_match)
{
    struct xylem_position positions[7];
    struct told told = {0};
    uint64_t s = store_builder_session(&builder, "s");
    for (int i = 0; i < 7; i++) {
        const char id[] = {(char)('a' + i), '\0'};
        positions[i] = store_builder_add(&builder, s, id, "message", i % 2 == 0 ? SAYS("fox") : SAYS("hen"));
    }
    store_builder_damage(&builder, positions[1]);
    store_builder_damage(&builder, positions[2]);
    swap_payload(positions[3], SAYS("hens"));
    swap_payload(positions[4], SAYS("a fox"));
    shorten(positions[5]);
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .damaged = tell, .context = &told};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "g text [|fox|]\na text [|fox|]\n");
    assert_string_equal(told.text, "log 1:2 \nlog 1:3 \nlog 1:4 d\nlog 1:5 e\nlog 1:6 \n");
    options.fast = true;
    told = (struct told){0};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "g text [|fox|]\na text [|fox|]\n");
    assert_string_equal(told.text, "log 1:3 \nlog 1:5 e\nlog 1:6 \n");
    /* The name of a kind is read of a verified header. */
    const struct xylem_kind label = {XYLEM_CLASS_HOST, xylem_view_of("label")};
    options.kinds = &label;
    options.kind_count = 1;
    told = (struct told){0};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "");
    assert_string_equal(told.text, "log 1:2 \nlog 1:3 \nlog 1:6 \n");
    assert_int_equal(report.entry_count, 0);
}

/* Depths of records and of branches with right sums, as a hostile store has them. */
SEARCH_TEST(a_depth_far_behind_the_log_is_told_and_takes_little_memory)
{
    static const uint64_t depths[] = {(uint64_t)1 << 40, UINT64_MAX};
    uint64_t s = store_builder_session(&builder, "s");
    struct xylem_position a = store_builder_add(&builder, s, "a", "message", SAYS("fox"));
    struct xylem_format__record record = store_builder_record(&builder, a);
    for (size_t i = 0; i < 2; i++) {
        store_builder_rewrite(&builder, (struct xylem_position){a.branch, depths[i]}, &record);
        assert_string_equal(search("fox", XYLEM_SEARCH_SMART), "a text [|fox|]\n");
        assert_in_range(report.problem_count, 2, 2000); /* with each lost segment */
    }
}

SEARCH_TEST(a_branch_at_the_end_of_all_depths_ends_the_pass)
{
    uint64_t s = store_builder_session(&builder, "s");
    struct xylem_position a = store_builder_add(&builder, s, "a", "message", SAYS("fox"));
    struct xylem_position b = store_builder_add(&builder, s, "b", "message", SAYS("hen"));
    struct xylem_position c = store_builder_add_at(&builder, s, a, "c", "message", SAYS("fox"));
    struct xylem_store__branch branch;
    assert_int_not_equal(b.branch, c.branch);
    store_builder_must(xylem_store__branch_read(&branch, builder.txn, c.branch, &err), &err);
    branch.first_depth = UINT64_MAX - 1;
    store_builder_rewrite_branch(&builder, &branch);
    struct xylem_format__record record = store_builder_record(&builder, c);
    store_builder_rewrite(&builder, (struct xylem_position){c.branch, UINT64_MAX}, &record);
    assert_string_equal(search("fox", XYLEM_SEARCH_SMART), "a text [|fox|]\n");
    assert_true(report.problem_count > 0);
}

/* A store of several pages; then the last page of the log is lost. */
SEARCH_TEST(entries_before_a_lost_end_of_the_log_are_found)
{
    enum { ENTRIES = 200 };
    uint64_t s = store_builder_session(&builder, "s");
    struct xylem_position last = {0, 0};
    for (int i = 0; i < ENTRIES; i++) {
        char id[16];
        snprintf(id, sizeof id, "e%03d", i);
        last = store_builder_add(&builder, s, id, "message", SAYS("a fox and some more bytes beside the fox"));
    }
    store_builder_commit(&builder);
    char path[512];
    struct xylem_store *store;
    struct xylem_txn *txn;
    struct xylem_open_options open_options = {.read_only = true};
    struct xylem_search_options options = {.pattern = xylem_view_of("fox")};
    struct damage_row row = damage_find(builder.path, XYLEM_FORMAT__LOG, last.branch, last.depth);
    struct damage_file file = damage_read(builder.path);
    snprintf(path, sizeof path, "%s/damaged", builder.path);
    damage_zero_page(&file, row.page);
    damage_write(path, &file);
    damage_free(&file);
    store_builder_must(xylem_open(&store, path, &open_options, &err), &err);
    store_builder_must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    store_builder_must(xylem_search(&report, txn, &options, &err), &err);
    xylem_abort(txn);
    store_builder_must(xylem_close(store, &err), &err);
    assert_in_range(report.match_count, ENTRIES / 2, ENTRIES - 1);
    assert_int_equal(report.match_count + report.problem_count, ENTRIES + 1); /* and the end of the branch */
}

SEARCH_TEST(damaged_ends_of_two_branches_are_told_once)
{
    struct told told = {0};
    uint64_t s = store_builder_session(&builder, "s");
    struct xylem_position a = store_builder_add(&builder, s, "a", "message", SAYS("fox"));
    struct xylem_position b = store_builder_add(&builder, s, "b", "message", SAYS("fox"));
    struct xylem_position c = store_builder_add_at(&builder, s, a, "c", "message", SAYS("fox"));
    store_builder_damage(&builder, b);
    store_builder_damage(&builder, c);
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .damaged = tell, .context = &told};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "a text [|fox|]\n");
    assert_string_equal(told.text, "log 1:2 \nlog 2:2 \n");
}

SEARCH_TEST(an_expression_that_may_match_nothing_finds_its_other_matches)
{
    uint64_t s = store_builder_session(&builder, "s");
    store_builder_add(&builder, s, "a", "note", "\"a fox\\n\"");
    assert_string_equal(search("|fox", XYLEM_SEARCH_REGEX), "a data [a |fox|]\n");
    assert_string_equal(search("(fox)*", XYLEM_SEARCH_REGEX), "a data [a |fox|]\n");
    assert_string_equal(search("x*$", XYLEM_SEARCH_REGEX), "a data [a fo|x|]\n");
    assert_string_equal(search("|", XYLEM_SEARCH_REGEX), "");
    assert_string_equal(search("^|$", XYLEM_SEARCH_REGEX), "");
}

SEARCH_TEST(ledgers_of_runs_are_searched_on_request)
{
    static const char id[] = "seq.01a1f9f7-22cb-72e7-96e0-96825857127f";
    uint64_t s = store_builder_session(&builder, id);
    store_builder_add(&builder, s, "start", "custom:sequence-run", "{\"step\":\"fox\"}");
    assert_string_equal(search("fox", XYLEM_SEARCH_SMART), "");
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .runs = true};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "start data [|fox|]\n");
}

SEARCH_TEST(a_damaged_ledger_is_told_and_the_search_goes_on)
{
    struct told told = {0};
    uint64_t s = store_builder_session(&builder, "seq.01a1f9f7-22cb-72e7-96e0-96825857127f");
    struct xylem_position start = store_builder_add(&builder, s, "start", "custom:sequence-run", "{\"step\":\"fox\"}");
    uint64_t other = store_builder_session(&builder, "other");
    store_builder_add(&builder, other, "a", "message", SAYS("fox"));
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .damaged = tell, .context = &told};
    store_builder_damage(&builder, start);
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "a text [|fox|]\n");
    assert_string_equal(told.text, "sessions 0:0 \n");
    options.sessions = &s;
    options.session_count = 1;
    assert_int_equal(search_by(&options), XYLEM_OK);
    told = (struct told){0};
    store_builder_drop(&builder, start);
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(told.text, "sessions 0:0 \n");
}

SEARCH_TEST(a_session_is_chosen_by_its_directory)
{
    const struct xylem_view cwds[] = {xylem_view_of("/home/dev/")};
    const char *const directories[] = {"/home/dev", "/home/developer", "/home/dev/a", NULL};
    for (int i = 0; i < 4; i++) {
        char id[] = {'s', (char)('0' + i), '\0'};
        char entry[] = {(char)('a' + i), '\0'};
        struct xylem_session session;
        struct xylem_session_options made = {.id = xylem_view_of(id), .cwd = xylem_view_of(directories[i])};
        store_builder_must(xylem_session_create(&session, builder.txn, &made, &err), &err);
        store_builder_add(&builder, session.number, entry, "message", SAYS("fox"));
    }
    struct xylem_search_options options = {.pattern = xylem_view_of("fox"), .cwds = cwds, .cwd_count = 1};
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "c text [|fox|]\na text [|fox|]\n");
}

SEARCH_TEST(without_a_pattern_the_filters_alone_hold)
{
    const struct xylem_view roles[] = {xylem_view_of("toolResult")};
    struct xylem_search_options options = {.roles = roles, .role_count = 1};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "message", "{\"message\":{\"role\":\"user\",\"content\":\"fox\"}}");
    store_builder_add(&builder, session, "b", "message",
                      "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"bash\",\"content\":\"one\\ntwo\"}}");
    store_builder_add(&builder, session, "c", "message",
                      "{\"message\":{\"role\":\"toolResult\",\"toolName\":\"bash\",\"content\":\"\"}}");
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "c data [||]\nb result [||one]\n");
}

SEARCH_TEST(several_patterns_hold_together_in_one_entry)
{
    static const char both[] = "fox\0Hen";
    struct xylem_search_options options = {.pattern = {both, sizeof both - 1}};
    uint64_t session = store_builder_session(&builder, "s");
    store_builder_add(&builder, session, "a", "note", "[\"a Fox\",\"fox and fox\",\"the Hen\"]");
    store_builder_add(&builder, session, "b", "note", "[\"fox\",\"the hen\"]");
    store_builder_add(&builder, session, "c", "note", "[\"Hen\"]");
    assert_int_equal(search_by(&options), XYLEM_OK);
    assert_string_equal(found, "a data [a |Fox|]\n");
}

SEARCH_TEST(wrong_options_are_refused)
{
    static const uint64_t nobody = 99;
    char many[XYLEM_PATTERN_BYTES_MAX + 2];
    struct xylem_search_options options = {.pattern = (struct xylem_view){many, 0}};
    memset(many, 'a', sizeof many);
    for (size_t i = 1; i < 66; i += 2) {
        many[i] = '\0'; /* 33 patterns */
    }
    options.pattern.bytes = 66;
    assert_int_equal(search_by(&options), XYLEM_E_LIMIT);
    memset(many, 'a', sizeof many);
    options.pattern = (struct xylem_view){many, XYLEM_PATTERN_BYTES_MAX + 1};
    assert_int_equal(search_by(&options), XYLEM_E_LIMIT);
    options.pattern = xylem_view_of("\xff");
    assert_int_equal(search_by(&options), XYLEM_E_MALFORMED);
    options.pattern = xylem_view_of("\xED\xA0\x80");
    assert_int_equal(search_by(&options), XYLEM_E_MALFORMED);
    options = (struct xylem_search_options){.pattern = xylem_view_of("fox"), .sessions = &nobody, .session_count = 1};
    assert_int_equal(search_by(&options), XYLEM_E_ARGUMENT);
    options = (struct xylem_search_options){.pattern = xylem_view_of("fox"), .syntax = (enum xylem_search_syntax)7};
    assert_int_equal(search_by(&options), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_search(&report, NULL, &options, &err), XYLEM_E_ARGUMENT);
    assert_string_equal(xylem_search_part_word(XYLEM_SEARCH_PART_COUNT), "unknown");
    assert_string_equal(xylem_search_part_text(XYLEM_SEARCH_LABEL), "the label of an entry");
}

SEARCH_TEST(a_search_looks_into_one_namespace)
{
    static const char *const spaces[] = {NULL, "a", "b"};
    static const char *const ids[] = {"none", "of-a", "of-b"};
    static const char *const expected[] = {"none text [|fox|]\n", "of-a text [|fox|]\n", "of-b text [|fox|]\n"};
    struct xylem_session session = {.number = 0};
    for (size_t i = 0; i < 3; i++) {
        const struct xylem_session_options options = {.id = xylem_view_of("seq.00000000-0000-7000-8000-000000000001"),
                                                      .name_space = xylem_view_of(spaces[i])};
        store_builder_must(xylem_session_create(&session, builder.txn, &options, &err), &err);
        store_builder_add(&builder, session.number, ids[i], "message", SAYS("fox"));
        store_builder_add(&builder, session.number, "start", "custom:sequence-run", "{}"); /* as in a ledger */
    }
    for (size_t i = 0; i < 3; i++) {
        struct xylem_search_options options = {
            .pattern = xylem_view_of("fox"), .name_space = xylem_view_of(spaces[i]), .runs = i == 0};
        store_builder_must(search_by(&options), &err);
        assert_string_equal(found, expected[i]);
    }
    const uint64_t number = session.number;
    const struct xylem_search_options numbered = {
        .pattern = xylem_view_of("fox"), .sessions = &number, .session_count = 1};
    store_builder_must(search_by(&numbered), &err);
    assert_string_equal(found, expected[2]);
}
