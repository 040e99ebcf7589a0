/* Operations on paths, on fingerprints of files, and on a table of the files that a session has read. */
#include "hosts/node/addon/addon.h"

#include <string.h>
#include <time.h>

#include "hosts/node/addon/held.h"
#include "hosts/node/addon/strings.h"

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct xylem_view view_of(const struct xylem_buffer *buffer)
{
    return (struct xylem_view){buffer->data, buffer->bytes};
}

/* --- Files ------------------------------------------------------------------------------------------------------- */

struct file_call {
    struct call call;
    struct xylem_view input; /* as the model gave it */
    const char *cwd;
    const char *home;
    const char *path;
    struct xylem_buffer key;
    struct xylem_fingerprint found;
    const char *hash;
};

static const struct field key_arguments[] = {
    {"the path", FIELD_STRING, AT(file_call, input)},
    {"cwd", FIELD_NAME, AT(file_call, cwd)},
    {"the home", FIELD_NAME, AT(file_call, home)},
    {.name = NULL},
};
static const struct field file_arguments[] = {{"the path", FIELD_NAME, AT(file_call, path)}, {.name = NULL}};
static const struct field key_answer[] = {{"key", FIELD_BUFFER, AT(file_call, key)}};
static const struct field fingerprint_answer[] = {
    {"hash", FIELD_NAME, AT(file_call, hash)},
    {"bytes", FIELD_COUNT, AT(file_call, found.bytes)},
    {.name = NULL},
};

static int run_key(struct call *call)
{
    struct file_call *asked = (struct file_call *)call;
    return xylem_path_key(&asked->key, asked->input, asked->cwd, asked->home, &call->err);
}

static int run_real(struct call *call)
{
    struct file_call *asked = (struct file_call *)call;
    return xylem_path_real(&asked->key, asked->path, &call->err);
}

static int run_fingerprint(struct call *call)
{
    struct file_call *asked = (struct file_call *)call;
    asked->hash = asked->found.hash;
    return xylem_fingerprint_file(&asked->found, asked->path, &call->err);
}

static void release_file(struct call *call)
{
    xylem_buffer_release(&((struct file_call *)call)->key);
}

/* --- The table --------------------------------------------------------------------------------------------------- */

/* A file of this machine is given by its path; of another machine by a key, with what the host found there. */
struct reads_call {
    struct call call;
    struct shared_reads *made;
    struct held held;
    const char *path;
    struct xylem_view key;
    enum xylem_read_by by;
    enum xylem_write_tool tool;
    struct xylem_view shown;
    struct xylem_view hash; /* data NULL: there is no file */
    uint64_t bytes;
    struct xylem_view problem; /* data NULL: the host could look */
    struct xylem_buffer real;
    struct xylem_reads_verdict verdict;
    uint64_t noted_ms;
    bool forgotten;
    struct xylem_buffer data;
};

static const char *const by_words[] = {
    [XYLEM_READ_BY_READ] = "read", [XYLEM_READ_BY_EDIT] = "edit", [XYLEM_READ_BY_WRITE] = "write", NULL};
static const char *const tool_words[] = {[XYLEM_WRITE_TOOL_EDIT] = "edit", [XYLEM_WRITE_TOOL_WRITE] = "write", NULL};
static const char *const why_words[] = {[XYLEM_READS_PASS] = "pass",
                                        [XYLEM_READS_UNREAD] = "unread",
                                        [XYLEM_READS_CHANGED] = "changed",
                                        [XYLEM_READS_DELETED] = "deleted"};

#define READS                                     \
    {                                             \
        "the reads", FIELD_READS, AT(call, reads) \
    }
#define PATH                                         \
    {                                                \
        "the path", FIELD_NAME, AT(reads_call, path) \
    }
#define KEY                                          \
    {                                                \
        "the key", FIELD_STRING, AT(reads_call, key) \
    }
#define BY                                                            \
    {                                                                 \
        "the tool", FIELD_WORD, AT(reads_call, by), .words = by_words \
    }

static const struct field there_fields[] = {
    {"hash", FIELD_STRING, AT(reads_call, hash)},
    {"bytes", FIELD_COUNT, AT(reads_call, bytes)},
    {.name = NULL},
};
static const struct field question_fields[] = {
    {"tool", FIELD_WORD, AT(reads_call, tool), .words = tool_words},
    {"shown", FIELD_STRING, MAYBE_AT(reads_call, shown)},
    {.name = NULL},
};
static const struct field key_question_fields[] = {
    {"tool", FIELD_WORD, AT(reads_call, tool), .words = tool_words},
    {"shown", FIELD_STRING, MAYBE_AT(reads_call, shown)},
    {"there", FIELD_OBJECT, .optional = true, .fields = there_fields},
    {"problem", FIELD_STRING, MAYBE_AT(reads_call, problem)},
    {.name = NULL},
};
static const struct field reads_arguments[] = {READS, {.name = NULL}};
static const struct field load_arguments[] = {READS, HELD_ARGUMENT(reads_call), {.name = NULL}};
static const struct field path_arguments[] = {READS, PATH, {.name = NULL}};
static const struct field note_arguments[] = {READS, PATH, BY, {.name = NULL}};
static const struct field check_arguments[] = {
    READS, PATH, {"the question", FIELD_OBJECT, .fields = question_fields}, {.name = NULL}};
static const struct field forget_key_arguments[] = {READS, KEY, {.name = NULL}};
static const struct field note_key_arguments[] = {
    READS, KEY, BY, {"the fingerprint", FIELD_OBJECT, .fields = there_fields}, {.name = NULL}};
static const struct field check_key_arguments[] = {
    READS, KEY, {"the question", FIELD_OBJECT, .fields = key_question_fields}, {.name = NULL}};

static const struct field reads_answer[] = {{"the reads", FIELD_READS, AT(reads_call, made)}};
static const struct field forgotten_answer[] = {{"forgotten", FIELD_BOOL, AT(reads_call, forgotten)}};
static const struct field data_answer[] = {{"data", FIELD_BUFFER, AT(reads_call, data)}};
static const struct field verdict_answer[] = {
    {"why", FIELD_WORD, AT(reads_call, verdict.why), .words = why_words},
    {"message", FIELD_BUFFER, AT(reads_call, verdict.message)},
    {"notedMs", FIELD_COUNT, AT(reads_call, noted_ms)},
    {"key", FIELD_STRING, AT(reads_call, key)},
    {.name = NULL},
};

static int run_reads(struct call *call)
{
    return reads_make(&((struct reads_call *)call)->made, &call->err);
}

static int run_load(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    asked->held.err = &call->err;
    int code = xylem_reads_load_from(reads_lock(call->reads), held_next, &asked->held, NULL, &call->err);
    reads_unlock(call->reads);
    return code;
}

static int run_drain(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    int code = xylem_reads_drain(&asked->data, reads_lock(call->reads), &call->err);
    reads_unlock(call->reads);
    call->none = code == 0;
    return code;
}

/* --- Files of this machine: without the lock while the file system works ----------------------------------------- */

/* Sets the key of the path, and the noted fingerprint of the key: 1, or 0 if the file is not noted. */
static int find_known(struct xylem_fingerprint *known, struct reads_call *asked)
{
    int code = xylem_path_real(&asked->real, asked->path, &asked->call.err);
    if (code < 0) {
        return code;
    }
    asked->key = view_of(&asked->real);
    bool noted = xylem_reads_known(known, reads_lock(asked->call.reads), asked->key);
    reads_unlock(asked->call.reads);
    return noted;
}

static int run_note(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    struct xylem_fingerprint known;
    struct xylem_fingerprint now;
    int noted = find_known(&known, asked);
    int code = noted < 0 ? noted
               : noted   ? xylem_fingerprint_look(&now, asked->real.data, &known, &call->err)
                         : xylem_fingerprint_file(&now, asked->real.data, &call->err);
    if (code < 0) {
        return code;
    }
    code = xylem_reads_note(reads_lock(call->reads), asked->key, &now, asked->by, now_ms(), &call->err);
    reads_unlock(call->reads);
    return code;
}

static int run_forget_gone(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    struct xylem_fingerprint known;
    struct xylem_fingerprint now;
    int noted = find_known(&known, asked);
    if (noted <= 0 || xylem_fingerprint_look(&now, asked->real.data, NULL, &call->err) != XYLEM_E_NOT_FOUND) {
        return 0;
    }
    asked->forgotten = true;
    int code = xylem_reads_forget(reads_lock(call->reads), asked->key, &call->err);
    reads_unlock(call->reads);
    return code;
}

/* The verdict on a file that was looked at: `found` is 0 or the code of the look, whose text is in `err`. */
static int judge(struct reads_call *asked, int found, const struct xylem_fingerprint *now)
{
    struct call *call = &asked->call;
    struct xylem_error problem = {.code = found};
    memcpy(problem.text, call->err.text, sizeof problem.text);
    struct xylem_view text = asked->problem.data ? asked->problem : xylem_view_of(problem.text);
    int code = xylem_reads_check(&asked->verdict, reads_lock(call->reads), asked->key, asked->shown, asked->tool, found,
                                 now, text, &call->err);
    reads_unlock(call->reads);
    asked->noted_ms = (uint64_t)asked->verdict.noted_ms;
    return code;
}

static int run_check(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    struct xylem_fingerprint known;
    struct xylem_fingerprint now;
    asked->key = xylem_view_of(asked->path);
    int code = find_known(&known, asked);
    if (code >= 0) {
        code = xylem_fingerprint_look(&now, asked->real.data, code ? &known : NULL, &call->err);
    }
    return code == XYLEM_E_MEMORY ? code : judge(asked, code, &now);
}

/* --- Files of another machine ------------------------------------------------------------------------------------ */

static int take_fingerprint(struct xylem_fingerprint *into, struct reads_call *asked)
{
    *into = (struct xylem_fingerprint){.bytes = asked->bytes};
    if (asked->hash.bytes >= sizeof into->hash || memchr(asked->hash.data, '\0', asked->hash.bytes)) {
        return fail(&asked->call.err, XYLEM_E_MALFORMED, "the hash of a file is 'algorithm:hex'");
    }
    memcpy(into->hash, asked->hash.data, asked->hash.bytes);
    return 0;
}

static int run_note_key(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    struct xylem_fingerprint there;
    int code = take_fingerprint(&there, asked);
    if (code < 0) {
        return code;
    }
    code = xylem_reads_note(reads_lock(call->reads), asked->key, &there, asked->by, now_ms(), &call->err);
    reads_unlock(call->reads);
    return code;
}

static int run_forget_key(struct call *call)
{
    int code = xylem_reads_forget(reads_lock(call->reads), ((struct reads_call *)call)->key, &call->err);
    reads_unlock(call->reads);
    return code;
}

static int run_check_key(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    struct xylem_fingerprint there;
    if (asked->problem.data) {
        return judge(asked, XYLEM_E_IO, NULL);
    }
    if (!asked->hash.data) {
        return judge(asked, XYLEM_E_NOT_FOUND, NULL);
    }
    int code = take_fingerprint(&there, asked);
    return code < 0 ? code : judge(asked, 0, &there);
}

static void release_reads(struct call *call)
{
    struct reads_call *asked = (struct reads_call *)call;
    xylem_buffer_release(&asked->held.kind);
    xylem_buffer_release(&asked->real);
    xylem_buffer_release(&asked->data);
    xylem_reads_verdict_release(&asked->verdict);
    if (asked->made) { /* no handle has it */
        reads_drop(asked->made);
    }
}

/* --- The last writer --------------------------------------------------------------------------------------------- */

struct writer_call {
    struct call call;
    struct xylem_view session;
    struct xylem_view key;
    uint64_t since_ms;
    struct xylem_buffer sentence;
};

static const struct field writer_arguments[] = {
    {"the store", FIELD_STORE, AT(call, store)},
    {"the session's id", FIELD_STRING, AT(writer_call, session)},
    {"the key", FIELD_STRING, AT(writer_call, key)},
    {"the time", FIELD_COUNT, AT(writer_call, since_ms)},
    {.name = NULL},
};
static const struct field writer_answer[] = {{"sentence", FIELD_BUFFER, AT(writer_call, sentence)}};

static int read_writer(struct call *call, struct xylem_txn *txn)
{
    struct writer_call *asked = (struct writer_call *)call;
    struct xylem_session session;
    struct xylem_last_writer writer;
    int code = xylem_session_find(&session, txn, asked->session, &call->err);
    if (code == 0) {
        code = xylem_reads_last_writer(&writer, txn, session.number, asked->key, (int64_t)asked->since_ms, &call->err);
        call->none = code == 0;
    }
    return code == 1 ? xylem_reads_add_writer(&asked->sentence, &writer, now_ms(), &call->err) : code;
}

static void release_writer(struct call *call)
{
    xylem_buffer_release(&((struct writer_call *)call)->sentence);
}

/* ----------------------------------------------------------------------------------------------------------------- */

#define CALL(type) .call_bytes = sizeof(struct type##_call)
#define KEY_OF CALL(file), .answer = key_answer, .is_value = true, .release = release_file
#define TABLE CALL(reads), .release = release_reads

const struct operation reads_operations[] = {
    {"pathKey", KEY_OF, .arguments = key_arguments, .run = run_key},
    {"pathReal", KEY_OF, .waits = true, .arguments = file_arguments, .run = run_real},
    {"fingerprint", CALL(file), .waits = true, .arguments = file_arguments, .answer = fingerprint_answer,
     .run = run_fingerprint, .release = release_file},
    {"reads", TABLE, .answer = reads_answer, .is_value = true, .run = run_reads},
    {"readsLoad", TABLE, .arguments = load_arguments, .run = run_load},
    {"readsDrain", TABLE, .arguments = reads_arguments, .answer = data_answer, .is_value = true, .run = run_drain},
    {"readsNote", TABLE, .waits = true, .arguments = note_arguments, .run = run_note},
    {"readsForgetGone", TABLE, .waits = true, .arguments = path_arguments, .answer = forgotten_answer, .is_value = true,
     .run = run_forget_gone},
    {"readsCheck", TABLE, .waits = true, .arguments = check_arguments, .answer = verdict_answer, .run = run_check},
    {"readsNoteKey", TABLE, .arguments = note_key_arguments, .run = run_note_key},
    {"readsForgetKey", TABLE, .arguments = forget_key_arguments, .run = run_forget_key},
    {"readsCheckKey", TABLE, .arguments = check_key_arguments, .answer = verdict_answer, .run = run_check_key},
    {"lastWriter", CALL(writer), .waits = true, .arguments = writer_arguments, .answer = writer_answer,
     .is_value = true, .read = read_writer, .release = release_writer},
    {.name = NULL},
};
