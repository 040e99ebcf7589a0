/* The table of pieces, as the public calls show it to those who know no piece by name. */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/one_store.h"
#include "tests/lib/test.h"
#include "xylem/state.h"

static struct xylem_state state_of(uint64_t session, const struct xylem_event *event)
{
    struct xylem_state state;
    struct xylem_error err = {0};
    struct xylem_position leaf = store_builder_leaf(&builder, session);
    store_builder_must(xylem_rehydrate(&state, builder.txn, leaf, event, NULL, &err), &err);
    return state;
}

/* A session that says something of every piece. */
static uint64_t full_session(void)
{
    uint64_t session = store_builder_session(&builder, "full");
    store_builder_add(&builder, session, "told", "custom:readonly-nudge", "{\"direction\":\"on\",\"delivered\":true}");
    store_builder_add(&builder, session, "on", "custom:readonly", "{\"enabled\":true}");
    store_builder_add(&builder, session, "seq", "custom:sequence",
                      "{\"version\":1,\"sequenceId\":\"a\\u001bb\",\"steps\":[\"one\",\"two\"],\"updatedAt\":1.5}");
    return session;
}

static void add(char *line, const char *text, size_t bytes)
{
    size_t used = strlen(line);
    size_t length = strnlen(text, bytes);
    assert_true(used + length < 512);
    memcpy(line + used, text, length);
    line[used + length] = '\0';
}

/* The words as one line: foreign text in brackets, entries behind @, breaks as bars. */
static void assert_words(const struct xylem_state *state, unsigned piece, enum xylem_detail detail,
                         const struct xylem_state *other, const char *expected)
{
    const struct xylem_words_options options = {.detail = detail, .other = other};
    struct xylem_word words[XYLEM_WORDS_MAX];
    char line[512] = "";
    size_t count = xylem_piece_words(words, state, piece, &options);
    assert_true(count <= XYLEM_WORDS_MAX);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRIu64, words[i].number);
        add(line, words[i].type == XYLEM_WORD_FOREIGN ? "[" : words[i].type == XYLEM_WORD_ENTRY ? "@" : "", 1);
        add(line, words[i].type == XYLEM_WORD_COUNT ? number : words[i].type == XYLEM_WORD_BREAK ? "|" : "", 24);
        add(line, words[i].text.bytes > 0 ? words[i].text.data : "", words[i].text.bytes);
        add(line, words[i].type == XYLEM_WORD_FOREIGN ? "]" : "", 1);
    }
    assert_string_equal(line, expected);
}

static void assert_piece_json(const struct xylem_state *state, unsigned piece, enum xylem_detail detail,
                              const char *expected)
{
    struct xylem_buffer json = {0};
    assert_int_equal(xylem_piece_json(&json, state, piece, detail), 0);
    assert_string_equal(json.data, expected);
    xylem_buffer_release(&json);
}

#define IN_SCENE(test) TEST_WITH(test, set_up, tear_down)

IN_SCENE(names_come_in_the_order_of_the_bits)
{
    const char *const *names = xylem_piece_names();
    size_t count = 0;
    for (; names[count]; count++) {
        assert_non_null(xylem_state_kinds(1u << count));
        for (size_t i = 0; i < count; i++) {
            assert_string_not_equal(names[i], names[count]);
        }
    }
    assert_null(xylem_state_kinds(1u << count));
    assert_string_equal(names[0], "readonly");
    assert_string_equal(names[1], "nudge");
    assert_string_equal(names[2], "sequence");
}

/* The driver asks no piece twice for a kind, so an entry of a shared kind would reach one of the pieces alone. */
IN_SCENE(no_two_pieces_have_a_kind_in_common)
{
    struct xylem_buffer seen = {0};
    assert_int_equal(xylem_buffer_add(&seen, " message ", 9), 0); /* of the pieces that read results of tools */
    for (unsigned piece = 1; xylem_state_kinds(piece); piece <<= 1) {
        for (const char *const *kind = xylem_state_kinds(piece); *kind; kind++) {
            char name[64];
            snprintf(name, sizeof name, " %s ", *kind);
            assert_null(strstr(seen.data, name));
            assert_int_equal(xylem_buffer_add(&seen, name, strlen(name)), 0);
        }
    }
    xylem_buffer_release(&seen);
}

IN_SCENE(the_document_of_a_state_has_the_members_of_each_piece)
{
    struct xylem_state found = state_of(full_session(), NULL);
    struct xylem_buffer document = {0};
    assert_int_equal(xylem_state_json(&document, &found, xylem_view_of("s")), 0);
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        struct xylem_buffer member = {0};
        assert_int_equal(xylem_buffer_add(&member, ",", 1), 0);
        assert_int_equal(xylem_piece_json(&member, &found, 1u << i, XYLEM_DETAIL_WHOLE), 0);
        assert_non_null(strstr(document.data, member.data));
        xylem_buffer_release(&member);
    }
    xylem_buffer_release(&document);
    xylem_state_release(&found);
}

IN_SCENE(pieces_are_written_in_as_much_detail_as_is_asked_for)
{
    struct xylem_state found = state_of(full_session(), NULL);
    assert_piece_json(&found, XYLEM_PIECE_READONLY, XYLEM_DETAIL_BRIEF, "\"readonly\":true");
    assert_piece_json(&found, XYLEM_PIECE_READONLY, XYLEM_DETAIL_EXPLAINED,
                      "\"readonly\":true,\"readonly_from\":\"path\",\"readonly_entry\":\"on\"");
    assert_piece_json(&found, XYLEM_PIECE_NUDGE, XYLEM_DETAIL_VALUE, "\"nudge\":{\"due\":true,\"direction\":\"on\"}");
    assert_piece_json(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_BRIEF, "\"sequence_id\":\"a\\u001bb\"");
    assert_piece_json(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_VALUE,
                      "\"sequence\":{\"sequence_id\":\"a\\u001bb\",\"steps\":[\"one\",\"two\"],\"updated_ms\":1.5}");
    xylem_state_release(&found);
}

IN_SCENE(pieces_have_words_in_as_much_detail_as_is_asked_for)
{
    struct xylem_state found = state_of(full_session(), NULL);
    assert_words(&found, XYLEM_PIECE_READONLY, XYLEM_DETAIL_BRIEF, NULL, "on");
    assert_words(&found, XYLEM_PIECE_READONLY, XYLEM_DETAIL_WHOLE, NULL, "on   decided by @on");
    assert_words(&found, XYLEM_PIECE_NUDGE, XYLEM_DETAIL_VALUE, NULL, "due: on");
    assert_words(&found, XYLEM_PIECE_NUDGE, XYLEM_DETAIL_WHOLE, NULL, "due: readonly went on");
    assert_words(&found, XYLEM_PIECE_NUDGE, XYLEM_DETAIL_EXPLAINED, NULL,
                 "due: readonly went on|told on by @told, before the toggle");
    assert_words(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_BRIEF, NULL,
                 "[a\x1b"
                 "b]");
    assert_words(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_VALUE, NULL,
                 "[a\x1b"
                 "b] (2)");
    assert_words(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_EXPLAINED, NULL,
                 "[a\x1b"
                 "b], 2 steps, from @seq");
    xylem_state_release(&found);
}

IN_SCENE(the_words_of_an_empty_path)
{
    static const struct xylem_event anew = {.reason = XYLEM_REASON_NEW};
    const struct xylem_words_options options = {.detail = XYLEM_DETAIL_EXPLAINED, .event = &anew};
    struct xylem_word words[XYLEM_WORDS_MAX];
    struct xylem_state found = state_of(store_builder_session(&builder, "s"), &anew);
    for (size_t i = 1; xylem_piece_names()[i]; i++) {
        assert_words(&found, 1u << i, XYLEM_DETAIL_BRIEF, NULL, "");
    }
    assert_words(&found, XYLEM_PIECE_READONLY, XYLEM_DETAIL_WHOLE, NULL, "off  the default: nothing decides");
    assert_words(&found, XYLEM_PIECE_NUDGE, XYLEM_DETAIL_VALUE, NULL, "not due");
    assert_words(&found, XYLEM_PIECE_SEQUENCE, XYLEM_DETAIL_WHOLE, NULL, "none");
    assert_int_equal(xylem_piece_words(words, &found, XYLEM_PIECE_NUDGE, &options), 3);
    assert_string_equal(words[2].text.data, "a new session starts from nothing");
    xylem_state_release(&found);
}

IN_SCENE(a_state_of_zeros_can_be_shown)
{
    struct xylem_state zero = {0};
    struct xylem_buffer json = {0};
    struct xylem_part part;
    assert_int_equal(xylem_state_json(&json, &zero, xylem_view_of("s")), 0);
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        assert_int_equal(xylem_piece_differs(&zero, &zero, 1u << i), 0);
        assert_false(xylem_piece_part(&part, &zero, 1u << i, 0));
    }
    xylem_buffer_release(&json);
}

IN_SCENE(a_direction_in_which_nothing_is_due_makes_no_difference)
{
    struct xylem_state a = {0};
    struct xylem_state b = {0};
    b.nudge.direction_on = true;
    assert_int_equal(xylem_piece_differs(&a, &b, XYLEM_PIECE_NUDGE), 0);
    a.nudge.due = b.nudge.due = true;
    assert_int_equal(xylem_piece_differs(&a, &b, XYLEM_PIECE_NUDGE), 1);
}

IN_SCENE(equal_pieces_name_the_entries_of_both_states)
{
    struct xylem_state a = state_of(full_session(), NULL);
    uint64_t session = store_builder_session(&builder, "other");
    store_builder_add(&builder, session, "there", "custom:readonly", "{\"enabled\":true}");
    struct xylem_state b = state_of(session, NULL);
    assert_int_equal(xylem_piece_differs(&a, &b, XYLEM_PIECE_READONLY), 0);
    assert_int_equal(xylem_piece_differs(&a, &b, XYLEM_PIECE_SEQUENCE), 1);
    assert_words(&a, XYLEM_PIECE_READONLY, XYLEM_DETAIL_WHOLE, &b, "on   decided by @on and by @there");
    assert_words(&a, XYLEM_PIECE_READONLY, XYLEM_DETAIL_WHOLE, &a, "on   decided by @on");
    xylem_state_release(&a);
    xylem_state_release(&b);
}

IN_SCENE(parts_come_one_by_one)
{
    struct xylem_state found = state_of(full_session(), NULL);
    struct xylem_part part;
    assert_true(xylem_piece_part(&part, &found, XYLEM_PIECE_SEQUENCE, 1));
    assert_int_equal(part.number, 0);
    assert_string_equal(part.mark, "");
    assert_memory_equal(part.text.data, "two", 3);
    assert_false(xylem_piece_part(&part, &found, XYLEM_PIECE_SEQUENCE, 2));
    assert_false(xylem_piece_part(&part, &found, XYLEM_PIECE_READONLY, 0));
    xylem_state_release(&found);
}

IN_SCENE(a_bit_that_is_no_piece_is_refused)
{
    static const unsigned bad[] = {0, XYLEM_PIECE_READONLY | XYLEM_PIECE_NUDGE, 1u << 31};
    struct xylem_state zero = {0};
    struct xylem_buffer json = {0};
    struct xylem_word words[XYLEM_WORDS_MAX];
    struct xylem_part part;
    assert_int_equal(xylem_buffer_add(&json, "x", 1), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(xylem_piece_json(&json, &zero, bad[i], XYLEM_DETAIL_WHOLE), XYLEM_E_ARGUMENT);
        assert_string_equal(json.data, "x");
        assert_int_equal(xylem_piece_differs(&zero, &zero, bad[i]), XYLEM_E_ARGUMENT);
        assert_int_equal(xylem_piece_words(words, &zero, bad[i], NULL), 0);
        assert_false(xylem_piece_part(&part, &zero, bad[i], 0));
    }
    xylem_buffer_release(&json);
}

/* docs/rehydration.md has a section for each piece, under its name, that names the kinds. */
IN_SCENE(the_page_names_each_piece_and_its_kinds)
{
    struct xylem_buffer page = {0};
    char chunk[4096];
    FILE *file = fopen("docs/rehydration.md", "r");
    assert_non_null(file);
    for (size_t bytes; (bytes = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        assert_int_equal(xylem_buffer_add(&page, chunk, bytes), 0);
    }
    fclose(file);
    for (size_t i = 0; xylem_piece_names()[i]; i++) {
        char text[128];
        snprintf(text, sizeof text, "\n## %s\n", xylem_piece_names()[i]);
        text[4] = (char)toupper((unsigned char)text[4]);
        const char *section = strstr(page.data, text);
        if (!section) {
            fail_msg("docs/rehydration.md has no section %s", text + 1);
        }
        for (const char *const *kind = xylem_state_kinds(1u << i); *kind; kind++) {
            snprintf(text, sizeof text, "`%s`", *kind);
            if (!strstr(section, text)) {
                fail_msg("docs/rehydration.md: the section of %s does not name %s", xylem_piece_names()[i], text);
            }
        }
    }
    xylem_buffer_release(&page);
}
