/*
 * The life of a session with the state of two extensions: a todo list, written by todo.c and read by the library, and
 * the notebook of notebook.c with a reducer of its own. The session forks, navigates, begins an epoch and starts again.
 * Prints both states after each step; fails if a state is not the expected state.
 *
 *     cc -o reducers reducers.c todo.c notebook.c shape.c $(pkg-config --cflags --libs xylem)
 *     ./reducers STORE      # a directory that does not exist yet
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "notebook.h"
#include "todo.h"

struct state {
    struct xylem_state pieces; /* the todo list alone */
    struct todo todo;
    struct notebook notebook;
    struct xylem_reduction reduction;
};

/* A step: changes the state of the leaf, in the write transaction that read the state. */
typedef int change(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err);

static void must(int code, const struct xylem_error *err)
{
    if (code < 0) {
        fprintf(stderr, "reducers: %s: %s\n", xylem_code_text(code), err->text);
        exit(EXIT_FAILURE);
    }
}

/* Reads both from the session's leaf. */
static int state_read(struct state *state, struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    const struct xylem_reduce_options options = {.pieces = XYLEM_PIECE_TODO};
    const struct xylem_reducer reducer = notebook_reducer(&state->notebook);
    struct xylem_session row;
    int code;
    if ((code = xylem_session_read(&row, txn, session, err)) < 0 ||
        (code = xylem_rehydrate(&state->pieces, txn, row.leaf, NULL, &options, err)) < 0 ||
        (code = todo_take(&state->todo, &state->pieces, err)) < 0) {
        return code;
    }
    return xylem_reduce(&state->reduction, txn, row.leaf, &reducer, 1, NULL, err);
}

static void state_release(struct state *state)
{
    xylem_state_release(&state->pieces);
    todo_release(&state->todo);
    notebook_release(&state->notebook);
    xylem_reduction_release(&state->reduction);
}

/* Reads, changes and appends in one write transaction: no change of another process is lost. Gives the new leaf. */
static struct xylem_position do_change(struct xylem_store *store, uint64_t session, change *how)
{
    struct state state = {0};
    struct xylem_session row;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    int code;
    if ((code = state_read(&state, txn, session, &err)) == XYLEM_OK &&
        (code = how(txn, session, &state, &err)) == XYLEM_OK) {
        code = xylem_session_read(&row, txn, session, &err);
    }
    state_release(&state);
    must(code, &err);
    must(xylem_commit(txn, &err), &err);
    return row.leaf;
}

/* Text comes from outside: a JSON string escapes control bytes, so the terminal is safe. */
static int add_quoted(struct xylem_buffer *line, const char *before, const struct xylem_buffer *text)
{
    int code = xylem_buffer_add(line, before, strlen(before));
    return code < 0 ? code : xylem_buffer_add_json_string(line, (struct xylem_view){text->data, text->bytes});
}

static int state_line(struct xylem_buffer *line, const struct state *state)
{
    int code = xylem_buffer_add(line, "todo:", 5);
    for (size_t i = 0; i < state->todo.item_count && code == XYLEM_OK; i++) {
        code = add_quoted(line, state->todo.items[i].done ? " [x] " : " [ ] ", &state->todo.items[i].text);
    }
    code = code < 0 ? code : xylem_buffer_add(line, "; notes:", 8);
    for (size_t i = 0; i < state->notebook.page_count && code == XYLEM_OK; i++) {
        const struct notebook_page *page = &state->notebook.pages[i];
        if (!page->removed) {
            code = add_quoted(line, " ", &page->name);
            code = code < 0 ? code : add_quoted(line, " = ", &page->text);
        }
    }
    return code;
}

static void print_skipped(const struct xylem_reduction *reduction)
{
    for (size_t i = 0; i < reduction->skipped_count; i++) {
        const struct xylem_skipped *skipped = &reduction->skipped[i];
        printf("  a %.*s entry does not count: %s\n", (int)skipped->kind.bytes, skipped->kind.data, skipped->reason);
    }
}

/* Prints the state of the session, which must be `expected`, and the skipped entries. */
static void step(struct xylem_store *store, uint64_t session, const char *name, const char *expected)
{
    struct state state = {0};
    struct xylem_buffer line = {0};
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {.text = "no memory for a line"};
    must(xylem_begin(&txn, store, XYLEM_READ, &err), &err);
    must(state_read(&state, txn, session, &err), &err);
    xylem_abort(txn); /* the state owns its bytes */
    must(state_line(&line, &state), &err);
    printf("%s\n  %s\n", name, line.data);
    print_skipped(&state.reduction);
    print_skipped(&state.pieces.reduction);
    if (strcmp(line.data, expected) != 0) {
        fprintf(stderr, "reducers: this does not hold: %s\n", expected);
        exit(EXIT_FAILURE);
    }
    xylem_buffer_release(&line);
    state_release(&state);
}

static int plan(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err)
{
    int code;
    if ((code = todo_add(&state->todo, xylem_view_of("read the brief"), err)) < 0 ||
        (code = todo_add(&state->todo, xylem_view_of("write \"it\""), err)) < 0 ||
        (code = todo_append(txn, session, &state->todo, err)) < 0 ||
        (code = notebook_write(txn, session, xylem_view_of("build"), xylem_view_of("make"), err)) < 0) {
        return code;
    }
    return notebook_write(txn, session, xylem_view_of("style"), xylem_view_of("terse"), err);
}

static int progress(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err)
{
    int code;
    if ((code = todo_mark(&state->todo, state->todo.items[0].id, true, err)) < 0 ||
        (code = todo_append(txn, session, &state->todo, err)) < 0 ||
        (code = notebook_write(txn, session, xylem_view_of("build"), xylem_view_of("make -j2"), err)) < 0) {
        return code;
    }
    return notebook_remove(txn, session, xylem_view_of("style"), err);
}

static int replan(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err)
{
    int code;
    if ((code = todo_remove(&state->todo, state->todo.items[0].id, err)) < 0 ||
        (code = todo_add(&state->todo, xylem_view_of("ask first"), err)) < 0) {
        return code;
    }
    return todo_append(txn, session, &state->todo, err);
}

/* A page that lives on is written again behind the epoch, in the same transaction. */
static int begin_epoch(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err)
{
    struct xylem_view name = xylem_view_of("build");
    const struct notebook_page *kept = notebook_find(&state->notebook, name);
    int code = notebook_begin_epoch(txn, session, err);
    if (code < 0 || !kept) {
        return code;
    }
    return notebook_write(txn, session, name, (struct xylem_view){kept->text.data, kept->text.bytes}, err);
}

/* Entries of another program, or of an older version of this program. */
static int write_nonsense(struct xylem_txn *txn, uint64_t session, struct state *state, struct xylem_error *err)
{
    struct xylem_new_entry entries[] = {{.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("todo")},
                                         .format = XYLEM_FORMAT_JSON,
                                         .payload = xylem_view_of("{\"lastId\":1,\"items\":[{\"id\":2}]}")},
                                        {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of("notebook-page")},
                                         .format = XYLEM_FORMAT_JSON,
                                         .payload = xylem_view_of("{\"name\":7,\"text\":\"seven\"}")}};
    (void)state;
    return xylem_append(NULL, txn, session, entries, 2, NULL, err);
}

static uint64_t make_session(struct xylem_store *store)
{
    struct xylem_session_options options = {.id = xylem_view_of("main")};
    struct xylem_session row;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    must(xylem_session_create(&row, txn, &options, &err), &err);
    must(xylem_commit(txn, &err), &err);
    return row.number;
}

static uint64_t fork_at(struct xylem_store *store, uint64_t session, struct xylem_position at)
{
    struct xylem_session row;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    must(xylem_fork(&row, txn, session, at, XYLEM_FORK_AT, NULL, &err), &err);
    must(xylem_commit(txn, &err), &err);
    return row.number;
}

static void navigate(struct xylem_store *store, uint64_t session, struct xylem_position to)
{
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    must(xylem_begin(&txn, store, XYLEM_WRITE, &err), &err);
    must(xylem_navigate(txn, session, to, xylem_view_of("chosen by the user"), &err), &err);
    must(xylem_commit(txn, &err), &err);
}

#define PLANNED \
    "todo: [ ] \"read the brief\" [ ] \"write \\\"it\\\"\"; notes: \"style\" = \"terse\" \"build\" = \"make\""
#define PROGRESSED "todo: [x] \"read the brief\" [ ] \"write \\\"it\\\"\"; notes: \"build\" = \"make -j2\""
#define REPLANNED "todo: [ ] \"write \\\"it\\\"\" [ ] \"ask first\"; notes: \"style\" = \"terse\" \"build\" = \"make\""
#define REPLANNED_ANEW "todo: [ ] \"write \\\"it\\\"\" [ ] \"ask first\"; notes: \"build\" = \"make\""

/* Goes on in `main`, and gives a fork with an epoch of its own. */
static uint64_t live(struct xylem_store *store, uint64_t session)
{
    step(store, session, "nothing yet", "todo:; notes:");
    struct xylem_position planned = do_change(store, session, plan);
    step(store, session, "planned", PLANNED);
    struct xylem_position progressed = do_change(store, session, progress);
    step(store, session, "one item done, a page written anew, a page removed", PROGRESSED);
    uint64_t fork = fork_at(store, session, planned);
    step(store, fork, "a fork at the earlier entry", PLANNED);
    do_change(store, fork, replan);
    step(store, fork, "the fork goes its own way", REPLANNED);
    step(store, session, "and so does the session that it was made from", PROGRESSED);
    do_change(store, fork, begin_epoch);
    step(store, fork, "an epoch in the fork: one page was written again", REPLANNED_ANEW);
    navigate(store, session, planned);
    step(store, session, "navigated to the earlier entry", PLANNED);
    navigate(store, session, progressed);
    step(store, session, "and back", PROGRESSED);
    do_change(store, session, write_nonsense);
    step(store, session, "entries of another shape", PROGRESSED);
    return fork;
}

int main(int argc, char **argv)
{
    struct xylem_open_options options = {.create = true};
    struct xylem_store *store = NULL;
    struct xylem_error err;
    if (argc != 2) {
        fprintf(stderr, "usage: reducers STORE\n");
        return 2;
    }
    must(xylem_open(&store, argv[1], &options, &err), &err);
    uint64_t session = make_session(store);
    uint64_t fork = live(store, session);
    must(xylem_close(store, &err), &err);
    must(xylem_open(&store, argv[1], NULL, &err), &err);
    step(store, session, "after a restart", PROGRESSED);
    step(store, fork, "and in the fork", REPLANNED_ANEW);
    must(xylem_close(store, &err), &err);
    return EXIT_SUCCESS;
}
