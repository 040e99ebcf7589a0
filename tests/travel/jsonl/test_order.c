/* The order in which files are imported: sources before their forks. */
#include "tests/lib/chance.h"
#include "tests/lib/test.h"
#include "tests/travel/jsonl/sandbox.h"

enum { FILES_MAX = 30 };

/* Writes the file of a session, forked from `parent` (NULL: from none). */
static void write_session(struct sandbox *sandbox, const char *name, const char *id, const char *parent)
{
    char text[512];
    snprintf(text, sizeof text, "{\"type\":\"session\",\"version\":3,\"id\":\"%s\"%s%s%s}\n", id,
             parent ? ",\"parentSession\":\"" : "", parent ? parent : "", parent ? "\"" : "");
    sandbox_write_text(sandbox, name, text);
}

/* The order of these files (ends in NULL), as one text. */
static void assert_order(struct sandbox *sandbox, const char *const *names, const char *expected)
{
    char paths[FILES_MAX][512];
    const char *given[FILES_MAX] = {NULL};
    size_t order[FILES_MAX];
    char text[512] = "";
    size_t count = 0;
    for (; names[count]; count++) {
        sandbox_path(paths[count], sandbox, names[count]);
        given[count] = paths[count];
    }
    assert_int_equal(xylem_import_order(order, given, count, NULL), XYLEM_OK);
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(text, names[order[i]]), " ");
    }
    assert_string_equal(text, expected);
}

TEST(sources_come_first_and_else_the_order_stays)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    write_session(&sandbox, "a", "1", "/x/y_4.jsonl");
    write_session(&sandbox, "b", "2", NULL);
    write_session(&sandbox, "c", "3", "x_1");
    write_session(&sandbox, "d", "4", "y_2");
    write_session(&sandbox, "e", "5", "nobody");
    static const char *const all[] = {"a", "b", "c", "d", "e", NULL};
    assert_order(&sandbox, all, "b d a c e ");
    static const char *const backwards[] = {"e", "d", "c", "b", "a", NULL};
    assert_order(&sandbox, backwards, "e b d a c ");
    static const char *const none[] = {NULL};
    assert_order(&sandbox, none, "");
    sandbox_close(&sandbox);
}

TEST(sources_that_lead_back_begin_with_the_first)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    write_session(&sandbox, "a", "1", "x_1"); /* itself */
    write_session(&sandbox, "b", "2", "x_3");
    write_session(&sandbox, "c", "3", "x_2");
    write_session(&sandbox, "z", "9", "x_3"); /* not of the circle */
    static const char *const all[] = {"a", "b", "c", "z", NULL};
    assert_order(&sandbox, all, "a b c z ");
    static const char *const backwards[] = {"z", "c", "b", "a", NULL};
    assert_order(&sandbox, backwards, "c z b a ");
    write_session(&sandbox, "d", "4", "x_6");
    write_session(&sandbox, "e", "5", "x_4");
    write_session(&sandbox, "f", "6", "x_5");
    static const char *const three[] = {"d", "e", "f", NULL};
    assert_order(&sandbox, three, "d e f ");
    write_session(&sandbox, "y", "8", "x_4");
    static const char *const from_outside[] = {"y", "d", "e", "f", NULL};
    assert_order(&sandbox, from_outside, "d y e f ");
    sandbox_close(&sandbox);
}

TEST(a_source_is_found_at_the_end_of_a_long_text)
{
    struct sandbox sandbox;
    struct xylem_buffer text = {0};
    sandbox_open(&sandbox);
    assert_int_equal(
        xylem_base__buffer_add_text(&text, "{\"type\":\"session\",\"version\":3,\"id\":\"1\",\"parentSession\":\"/"),
        0);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(xylem_base__buffer_add_text(&text, "long/"), 0);
    }
    assert_int_equal(xylem_base__buffer_add_text(&text, "x_2.jsonl\"}\n"), 0);
    sandbox_write(&sandbox, "a", text.data, text.bytes);
    write_session(&sandbox, "b", "2", NULL);
    static const char *const both[] = {"a", "b", NULL};
    assert_order(&sandbox, both, "b a ");
    xylem_buffer_release(&text);
    sandbox_close(&sandbox);
}

TEST(files_that_cannot_be_read_stay_where_they_are)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    sandbox_write_text(&sandbox, "a", "junk\n");
    write_session(&sandbox, "b", "2", "x_3");
    sandbox_write_text(&sandbox, "d", "");
    write_session(&sandbox, "e", "3", NULL);
    static const char *const all[] = {"a", "b", "gone", "d", "e", NULL};
    assert_order(&sandbox, all, "a e b gone d ");
    assert_int_equal(xylem_import_order(NULL, all, 1, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_import_order(NULL, NULL, 0, NULL), XYLEM_OK);
    sandbox_close(&sandbox);
}

TEST(all_files_of_a_source_come_first)
{
    struct sandbox sandbox;
    char path[1024];
    sandbox_open(&sandbox);
    write_session(&sandbox, "a", "1", "x_2");
    write_session(&sandbox, "b", "2", NULL);
    write_session(&sandbox, "c", "2", NULL);
    static const char *const all[] = {"a", "c", "b", NULL};
    assert_order(&sandbox, all, "c b a ");
    static const char *const apart[] = {"b", "a", "c", NULL};
    assert_order(&sandbox, apart, "b c a ");
    write_session(&sandbox, "x", "9", NULL);
    write_session(&sandbox, "c", "2", "x_9"); /* and the other one says nothing of it */
    static const char *const through[] = {"b", "c", "x", NULL};
    assert_order(&sandbox, through, "x b c ");
    write_session(&sandbox, "b", "2", "x_1"); /* or something else: then the first counts */
    static const char *const first[] = {"c", "b", "x", NULL};
    assert_order(&sandbox, first, "x c b ");
    write_session(&sandbox, "b", "2", NULL);
    write_session(&sandbox, "c", "2", NULL);
    static const char *const unrelated[] = {"b", "x", "c", NULL};
    assert_order(&sandbox, unrelated, "b x c ");
    snprintf(path, sizeof path, "%s/b", sandbox.directory); /* the session in that file, whatever its name */
    write_session(&sandbox, "d", "4", path);
    write_session(&sandbox, "e", "5", "b");
    static const char *const by_path[] = {"d", "e", "b", NULL};
    assert_order(&sandbox, by_path, "b d e ");
    sandbox_close(&sandbox);
}

TEST(by_chance_every_file_comes_once_and_after_its_source)
{
    struct sandbox sandbox;
    sandbox_open(&sandbox);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct chance chance = chance_of(seed);
        char paths[FILES_MAX][512];
        const char *given[FILES_MAX];
        int sources[FILES_MAX];
        size_t order[FILES_MAX];
        size_t place[FILES_MAX];
        int count = 1 + chance_below(&chance, FILES_MAX);
        for (int i = 0; i < count; i++) {
            char name[16];
            char id[16];
            char parent[32];
            sources[i] = i % 2 == 1                  ? sources[i - 1]
                         : chance_one_in(&chance, 4) ? -1
                                                     : chance_below(&chance, count) / 2;
            snprintf(name, sizeof name, "f%d", i);
            snprintf(id, sizeof id, "%d", i / 2); /* two files of a session */
            snprintf(parent, sizeof parent, "x_%d", sources[i]);
            write_session(&sandbox, name, id, sources[i] < 0 ? NULL : parent);
            sandbox_path(paths[i], &sandbox, name);
            given[i] = paths[i];
            place[i] = SIZE_MAX;
        }
        assert_int_equal(xylem_import_order(order, given, (size_t)count, NULL), XYLEM_OK);
        for (int i = 0; i < count; i++) {
            assert_true(order[i] < (size_t)count);
            assert_int_equal(place[order[i]], SIZE_MAX);
            place[order[i]] = (size_t)i;
        }
        for (int i = 0; i < count; i++) {
            int session = i / 2;
            int least = session; /* where a circle is, the files of its first session come before their sources */
            int at = sources[i];
            for (int steps = 0; at >= 0 && at != session && steps <= count; steps++) {
                least = at < least ? at : least;
                at = sources[2 * at];
            }
            bool first_of_circle = at == session && least == session;
            for (int k = 2 * sources[i]; k >= 0 && !first_of_circle && k < count && k <= 2 * sources[i] + 1; k++) {
                assert_true(place[k] < place[i]);
            }
        }
    }
    sandbox_close(&sandbox);
}
