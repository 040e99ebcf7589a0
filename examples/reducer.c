/*
 * A host's own state: which model was chosen last, and how many prompts there were since the last compaction. Two
 * reducers, one walk.
 *
 *     cc -o reducer reducer.c $(pkg-config --cflags --libs xylem)
 *     ./reducer STORE SESSION
 */
#include <stdio.h>
#include <string.h>
#include <xylem.h>

/* The state owns its bytes: entry and data end with the visit. */
struct model {
    char id[64]; /* empty: none was chosen */
};

static const char *const model_kinds[] = {"model_change", NULL};

static int model_visit(void *context, struct xylem_visit *visit)
{
    struct model *model = context;
    struct xylem_view id = xylem_value_string(xylem_value_get(visit->data, "modelId"));
    if (id.bytes == 0 || id.bytes >= sizeof model->id) {
        visit->reason = "modelId is no string of 1 to 63 bytes";
        return XYLEM_VISIT_SKIP;
    }
    memcpy(model->id, id.data, id.bytes);
    return XYLEM_VISIT_DONE; /* newest first: no older one matters */
}

static const char *const prompts_kinds[] = {"message", "compaction", NULL};

static int prompts_visit(void *context, struct xylem_visit *visit)
{
    unsigned *count = context;
    if (visit->kind_index == 1) { /* a compaction: what is older was summed up */
        return XYLEM_VISIT_DONE;
    }
    struct xylem_view role = xylem_value_string(xylem_value_get(xylem_value_get(visit->data, "message"), "role"));
    if (role.bytes == 4 && memcmp(role.data, "user", 4) == 0) {
        *count += 1;
    }
    return XYLEM_VISIT_GO_ON;
}

static int show(struct xylem_txn *txn, const char *session_id, struct xylem_error *err)
{
    struct model model = {""};
    unsigned prompt_count = 0;
    const struct xylem_reducer reducers[] = {
        {.name = "model", .kinds = model_kinds, .visit = model_visit, .context = &model},
        {.name = "prompts", .kinds = prompts_kinds, .visit = prompts_visit, .context = &prompt_count}};
    struct xylem_reduction reduction = {0};
    struct xylem_session session;
    int code = xylem_session_find(&session, txn, xylem_view_of(session_id), err);
    code = code < 0 ? code : xylem_reduce(&reduction, txn, session.leaf, reducers, 2, NULL, err);
    if (code == XYLEM_OK) {
        printf("model %s, prompts since the last compaction: %u; %llu entries read\n", model.id[0] ? model.id : "none",
               prompt_count, (unsigned long long)reduction.looked_at);
    }
    for (size_t i = 0; i < reduction.skipped_count; i++) {
        printf("an entry of depth %llu does not count: %s\n", (unsigned long long)reduction.skipped[i].position.depth,
               reduction.skipped[i].reason);
    }
    xylem_reduction_release(&reduction);
    return code;
}

int main(int argc, char **argv)
{
    struct xylem_open_options options = {.read_only = true};
    struct xylem_store *store = NULL;
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: reducer STORE SESSION\n");
        return 2;
    }
    int code = xylem_open(&store, argv[1], &options, &err);
    code = code < 0 ? code : xylem_begin(&txn, store, XYLEM_READ, &err);
    code = code < 0 ? code : show(txn, argv[2], &err);
    xylem_abort(txn);
    if (code < 0) {
        fprintf(stderr, "reducer: %s: %s\n", xylem_code_text(code), err.text);
    }
    return xylem_close(store, NULL) < 0 || code < 0;
}
