/*
 * What an entry says, in one line. Knows the shapes of pi's entries (messages with a role and content in parts,
 * compactions, labels and so on); whatever has another shape is shown as JSON.
 */
#include "cli/cli.h"

#include <string.h>

/* More bytes of a text than any terminal shows in a line need not be gathered. */
#define GATHERED_BYTES_MAX 4096u

static void add_view(struct xylem_cli__text *text, struct xylem_view view)
{
    xylem_cli__add_bytes(text, view.data, view.bytes > GATHERED_BYTES_MAX ? GATHERED_BYTES_MAX : view.bytes);
}

static void add_json(struct xylem_cli__text *text, const struct xylem_value *value)
{
    if (!text->failed && value != NULL) {
        text->failed = xylem_value_json(&text->bytes, value) != 0;
    }
}

static const struct xylem_value *text_of(const struct xylem_value *map, const char *key)
{
    const struct xylem_value *value = xylem_value_get(map, key);
    return xylem_value_type(value) == XYLEM_VALUE_STRING ? value : NULL;
}

static void add_part(struct xylem_cli__text *text, const struct xylem_value *part)
{
    struct xylem_view type = xylem_value_string(xylem_value_get(part, "type"));
    const struct xylem_value *words = text_of(part, "text");

    if (text->bytes.bytes > 0) {
        xylem_cli__add(text, " ");
    }
    if (words != NULL) {
        add_view(text, xylem_value_string(words));
    } else if (type.bytes == 8 && memcmp(type.data, "toolCall", 8) == 0) {
        xylem_cli__add(text, "[");
        add_view(text, xylem_value_string(xylem_value_get(part, "name")));
        xylem_cli__add(text, " ");
        add_json(text, xylem_value_get(part, "arguments"));
        xylem_cli__add(text, "]");
    } else {
        xylem_cli__add(text, "[");
        add_view(text, type.bytes == 0 ? xylem_view_of("?") : type);
        xylem_cli__add(text, "]");
    }
}

/* A message's content: a string, or parts. */
static void add_content(struct xylem_cli__text *text, const struct xylem_value *content)
{
    struct xylem_cli__text parts = {0};

    if (xylem_value_type(content) == XYLEM_VALUE_STRING) {
        add_view(text, xylem_value_string(content));
        return;
    }
    const struct xylem_value *part = xylem_value_first(content);
    for (; part != NULL && parts.bytes.bytes < GATHERED_BYTES_MAX; part = xylem_value_next(content, part)) {
        add_part(&parts, part);
    }
    text->failed = text->failed || parts.failed;
    add_view(text, xylem_cli__text_view(&parts));
    xylem_cli__text_release(&parts);
}

static bool add_message(struct xylem_cli__text *text, const struct xylem_value *value)
{
    const struct xylem_value *wrapped = xylem_value_get(value, "message");
    const struct xylem_value *message = wrapped == NULL ? value : wrapped;
    const struct xylem_value *role = text_of(message, "role");
    const struct xylem_value *tool = text_of(message, "toolName");

    if (role == NULL) {
        return false;
    }
    add_view(text, xylem_value_string(role));
    if (tool != NULL) {
        xylem_cli__add(text, " ");
        add_view(text, xylem_value_string(tool));
    }
    xylem_cli__add(text, ": ");
    add_content(text, xylem_value_get(message, "content"));
    return true;
}

static bool add_label(struct xylem_cli__text *text, const struct xylem_value *value)
{
    const struct xylem_value *target = text_of(value, "targetId");
    struct xylem_view label = xylem_value_string(xylem_value_get(value, "label"));

    if (target == NULL) {
        return false;
    }
    add_view(text, label.bytes == 0 ? xylem_view_of("(removed)") : label);
    xylem_cli__add(text, " on ");
    add_view(text, xylem_value_string(target));
    return true;
}

static bool add_custom_message(struct xylem_cli__text *text, const struct xylem_value *value)
{
    const struct xylem_value *type = text_of(value, "customType");

    if (type == NULL) {
        return false;
    }
    add_view(text, xylem_value_string(type));
    xylem_cli__add(text, ": ");
    add_content(text, xylem_value_get(value, "content"));
    return true;
}

static bool add_model(struct xylem_cli__text *text, const struct xylem_value *value)
{
    const struct xylem_value *provider = text_of(value, "provider");
    const struct xylem_value *model = text_of(value, "modelId");

    if (model == NULL) {
        return false;
    }
    if (provider != NULL) {
        add_view(text, xylem_value_string(provider));
        xylem_cli__add(text, "/");
    }
    add_view(text, xylem_value_string(model));
    return true;
}

static bool add_member(struct xylem_cli__text *text, const struct xylem_value *value, const char *key)
{
    const struct xylem_value *member = text_of(value, key);

    if (member == NULL) {
        return false;
    }
    add_view(text, xylem_value_string(member));
    return true;
}

static void add_value(struct xylem_cli__text *text, struct xylem_kind kind, const struct xylem_value *value)
{
    static const struct {
        const char *kind;
        const char *member; /* what it says, or NULL: `add` does */
        bool (*add)(struct xylem_cli__text *text, const struct xylem_value *value);
    } shapes[] = {{"message", NULL, add_message},    {"label", NULL, add_label},
                  {"model_change", NULL, add_model}, {"custom_message", NULL, add_custom_message},
                  {"compaction", "summary", NULL},   {"branch_summary", "summary", NULL},
                  {"session_info", "name", NULL},    {"thinking_level_change", "thinkingLevel", NULL}};

    for (size_t i = 0; kind.kind_class == XYLEM_CLASS_HOST && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (kind.name.bytes != strlen(shapes[i].kind) || memcmp(kind.name.data, shapes[i].kind, kind.name.bytes) != 0) {
            continue;
        }
        if (shapes[i].member != NULL ? add_member(text, value, shapes[i].member) : shapes[i].add(text, value)) {
            return;
        }
    }
    add_json(text, value);
}

void xylem_cli__add_kind(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_kind kind)
{
    struct xylem_buffer spelt = {0};

    text->failed = text->failed || xylem_kind_text(&spelt, kind) != 0;
    xylem_cli__add_shown(cli, text, (struct xylem_view){spelt.data, spelt.bytes}, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_buffer_release(&spelt);
}

int xylem_cli__add_summary(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry,
                           size_t cells_max)
{
    struct xylem_document *document = NULL;
    struct xylem_cli__text words = {0};
    int code = xylem_document_new(&document, entry, &cli->err);

    if (code == XYLEM_E_REDACTED) {
        xylem_cli__add(&words, "(redacted)");
    } else if (code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT) {
        xylem_cli__addf(&words, "(%s)", cli->err.text);
    } else if (code != 0) {
        return code;
    } else {
        add_value(&words, entry->kind, xylem_document_value(document));
    }
    xylem_document_free(document);
    text->failed = text->failed || words.failed;
    xylem_cli__add_shown(cli, text, xylem_cli__text_view(&words), XYLEM_CLI__ONE_LINE, cells_max);
    xylem_cli__text_release(&words);
    return 0;
}
