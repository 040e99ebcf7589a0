/* xylem gate: tells whether a tool call may run while readonly is on. */
#include "cli/policy.h"
#include "xylem/gate.h"
#include "xylem/reads.h"

#include <stdlib.h>
#include <unistd.h>

/* Larger than the tool call of any host, and small enough to read at once. */
#define CALL_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct gate_options {
    const char *config;
    bool flag_readonly;
    bool reads;
};

static const struct xylem_cli__option gate_table[] = {
    {"config", 0, "FILE", XYLEM_CLI__TEXT, offsetof(struct gate_options, config),
     "the readonly policy's options, as JSON", NULL},
    {"flag-readonly", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct gate_options, flag_readonly),
     "the host was started with --readonly: readonly is on if the path has no toggle", NULL},
    {"reads", 0, NULL, XYLEM_CLI__FLAG, offsetof(struct gate_options, reads),
     "block edit and write of a file that the session has not read as it is now", NULL},
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

/* The verdict of the noted files of the session on the file of a call. `verdict` has the text of `file`. */
static int check_file(struct xylem_cli *cli, struct xylem_gate_file *file, struct xylem_reads_verdict *verdict,
                      struct xylem_view json, const struct xylem_session *session, struct xylem_position at)
{
    struct xylem_gate_call call = {.read_only = false};
    struct xylem_buffer cwd = {0};
    struct xylem_reads *reads = NULL;
    int code;
    if ((code = xylem_reads_new(&reads, &cli->err)) < 0 ||
        (code = xylem_cli__stored(cli, xylem_reads_load(reads, cli->txn, at, NULL, &cli->err), at)) < 0 ||
        (code = xylem_buffer_add(&cwd, session->cwd.data, session->cwd.bytes)) < 0) {
        goto out;
    }
    code = xylem_gate_call_read(&call, json, &cli->err);
    if (code == XYLEM_E_MEMORY) {
        goto out;
    }
    /* the gate says what else is wrong with the call */
    const char *from = call.tool.cwd ? call.tool.cwd : cwd.data[0] == '/' ? cwd.data : NULL;
    code = xylem_reads_check_call(verdict, reads, call.tool.name, call.tool.input, from, getenv("HOME"), &cli->err);
    file->pass = code >= 0 && !verdict->block;
    file->reason = (struct xylem_view){verdict->message.data, verdict->message.bytes};
    file->verdict = code == 1 ? xylem_reads_why_name(verdict->why) : NULL;
out:
    xylem_gate_call_release(&call);
    xylem_buffer_release(&cwd);
    xylem_reads_free(reads);
    return code;
}

static int run(struct xylem_cli *cli, char **arguments, const void *options)
{
    const struct gate_options *given = options;
    /* the state of a running session: the newest toggle decides, and without a toggle the flag */
    const struct xylem_event event = {.type = XYLEM_EVENT_SESSION_TREE, .flag_readonly = given->flag_readonly};
    struct xylem_cli__place place;
    struct xylem_cli__text call = {0};
    struct xylem_cli__text answer = {0};
    struct xylem_state state = {0};
    struct xylem_policy *policy = NULL;
    struct xylem_gate_file file = {.pass = false};
    struct xylem_reads_verdict verdict = {.block = false};
    enum xylem_decision decision = XYLEM_DENY;
    int code;
    if ((code = xylem_cli__policy_read(cli, &policy, XYLEM_POLICY_READONLY, given->config)) < 0 ||
        (code = xylem_cli__read_all(cli, &call, STDIN_FILENO, CALL_BYTES_MAX, false, "the tool call")) < 0 ||
        (code = xylem_cli__open_reading(cli)) < 0 ||
        (code = xylem_cli__place_find(cli, &place, arguments[0], XYLEM_CLI__NAMED, xylem_cli__entry_or_none)) < 0 ||
        (code = xylem_cli__rehydrate(cli, &state, place.position, &event, NULL)) < 0 ||
        (given->reads && !state.readonly.enabled &&
         (code = check_file(cli, &file, &verdict, xylem_cli__text_view(&call), &place.session, place.position)) < 0) ||
        (code = xylem_gate_json(&answer.bytes, &decision, state.readonly.enabled, xylem_cli__text_view(&call),
                                given->reads ? &file : NULL, policy, NULL, &cli->err)) < 0 ||
        (code = xylem_cli__put_json(cli, &answer)) < 0) {
        goto out;
    }
    code = xylem_cli__decision_exit(decision);
out:
    xylem_policy_free(policy);
    xylem_reads_verdict_release(&verdict);
    xylem_state_release(&state);
    xylem_cli__text_release(&answer);
    xylem_cli__text_release(&call);
    return code;
}

const struct xylem_cli__command xylem_cli__cmd_gate = {
    .name = "gate",
    .group = XYLEM_CLI__PLUMBING,
    .summary = "Say whether a tool call may go on while readonly is on",
    .usage = "SESSION[:ENTRY] [--config FILE] [--flag-readonly] [--reads] < CALL",
    .details =
        "CALL is a JSON object: `toolName` (or `tool_name`, `name`), `input` (or `tool_input`), and perhaps `cwd`\n"
        "and `annotations`. The answer is a JSON object: `block`, the `reason` for the model, and the policy's\n"
        "findings. While readonly is on, write, edit, multiedit, notebookedit, apply_patch and powershell are\n"
        "blocked, a command of bash or monitor is judged (see `xylem help judge`), a tool annotated\n"
        "`destructiveHint: true` or `readOnlyHint: false` is blocked, and other tools go on. With --reads an edit or\n"
        "write of a file that the session has not read, or that changed since, is blocked too (see `xylem help\n"
        "files`); a relative path begins at `cwd`, or at the session's directory.\n"
        "\n"
        "Exit codes: 0: the call goes on; 1: the call is blocked; 8: a person is to be asked; others: there is no\n"
        "answer, and the call must not go on.\n",
    .options = gate_table,
    .options_bytes = sizeof(struct gate_options),
    .arguments_min = 1,
    .arguments_max = 1,
    .surplus = "the call comes from standard input",
    .arguments = {XYLEM_CLI__SESSION_ENTRY},
    .run = run,
};
