#include <stdio.h>
#include <xylem.h>

/* Starts a session in which the agent may not write, and asks. */
static int run(struct xylem_txn *txn, struct xylem_error *err)
{
    struct xylem_kind readonly = {XYLEM_CLASS_CUSTOM, xylem_view_of("readonly")};
    struct xylem_new_entry toggle = {
        .kind = readonly,
        .format = XYLEM_FORMAT_JSON,
        .payload = xylem_view_of("{\"enabled\":true}"),
    };
    struct xylem_event event = {.reason = XYLEM_REASON_RESUME};
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_state state = {0};

    int code = xylem_session_create(&session, txn, NULL, err);
    if (code == 0)
        code = xylem_append(&at, txn, session.number, &toggle, 1, NULL, err);
    if (code == 0)
        code = xylem_rehydrate(&state, txn, at, &event, NULL, err);
    if (code == 0)
        printf("readonly: %s\n", state.readonly.enabled ? "on" : "off");
    xylem_state_release(&state);
    return code;
}

int main(int argc, char **argv)
{
    struct xylem_open_options options = {.create = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err = {0};
    const char *path = argc > 1 ? argv[1] : "store";

    int code = xylem_open(&store, path, &options, &err);
    if (code == 0)
        code = xylem_begin(&txn, store, XYLEM_WRITE, &err);
    if (code == 0) {
        code = run(txn, &err);
        if (code == 0)
            code = xylem_commit(txn, &err);
        else
            xylem_abort(txn);
    }
    if (code != 0)
        fprintf(stderr, "%s\n", err.text);
    xylem_close(store, NULL);
    return code == 0 ? 0 : 1;
}
