#include "notebook.h"
#include <string.h>
#include "shape.h"

_Static_assert(NOTEBOOK_NAME_BYTES_MAX == 64 && NOTEBOOK_TEXT_BYTES_MAX == 16384, "as the reasons say");

/* The content of an entry of the notebook. Borrowed from the entry. */
struct said {
    struct xylem_view name;
    struct xylem_view text; /* empty if the page is removed */
    bool removed;
};

/* The reason why the entry does not count; NULL and the content if the entry counts. */
static const char *page_problem(struct said *said, const struct xylem_visit *visit)
{
    const struct xylem_value *removed = xylem_value_get(visit->data, "removed");
    const char *problem = shape_problem(visit);
    if (problem) {
        return problem;
    }
    *said = (struct said){.removed = xylem_value_bool(removed)};
    if (!shape_string(&said->name, xylem_value_get(visit->data, "name"), 1, NOTEBOOK_NAME_BYTES_MAX)) {
        return "name is not a string of 1 to 64 bytes";
    }
    if (removed && xylem_value_type(removed) != XYLEM_VALUE_BOOL) {
        return "removed is not a boolean";
    }
    if (!said->removed &&
        !shape_string(&said->text, xylem_value_get(visit->data, "text"), 0, NOTEBOOK_TEXT_BYTES_MAX)) {
        return "text is not a string of at most 16384 bytes";
    }
    return NULL;
}

static const struct notebook_page *find_any(const struct notebook *notebook, struct xylem_view name)
{
    for (size_t i = 0; i < notebook->page_count; i++) {
        const struct notebook_page *page = &notebook->pages[i];
        if (page->name.bytes == name.bytes && memcmp(page->name.data, name.data, name.bytes) == 0) {
            return page;
        }
    }
    return NULL;
}

static int put_page(struct notebook *notebook, const struct said *said, struct xylem_position position)
{
    struct notebook_page *page = &notebook->pages[notebook->page_count++]; /* counted at once, to be released */
    page->removed = said->removed;
    page->position = position;
    int code = xylem_buffer_add(&page->name, said->name.data, said->name.bytes);
    return code < 0 ? code : xylem_buffer_add(&page->text, said->text.data, said->text.bytes);
}

static const char *const notebook_kinds[] = {"custom:notebook-page", "custom:notebook-epoch", NULL};

static int notebook_visit(void *context, struct xylem_visit *visit)
{
    struct notebook *notebook = context;
    struct said said;
    if (visit->kind_index == 1) { /* an epoch: nothing older counts */
        notebook->epoch = visit->entry->position;
        return XYLEM_VISIT_DONE;
    }
    visit->reason = page_problem(&said, visit);
    if (visit->reason) {
        return XYLEM_VISIT_SKIP;
    }
    if (find_any(notebook, said.name)) {
        return XYLEM_VISIT_GO_ON; /* a newer entry decides about the page */
    }
    if (notebook->page_count == NOTEBOOK_PAGES_MAX) {
        notebook->cut_short = true;
        return XYLEM_VISIT_DONE;
    }
    int code = put_page(notebook, &said, visit->entry->position);
    return code < 0 ? code : XYLEM_VISIT_GO_ON;
}

struct xylem_reducer notebook_reducer(struct notebook *notebook)
{
    notebook_release(notebook);
    return (struct xylem_reducer){
        .name = "notebook", .kinds = notebook_kinds, .visit = notebook_visit, .context = notebook};
}

void notebook_release(struct notebook *notebook)
{
    for (size_t i = 0; i < notebook->page_count; i++) {
        xylem_buffer_release(&notebook->pages[i].name);
        xylem_buffer_release(&notebook->pages[i].text);
    }
    *notebook = (struct notebook){0};
}

const struct notebook_page *notebook_find(const struct notebook *notebook, struct xylem_view name)
{
    const struct notebook_page *page = find_any(notebook, name);
    return page && !page->removed ? page : NULL;
}

static int append(struct xylem_txn *txn, uint64_t session, const char *kind, const struct xylem_buffer *json,
                  struct xylem_error *err)
{
    struct xylem_new_entry entry = {.kind = {XYLEM_CLASS_CUSTOM, xylem_view_of(kind)},
                                    .format = json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE};
    if (json) {
        entry.payload = (struct xylem_view){json->data, json->bytes};
    }
    return xylem_append(NULL, txn, session, &entry, 1, NULL, err);
}

/* `text` NULL: the page is removed. */
static int page_json(struct xylem_buffer *json, struct xylem_view name, const struct xylem_view *text)
{
    static const char head[] = "{\"name\":";
    static const char middle[] = ",\"text\":";
    static const char removed[] = ",\"removed\":true";
    int code;
    if ((code = xylem_buffer_add(json, head, sizeof head - 1)) < 0 ||
        (code = xylem_buffer_add_json_string(json, name)) < 0 ||
        (text && ((code = xylem_buffer_add(json, middle, sizeof middle - 1)) < 0 ||
                  (code = xylem_buffer_add_json_string(json, *text)) < 0)) ||
        (!text && (code = xylem_buffer_add(json, removed, sizeof removed - 1)) < 0)) {
        return code;
    }
    return xylem_buffer_add(json, "}", 1);
}

static int append_page(struct xylem_txn *txn, uint64_t session, struct xylem_view name, const struct xylem_view *text,
                       struct xylem_error *err)
{
    struct xylem_buffer json = {0};
    if (name.bytes < 1 || name.bytes > NOTEBOOK_NAME_BYTES_MAX) {
        return shape_fail(err, XYLEM_E_LIMIT, "the name of a page has 1 to 64 bytes");
    }
    if (!shape_is_wtf8(name)) {
        return shape_fail(err, XYLEM_E_MALFORMED, "the name of a page is WTF-8");
    }
    int code = page_json(&json, name, text);
    code = code < 0 ? shape_fail(err, code, "no memory for a page") : append(txn, session, "notebook-page", &json, err);
    xylem_buffer_release(&json);
    return code;
}

int notebook_write(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_view text,
                   struct xylem_error *err)
{
    if (text.bytes > NOTEBOOK_TEXT_BYTES_MAX) {
        return shape_fail(err, XYLEM_E_LIMIT, "the text of a page has at most 16384 bytes");
    }
    if (!shape_is_wtf8(text)) {
        return shape_fail(err, XYLEM_E_MALFORMED, "the text of a page is WTF-8");
    }
    return append_page(txn, session, name, &text, err);
}

int notebook_remove(struct xylem_txn *txn, uint64_t session, struct xylem_view name, struct xylem_error *err)
{
    return append_page(txn, session, name, NULL, err);
}

int notebook_begin_epoch(struct xylem_txn *txn, uint64_t session, struct xylem_error *err)
{
    return append(txn, session, "notebook-epoch", NULL, err);
}
