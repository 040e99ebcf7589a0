/*
 * An agent host keeps its sessions in a xylem store, and takes its state from the path of the leaf. story.c starts the
 * host and kills the host; docs/embedding.md explains both.
 *
 *     cc -o host host.c story.c $(pkg-config --cflags --libs xylem xylem-judge)
 */
#include "host.h"

#include <stdio.h>
#include <xylem_judge.h>

/* Ends a write transaction: commits after success, aborts after a failure. */
static int end(struct xylem_txn *txn, int code, struct xylem_error *err)
{
    if (code < 0) {
        xylem_abort(txn);
        return code;
    }
    return xylem_commit(txn, err);
}

/* Finds or makes the session `id`, and takes the session for the host. */
static int choose_session(struct host *host, const char *id, struct xylem_error *err)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    int code;
    if ((code = xylem_begin(&txn, host->store, XYLEM_WRITE, err)) == XYLEM_OK &&
        (code = xylem_session_find(&session, txn, options.id, err)) == XYLEM_E_NOT_FOUND) {
        code = xylem_session_create(&session, txn, &options, err);
    }
    code = end(txn, code, err);
    if (code == XYLEM_OK) {
        host->session = session.number;
    }
    return code;
}

/* Takes the state from the path of the leaf. */
static int rehydrate(struct host *host, const struct xylem_event *event, struct xylem_error *err)
{
    struct xylem_state state = {0};
    struct xylem_session session;
    struct xylem_txn *txn = NULL;
    int code;
    if ((code = xylem_begin(&txn, host->store, XYLEM_READ, err)) == XYLEM_OK &&
        (code = xylem_session_read(&session, txn, host->session, err)) == XYLEM_OK) {
        code = xylem_rehydrate(&state, txn, session.leaf, event, NULL, err);
    }
    xylem_abort(txn); /* a reader has nothing to commit, and the state owns its bytes */
    if (code == XYLEM_OK) {
        host->leaf = session.leaf;
        host->readonly = state.readonly.enabled;
        host->nudge_due = state.nudge.due;
        host->nudge_on = state.nudge.direction_on;
    } else {
        host->readonly = true; /* an unknown state forbids writing */
    }
    xylem_state_release(&state);
    return code;
}

static int session_start(struct host *host, enum xylem_event_reason reason, struct xylem_error *err)
{
    struct xylem_event event = {
        .type = XYLEM_EVENT_SESSION_START, .reason = reason, .flag_readonly = host->flag_readonly};
    return rehydrate(host, &event, err);
}

static int session_tree(struct host *host, struct xylem_error *err)
{
    bool previous = host->readonly;
    struct xylem_event event = {
        .type = XYLEM_EVENT_SESSION_TREE, .flag_readonly = host->flag_readonly, .previous_readonly = &previous};
    return rehydrate(host, &event, err);
}

/* The flag does not count: the user decided later. */
static int toggled(struct host *host, struct xylem_error *err)
{
    bool previous = host->readonly;
    struct xylem_event event = {.type = XYLEM_EVENT_TOGGLED, .previous_readonly = &previous};
    return rehydrate(host, &event, err);
}

int host_open(struct host *host, const char *path, const char *session_id, bool flag_readonly, struct xylem_error *err)
{
    struct xylem_open_options options = {.create = true}; /* and every commit survives a power loss */
    int code;
    *host = (struct host){.flag_readonly = flag_readonly};
    if ((code = xylem_open(&host->store, path, &options, err)) < 0 ||
        (code = choose_session(host, session_id, err)) < 0 ||
        (code = session_start(host, XYLEM_REASON_STARTUP, err)) < 0) {
        xylem_close(host->store, NULL); /* not refused: no transaction is open */
        host->store = NULL;
    }
    return code;
}

int host_close(struct host *host, struct xylem_error *err)
{
    return xylem_close(host->store, err);
}

int host_reload(struct host *host, struct xylem_error *err)
{
    return session_start(host, XYLEM_REASON_RELOAD, err);
}

int host_resume(struct host *host, const char *session_id, struct xylem_error *err)
{
    int code = choose_session(host, session_id, err);
    return code < 0 ? code : session_start(host, XYLEM_REASON_RESUME, err);
}

int host_fork(struct host *host, const char *session_id, const char *entry_id, struct xylem_error *err)
{
    struct xylem_session_options options = {.id = xylem_view_of(session_id)};
    struct xylem_session session;
    struct xylem_position at;
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, host->store, XYLEM_WRITE, err);
    if (code == XYLEM_OK && !entry_id) {
        code = xylem_clone(&session, txn, host->session, &options, err);
    } else if (code == XYLEM_OK &&
               (code = xylem_find(&at, txn, host->session, xylem_view_of(entry_id), err)) == XYLEM_OK) {
        code = xylem_fork(&session, txn, host->session, at, XYLEM_FORK_AT, &options, err);
    }
    code = end(txn, code, err);
    if (code < 0) {
        return code;
    }
    host->session = session.number;
    return session_start(host, XYLEM_REASON_FORK, err);
}

int host_navigate(struct host *host, const char *entry_id, struct xylem_error *err)
{
    struct xylem_position to;
    struct xylem_txn *txn = NULL;
    int code;
    if ((code = xylem_begin(&txn, host->store, XYLEM_WRITE, err)) == XYLEM_OK &&
        (code = xylem_find(&to, txn, host->session, xylem_view_of(entry_id), err)) == XYLEM_OK) {
        code = xylem_navigate(txn, host->session, to, xylem_view_of("chosen by the user"), err);
    }
    code = end(txn, code, err);
    return code < 0 ? code : session_tree(host, err);
}

/* Appends all entries at the leaf, or none if the leaf is not the last leaf that this host saw. */
static int append(struct host *host, const struct xylem_new_entry *entries, size_t count, struct xylem_error *err)
{
    struct xylem_append_options options = {.expected_leaf = &host->leaf};
    struct xylem_position first;
    struct xylem_txn *txn = NULL;
    int code = xylem_begin(&txn, host->store, XYLEM_WRITE, err);
    if (code == XYLEM_OK) {
        code = xylem_append(&first, txn, host->session, entries, count, &options, err);
    }
    code = end(txn, code, err);
    if (code == XYLEM_OK) {
        host->leaf = (struct xylem_position){first.branch, first.depth + count - 1};
    }
    return code;
}

/* The payload of a message has the members of its line in a session file, without type, id, parentId and timestamp. */
int host_message(struct host *host, const char *entry_id, const char *role, const char *text, struct xylem_error *err)
{
    struct xylem_buffer json = {0};
    int code;
    if ((code = xylem_buffer_add(&json, "{\"message\":{\"role\":", 19)) < 0 ||
        (code = xylem_buffer_add_json_string(&json, xylem_view_of(role))) < 0 ||
        (code = xylem_buffer_add(&json, ",\"content\":", 11)) < 0 ||
        (code = xylem_buffer_add_json_string(&json, xylem_view_of(text))) < 0 ||
        (code = xylem_buffer_add(&json, "}}", 2)) < 0) {
        *err = (struct xylem_error){.code = code, .text = "no memory for a message"};
    } else {
        struct xylem_new_entry entry = {.id = xylem_view_of(entry_id),
                                        .kind = {XYLEM_CLASS_HOST, xylem_view_of("message")},
                                        .format = XYLEM_FORMAT_JSON,
                                        .payload = {json.data, json.bytes}};
        code = append(host, &entry, 1, err);
    }
    xylem_buffer_release(&json);
    return code;
}

static struct xylem_new_entry custom(const char *name, const char *json)
{
    return (struct xylem_new_entry){
        .kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(name)}, .format = XYLEM_FORMAT_JSON, .payload = xylem_view_of(json)};
}

/* One append for toggle and nudge, so that neither exists without the other. */
int host_toggle(struct host *host, bool on, struct xylem_error *err)
{
    struct xylem_new_entry entries[] = {
        custom("readonly", on ? "{\"enabled\":true}" : "{\"enabled\":false}"),
        custom("readonly-nudge", on ? "{\"direction\":\"on\"}" : "{\"direction\":\"off\"}")};
    int code = append(host, entries, 2, err);
    return code < 0 ? code : toggled(host, err);
}

/* Tells the model, then notes the delivery: after a crash between the two steps the model is told again. */
static int deliver_nudge(struct host *host, struct xylem_error *err)
{
    struct xylem_new_entry told =
        custom("readonly-nudge", host->nudge_on ? "{\"direction\":\"on\",\"delivered\":true}"
                                                : "{\"direction\":\"off\",\"delivered\":true}");
    printf("  to the model: readonly is %s\n", host->nudge_on ? "on" : "off");
    int code = append(host, &told, 1, err);
    host->nudge_due = code < 0;
    return code;
}

/* The model asks for a tool. The tool runs if the gate lets the call go on; the model gets the result. */
static int ask_for_tool(struct host *host, const char *name, const char *input, struct xylem_error *err)
{
    const struct xylem_tool_call call = {.name = xylem_view_of(name), .input = xylem_view_of(input)};
    struct xylem_gate gate = {0};
    int code = xylem_gate_ask(&gate, host->readonly, &call, NULL, NULL, NULL, err);
    if (code == XYLEM_OK) {
        printf("  the model asks for %s: %s\n", name, gate.block ? "blocked" : "done");
        code = host_message(host, "", "toolResult", gate.block ? gate.reason.data : "done", err);
    }
    xylem_gate_release(&gate);
    return code;
}

/* A prompt, and the tool of the answer. */
int host_turn(struct host *host, const char *prompt_id, struct xylem_error *err)
{
    int code;
    if ((host->nudge_due && (code = deliver_nudge(host, err)) < 0) ||
        (code = host_message(host, prompt_id, "user", "note it in a file", err)) < 0) {
        return code;
    }
    return ask_for_tool(host, "bash", "{\"command\":\"date >> notes.txt\"}", err);
}
