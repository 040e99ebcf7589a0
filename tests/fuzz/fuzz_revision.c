/*
 * Any text as what the command takes for a session, an entry (`@~3`, `@{2}`, `x^17`, a label, the beginning of an id),
 * SESSION:ENTRY, or a kind, in a store whose ids and labels hold all the signs that mean something: it names an entry
 * of the session, or is refused with a text.
 */
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "xylem/append.h"
#include "xylem/branch.h"
#include "tests/fuzz/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SPEC_BYTES_MAX 600u

static struct xylem_store *store;
static uint64_t numbers[2]; /* of the sessions */

static void append(struct xylem_txn *txn, uint64_t session, const char *id, const char *kind, const char *json)
{
    struct xylem_new_entry entry = {.id = xylem_view_of(id),
                                    .kind.name = xylem_view_of(kind),
                                    .format = json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE,
                                    .payload = xylem_view_of(json)};
    struct xylem_error err = {0};
    must_work(xylem_append(NULL, txn, session, &entry, 1, NULL, &err), &err, "an entry is refused");
}

static void close_store(void)
{
    (void)xylem_close(store, NULL);
}

/* Ids and labels that could be taken for something else, in two sessions whose ids begin alike. */
static void make_store(void)
{
    static const char *const ids[] = {"0123",  "01234567", "012345678", "a~1",  "a",
                                      "@{1}x", "s:e",      "x^2",       "none", "\xc3\xa9~"};
    static const char *const labels[] = {
        "{\"targetId\":\"0123\",\"label\":\"good\"}",      "{\"targetId\":\"a\",\"label\":\"@~1\"}",
        "{\"targetId\":\"s:e\",\"label\":\"good~1\"}",     "{\"targetId\":\"nowhere\",\"label\":\"lost\"}",
        "{\"targetId\":\"01234567\",\"label\":\"twice\"}", "{\"targetId\":\"x^2\",\"label\":\"twice\"}"};
    store = scratch_open();
    (void)atexit(close_store);
    struct xylem_txn *txn = scratch_begin(store, XYLEM_WRITE);
    struct xylem_error err = {0};
    for (size_t s = 0; s < 2; s++) {
        struct xylem_session_options options = {.id = xylem_view_of(s == 0 ? "session" : "session:0123")};
        struct xylem_session session;
        must_work(xylem_session_create(&session, txn, &options, &err), &err, "a session is refused");
        numbers[s] = session.number;
        for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
            append(txn, numbers[s], ids[i], "note", NULL);
        }
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            append(txn, numbers[s], NULL, "label", labels[i]);
        }
        must_work(xylem_navigate(txn, numbers[s], (struct xylem_position){session.number, 3},
                                 (struct xylem_view){NULL, 0}, &err),
                  &err, "a navigation is refused");
        must_work(xylem_navigate(txn, numbers[s], (struct xylem_position){0, 0}, (struct xylem_view){NULL, 0}, &err),
                  &err, "a navigation is refused");
        must_work(xylem_navigate(txn, numbers[s], (struct xylem_position){session.number, 5},
                                 (struct xylem_view){NULL, 0}, &err),
                  &err, "a navigation is refused");
    }
    must_work(xylem_commit(txn, &err), &err, "no commit");
}

/* An answer is right, or an error says what is wrong in printable text. */
static bool answered(const struct xylem_cli *cli, int code)
{
    if (code == 0) {
        return true;
    }
    must(code == XYLEM_E_NOT_FOUND || code == XYLEM_E_CONFLICT || code == XYLEM_E_LIMIT || code == XYLEM_E_MALFORMED ||
             code == XYLEM_E_ARGUMENT,
         "an error of a kind that no text can lead to");
    must(cli->err.code == code && cli->err.text[0] != '\0', "an error without its text");
    for (const char *at = cli->err.text; *at != '\0'; at++) {
        must((unsigned char)*at >= 0x20 && *at != 0x7f, "a control byte in an error's text");
    }
    return false;
}

static void check_position(struct xylem_txn *txn, const struct xylem_session *session, struct xylem_position position)
{
    struct xylem_entry entry;
    if (xylem_cli__position_none(position)) {
        return;
    }
    must(xylem_entry_read(&entry, txn, position, NULL) == XYLEM_OK, "there is no entry where it leads");
    must(xylem_belongs(txn, session->number, position, NULL) == 1, "the entry is another session's");
}

/* The one form whose meaning can be told without a look at ids and labels: `@`, a digit or more, and nothing else. */
static void check_steps(struct xylem_cli *cli, const struct xylem_session *session, const char *spec)
{
    struct xylem_position position = {0, 0};
    char steps[SPEC_BYTES_MAX + 8];
    uint64_t back = 0;
    if (spec[0] == '\0' || spec[strspn(spec, "0123456789")] != '\0' || strcmp(spec, "1") == 0) {
        return; /* "@~1" is a label here */
    }
    (void)snprintf(steps, sizeof steps, "@~%s", spec);
    bool readable = xylem_cli__number(&back, spec) && strlen(spec) < 24;
    int code = xylem_cli__entry(cli, &position, session, steps);
    if (readable && back < session->leaf.depth) {
        must(code == 0 && position.branch == session->leaf.branch && position.depth == session->leaf.depth - back,
             "@~n is not n entries before the leaf");
    } else {
        must(code == XYLEM_E_NOT_FOUND, "@~n leads before the root");
    }
}

static void check_entries(struct xylem_cli *cli, const char *spec)
{
    for (size_t s = 0; s < 2; s++) {
        struct xylem_session session;
        struct xylem_position position = {0, 0};
        must(xylem_session_read(&session, cli->txn, numbers[s], NULL) == XYLEM_OK, "a session is gone");
        if (answered(cli, xylem_cli__entry(cli, &position, &session, spec))) {
            must(!xylem_cli__position_none(position), "none is given as an entry");
            check_position(cli->txn, &session, position);
        }
        if (answered(cli, xylem_cli__entry_or_none(cli, &position, &session, spec))) {
            check_position(cli->txn, &session, position);
        }
        check_steps(cli, &session, spec);
    }
}

/* The sessions have no names, files and directories: only `@last` and the beginning or end of an id mean a session. */
static bool is_meant(struct xylem_view id, struct xylem_view spec)
{
    return xylem_base__view_begins(spec, xylem_view_of("@last")) || xylem_base__view_begins(id, spec) ||
           (id.bytes >= spec.bytes && memcmp(id.data + id.bytes - spec.bytes, spec.data, spec.bytes) == 0);
}

/* A place leads to an entry of its session. */
static void check_place(struct xylem_cli *cli, const char *word)
{
    struct xylem_cli__place place;
    if (answered(cli, xylem_cli__place_find(cli, &place, word, XYLEM_CLI__LOOKED_AT, xylem_cli__entry_or_none))) {
        check_position(cli->txn, &place.session, place.position);
    }
}

static void check_sessions(struct xylem_cli *cli, const char *spec)
{
    struct xylem_session session;
    char place[sizeof "session:" + SPEC_BYTES_MAX];
    if (answered(cli, xylem_cli__session(cli, &session, spec))) {
        must(is_meant(session.id, xylem_view_of(spec)), "a session whose id has another beginning and end");
    }
    (void)snprintf(place, sizeof place, "session:%s", spec);
    check_place(cli, spec);
    check_place(cli, place);
}

/* A kind in text form is the same after it was read and written. */
static void check_kind(struct xylem_cli *cli, const char *spec)
{
    struct xylem_kind kind;
    struct xylem_kind again;
    struct xylem_buffer storage = {NULL, 0, 0};
    struct xylem_buffer other = {NULL, 0, 0};
    struct xylem_buffer text = {NULL, 0, 0};
    if (answered(cli, xylem_kind_parse(&kind, &storage, xylem_view_of(spec), &cli->err))) {
        must(xylem_kind_text(&text, kind) == XYLEM_OK, "no memory");
        struct xylem_view written = {text.data, text.bytes};
        must(xylem_kind_parse(&again, &other, written, NULL) == XYLEM_OK && again.kind_class == kind.kind_class &&
                 xylem_base__view_equal(again.name, kind.name),
             "a kind is another one after it was written and read");
    }
    xylem_buffer_release(&storage);
    xylem_buffer_release(&other);
    xylem_buffer_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char spec[SPEC_BYTES_MAX + 1];
    if (!store) {
        make_store();
    }
    size_t bytes = size < SPEC_BYTES_MAX ? size : SPEC_BYTES_MAX;
    memset(spec, 0, sizeof spec);
    if (bytes > 0) {
        memcpy(spec, data, bytes); /* as an argument of a command it ends at the first NUL */
    }
    struct xylem_cli__locale locale = {.asked = true, .utf8 = data && size % 2 == 0};
    static const struct xylem_cli__command command = {.name = "command"};
    struct xylem_cli cli = {.locale = &locale, .command = &command, .txn = scratch_begin(store, XYLEM_READ)};
    check_entries(&cli, spec);
    check_sessions(&cli, spec);
    check_kind(&cli, spec);
    xylem_abort(cli.txn);
    return 0;
}
