/*
 * Extracts the text of an entry. Knows the shapes of pi's entries: messages with a role and content in parts,
 * compactions, labels and so on. Any other shape counts as data.
 */
#include "cli/show/entries.h"
#include "xylem/files.h"

#include <string.h>

#define STRING_BYTES_MAX 256 /* of the beginning of an entry: more than 72 cells of most scripts take */
#define ESCAPE_BYTES_MAX 12  /* two halves of a character, as `\\ud83d\\ude00` */

static bool is_string(const struct xylem_value *value)
{
    return xylem_value_type(value) == XYLEM_VALUE_STRING;
}

struct xylem_view xylem_cli__string_of(const struct xylem_value *map, const char *key)
{
    const struct xylem_value *value = xylem_value_get(map, key);
    struct xylem_view view = xylem_value_string(value);
    return !is_string(value) ? (struct xylem_view){NULL, 0} : view.data ? view : xylem_view_of("");
}

static void add_view(struct xylem_cli__text *text, struct xylem_view view)
{
    xylem_cli__add_bytes(text, view.data, view.bytes);
}

static bool is_host(const struct xylem_cli__said *said, const char *kind)
{
    return said->kind.kind_class == XYLEM_CLASS_HOST && xylem_base__view_is(said->kind.name, kind);
}

/* Finds what the entry is about. Makes the words of kinds whose text comes from several members. */
static void look(struct xylem_cli__said *said)
{
    const struct xylem_value *wrapped = xylem_value_get(said->value, "message");
    const struct xylem_value *message = wrapped ? wrapped : said->value;
    int64_t exit_code = 0;
    if (is_host(said, "message") && xylem_cli__string_of(message, "role").data) {
        said->message = message;
        said->role = xylem_cli__string_of(message, "role");
        said->subject =
            xylem_cli__string_of(message, xylem_base__view_is(said->role, "toolResult") ? "toolName" : "customType");
        said->failed = xylem_value_bool(xylem_value_get(message, "isError")) ||
                       xylem_base__view_is(xylem_cli__string_of(message, "stopReason"), "error");
        if (!xylem_cli__string_of(message, "command").data) {
            return;
        }
        /* a command that a person ran */
        if (xylem_value_bool(xylem_value_get(message, "cancelled"))) {
            xylem_cli__add(&said->made, "cancelled");
        } else if (xylem_value_integer(&exit_code, xylem_value_get(message, "exitCode")) && exit_code != 0) {
            xylem_cli__addf(&said->made, "exit code %lld", (long long)exit_code);
        }
        said->failed = said->failed || said->made.bytes.bytes > 0;
    } else if (is_host(said, "custom_message")) {
        said->subject = xylem_cli__string_of(said->value, "customType");
    } else if (is_host(said, "label") && xylem_cli__string_of(said->value, "targetId").data) {
        struct xylem_view label = xylem_cli__string_of(said->value, "label");
        add_view(&said->made, label.bytes == 0 ? xylem_view_of("(removed)") : label);
        xylem_cli__add(&said->made, " on ");
        add_view(&said->made, xylem_cli__string_of(said->value, "targetId"));
    } else if (is_host(said, "model_change") && xylem_cli__string_of(said->value, "modelId").data) {
        struct xylem_view provider = xylem_cli__string_of(said->value, "provider");
        add_view(&said->made, provider);
        xylem_cli__add(&said->made, provider.data ? "/" : "");
        add_view(&said->made, xylem_cli__string_of(said->value, "modelId"));
    }
}

/* The end of a string of JSON, from behind the quote that opens the string; NULL: the text is not JSON. */
static const char *string_end(const char *at, const char *end)
{
    const char *quote = memchr(at, '"', (size_t)(end - at));
    while (quote) {
        const char *slash = quote;
        while (slash > at && slash[-1] == '\\') {
            slash--;
        }
        if ((quote - slash) % 2 == 0) {
            break;
        }
        at = quote + 1;
        quote = memchr(at, '"', (size_t)(end - at));
    }
    return quote;
}

/* The place before `at` at which a string can be cut: between two characters, and far behind each escape. Or `begin`. */
static const char *cut_before(const char *at, const char *begin)
{
    while (at - begin > ESCAPE_BYTES_MAX) {
        const char *slash = memchr(at - ESCAPE_BYTES_MAX, '\\', ESCAPE_BYTES_MAX);
        if (!slash && !xylem_base__utf8_continues(*at)) {
            return at;
        }
        at = slash ? slash : at - 1;
    }
    return begin;
}

/* True for the string of the member `data`: an image, of which the size is shown. */
static bool is_image(const char *quote, const char *begin)
{
    while (quote > begin && (quote[-1] == ' ' || quote[-1] == ':')) {
        quote--;
    }
    return quote - begin > 6 && memcmp(quote - 6, "\"data\"", 6) == 0;
}

/* Copies JSON with the beginnings of its long strings: a line shows no more, and to decode the rest takes time. */
static void shorten(const struct xylem_cli *cli, struct xylem_cli__text *json, struct xylem_view payload)
{
    const char *end = payload.data + payload.bytes;
    const char *done = payload.data;
    const char *quote = memchr(done, '"', payload.bytes);
    while (quote) {
        const char *close = string_end(quote + 1, end);
        if (close && close - quote > STRING_BYTES_MAX && !is_image(quote, payload.data)) {
            const char *cut = cut_before(quote + STRING_BYTES_MAX, quote + 1);
            if (cut > quote + 1) {
                xylem_cli__add_bytes(json, done, (size_t)(cut - done));
                xylem_cli__add(json, xylem_cli__utf8(cli) ? "\u2026" : "~");
                done = close;
            }
        }
        quote = close ? memchr(close + 1, '"', (size_t)(end - close - 1)) : NULL;
    }
    xylem_cli__add_bytes(json, done, (size_t)(end - done));
}

/* Appends the payload as JSON, without what the user leaves out. */
static int read_left(struct xylem_cli *cli, struct xylem_cli__text *left, const struct xylem_entry *entry)
{
    struct xylem_document *document = NULL;
    struct xylem_cli__text json = {0};
    int code = xylem_document_new(&document, entry, &cli->err);
    if (code == 0) {
        json.failed = xylem_value_json(&json.bytes, xylem_document_value(document)) < 0;
        code = json.failed ? xylem_cli__fail_memory(cli)
                           : xylem_cli__json_leave_out(cli, left, xylem_cli__text_view(&json));
    }
    xylem_document_free(document);
    xylem_cli__text_release(&json);
    return code;
}

/* Reads the document of `json`, where its values then lie. */
static int read_json(struct xylem_cli *cli, struct xylem_cli__said *said)
{
    return said->json.failed ? xylem_cli__fail_memory(cli)
                             : xylem_document_new_json(&said->document, xylem_cli__text_view(&said->json), &cli->err);
}

/* Adds the reason of a redaction. What is left out goes before the reason is cut into rows, which would show parts. */
static int add_reason(struct xylem_cli *cli, struct xylem_cli__said *said, struct xylem_view reason)
{
    int found = 0;
    xylem_cli__add(&said->made, reason.bytes > 0 ? "redacted: " : "redacted"); /* `redacted: a key of the customer` */
    if (!cli->left_out || reason.bytes == 0) {
        add_view(&said->made, reason);
    } else if ((found = xylem_patterns_redact_text(&said->made.bytes, cli->left_out->patterns, reason, &cli->err)) ==
               XYLEM_E_LIMIT) {
        xylem_cli__add(&said->made, "[redacted]"); /* what cannot be searched is not shown */
        found = 1;
    }
    if (found > 0) {
        cli->left_out->count++;
    }
    return found < 0 ? found : 0;
}

static int read_said(struct xylem_cli *cli, struct xylem_cli__said *said, const struct xylem_entry *entry,
                     bool beginning)
{
    struct xylem_view payload;
    struct xylem_view reason = {NULL, 0};
    int code;
    *said = (struct xylem_cli__said){.kind = entry->kind};
    if (cli->left_out && beginning) { /* the cut comes last: a part of a match would not match */
        struct xylem_cli__text left = {0};
        if ((code = read_left(cli, &left, entry)) == 0) {
            shorten(cli, &said->json, xylem_cli__text_view(&left));
            code = read_json(cli, said);
        }
        xylem_cli__text_release(&left);
    } else if (cli->left_out) {
        code = read_left(cli, &said->json, entry);
        code = code == 0 ? read_json(cli, said) : code;
    } else if (!beginning || entry->format != XYLEM_FORMAT_JSON || entry->payload_bytes <= STRING_BYTES_MAX) {
        code = xylem_document_new(&said->document, entry, &cli->err);
    } else if ((code = xylem_entry_payload(&payload, entry, &cli->err)) == 0) {
        shorten(cli, &said->json, payload);
        code = read_json(cli, said);
    }
    said->unreadable = code == XYLEM_E_REDACTED || code == XYLEM_E_MALFORMED || code == XYLEM_E_LIMIT;
    if (code == 0) {
        said->value = xylem_document_value(said->document);
        look(said);
    } else if (code == XYLEM_E_REDACTED) {
        if ((code = xylem_entry_redaction(&reason, entry, &cli->err)) < 0 ||
            (code = add_reason(cli, said, reason)) < 0) {
            return code;
        }
    } else if (said->unreadable) {
        xylem_cli__add(&said->made, cli->err.text);
    } else {
        return code;
    }
    return said->made.failed ? xylem_cli__fail_memory(cli) : 0;
}

int xylem_cli__said_read(struct xylem_cli *cli, struct xylem_cli__said *said, const struct xylem_entry *entry)
{
    return read_said(cli, said, entry, false);
}

int xylem_cli__said_read_beginning(struct xylem_cli *cli, struct xylem_cli__said *said, const struct xylem_entry *entry)
{
    return read_said(cli, said, entry, true);
}

void xylem_cli__said_release(struct xylem_cli__said *said)
{
    xylem_document_free(said->document);
    xylem_cli__text_release(&said->made);
    xylem_cli__text_release(&said->json);
    *said = (struct xylem_cli__said){0};
}

/* --- Passages ----------------------------------------------------------------------------------------------------- */

struct visiting {
    bool (*visit)(void *context, const struct xylem_cli__passage *passage);
    void *context;
    bool ended;
    size_t count;
};

static void give(struct visiting *visiting, struct xylem_cli__passage passage)
{
    if (!visiting->ended) {
        visiting->count++;
        visiting->ended = !visiting->visit(visiting->context, &passage);
    }
}

static void give_words(struct visiting *visiting, enum xylem_cli__passage_type type, struct xylem_view words)
{
    if (words.bytes > 0) {
        give(visiting, (struct xylem_cli__passage){.type = type, .words = words});
    }
}

static void give_data(struct visiting *visiting, const struct xylem_value *value)
{
    give(visiting, (struct xylem_cli__passage){.type = XYLEM_CLI__DATA, .value = value});
}

/* A part of an unknown type is shown as data. */
static void give_part(struct visiting *visiting, const struct xylem_value *part)
{
    struct xylem_view type = xylem_cli__string_of(part, "type");
    struct xylem_view text = xylem_cli__string_of(part, "text");
    struct xylem_view name = xylem_cli__string_of(part, "name");
    struct xylem_view thinking = xylem_cli__string_of(part, "thinking");
    struct xylem_view image = xylem_cli__string_of(part, "data");
    struct xylem_cli__passage passage = {.type = XYLEM_CLI__CALL, .name = name};
    if (text.data) {
        give_words(visiting, XYLEM_CLI__WORDS, text);
    } else if (xylem_base__view_is(type, "toolCall") && name.data) {
        passage.value = xylem_value_get(part, "arguments");
        give(visiting, passage);
    } else if (xylem_base__view_is(type, "thinking") && thinking.data) {
        give_words(visiting, XYLEM_CLI__THINKING, thinking);
    } else if (xylem_base__view_is(type, "image") && image.data) {
        passage.type = XYLEM_CLI__IMAGE;
        passage.words = xylem_cli__string_of(part, "mimeType");
        passage.value = part;
        passage.bytes = image.bytes / 4 * 3; /* the data is base64 */
        give(visiting, passage);
    } else {
        give_data(visiting, part);
    }
}

/* Gives content that is a string, or a list of parts. */
static void give_content(struct visiting *visiting, const struct xylem_value *content)
{
    if (is_string(content)) {
        give_words(visiting, XYLEM_CLI__WORDS, xylem_value_string(content));
    } else if (xylem_value_type(content) == XYLEM_VALUE_ARRAY) {
        const struct xylem_value *part = xylem_value_first(content);
        for (; part && !visiting->ended; part = xylem_value_next(content, part)) {
            give_part(visiting, part);
        }
    } else if (content) {
        give_data(visiting, content);
    }
}

static void give_message(struct visiting *visiting, const struct xylem_cli__said *said)
{
    const struct xylem_value *message = said->message;
    const struct xylem_value *sections = xylem_value_get(message, "sections"); /* of a system message */
    const struct xylem_value *name = xylem_value_type(sections) == XYLEM_VALUE_MAP ? xylem_value_first(sections) : NULL;
    struct xylem_view problem = xylem_cli__string_of(message, "errorMessage");
    give_words(visiting, XYLEM_CLI__SHELL, xylem_cli__string_of(message, "command"));
    give_words(visiting, XYLEM_CLI__WORDS, xylem_cli__string_of(message, "output"));
    give_content(visiting, xylem_value_get(message, "content"));
    while (name && !visiting->ended) {
        const struct xylem_value *section = xylem_value_next(sections, name);
        give(visiting, (struct xylem_cli__passage){.type = is_string(section) ? XYLEM_CLI__SECTION : XYLEM_CLI__DATA,
                                                   .name = xylem_value_string(name),
                                                   .words = xylem_value_string(section),
                                                   .value = section});
        name = xylem_value_next(sections, section);
    }
    give_words(visiting, XYLEM_CLI__WORDS, xylem_cli__string_of(message, "summary"));
    give_words(visiting, XYLEM_CLI__FAILURE, problem);
    give_words(visiting, XYLEM_CLI__FAILURE, xylem_cli__text_view(&said->made));
    if (xylem_base__view_is(xylem_cli__string_of(message, "stopReason"), "aborted") && problem.bytes == 0) {
        give_words(visiting, XYLEM_CLI__NOTE, xylem_view_of("aborted"));
    }
    if (visiting->count == 0 && xylem_value_get(message, "content")) {
        give_words(visiting, XYLEM_CLI__NOTE, xylem_view_of("empty"));
    } else if (visiting->count == 0) {
        give_data(visiting, message);
    }
}

/* The member with the text, for host entries that are no messages. */
static const char *speaking_member(const struct xylem_cli__said *said)
{
    static const struct {
        const char *kind;
        const char *member;
    } rows[] = {{"compaction", "summary"},
                {"branch_summary", "summary"},
                {"session_info", "name"},
                {"thinking_level_change", "thinkingLevel"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is_host(said, rows[i].kind) && xylem_cli__string_of(said->value, rows[i].member).data) {
            return rows[i].member;
        }
    }
    return NULL;
}

void xylem_cli__said_each(const struct xylem_cli__said *said,
                          bool (*visit)(void *context, const struct xylem_cli__passage *passage), void *context)
{
    struct visiting visiting = {.visit = visit, .context = context};
    const char *member = speaking_member(said);
    if (said->unreadable) {
        give_words(&visiting, XYLEM_CLI__NOTE, xylem_cli__text_view(&said->made));
    } else if (said->message) {
        give_message(&visiting, said);
    } else if (said->made.bytes.bytes > 0) {
        give_words(&visiting, XYLEM_CLI__WORDS, xylem_cli__text_view(&said->made));
    } else if (member) {
        give_words(&visiting, XYLEM_CLI__WORDS, xylem_cli__string_of(said->value, member));
    } else if (said->subject.data) {
        give_content(&visiting, xylem_value_get(said->value, "content"));
    } else if (said->value) {
        give_data(&visiting, said->value);
    }
}

bool xylem_cli__said_shows(const struct xylem_cli__said *said, struct xylem_view key, const struct xylem_value *member)
{
    static const char *const of_message[] = {"role", "command", "output", "summary", "errorMessage"};
    const char *speaking = speaking_member(said);
    const char *subject = xylem_base__view_is(said->role, "toolResult") ? "toolName" : "customType";
    if (!said->message) {
        return (speaking && xylem_base__view_is(key, speaking)) ||
               (is_host(said, "custom_message") && said->subject.data &&
                (xylem_base__view_is(key, "customType") || xylem_base__view_is(key, "content"))) ||
               (said->made.bytes.bytes > 0 &&
                (is_host(said, "label") ? xylem_base__view_is(key, "label") || xylem_base__view_is(key, "targetId")
                                        : is_string(member) && (xylem_base__view_is(key, "provider") ||
                                                                xylem_base__view_is(key, "modelId")))) ||
               (said->made.bytes.bytes == 0 && !speaking && !said->subject.data);
    }
    for (size_t i = 0; i < sizeof of_message / sizeof of_message[0]; i++) {
        if (is_string(member) && xylem_base__view_is(key, of_message[i])) {
            return true;
        }
    }
    return xylem_base__view_is(key, "content") || (is_string(member) && xylem_base__view_is(key, subject)) ||
           (xylem_value_type(member) == XYLEM_VALUE_BOOL && xylem_base__view_is(key, "isError")) ||
           (xylem_value_type(member) == XYLEM_VALUE_MAP && xylem_base__view_is(key, "sections"));
}

const struct xylem_value *xylem_cli__call_argument(const struct xylem_value *arguments)
{
    static const char *const telling[] = {"command", "pattern",   "query", "url",  "path",
                                          "file",    "file_path", "name",  "task", "prompt"};
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
        if (xylem_cli__string_of(arguments, telling[i]).bytes > 0) {
            return xylem_value_get(arguments, telling[i]);
        }
    }
    return xylem_value_count(arguments) > 0 ? arguments : NULL;
}

void xylem_cli__add_who(const struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_cli__said *said)
{
    if (said->message) {
        xylem_cli__add_shown(cli, text, said->role, XYLEM_CLI__ONE_LINE, SIZE_MAX);
    } else {
        xylem_cli__add_kind(cli, text, said->kind);
    }
}

void xylem_cli__add_who_exactly(const struct xylem_cli *cli, struct xylem_cli__text *text,
                                const struct xylem_cli__said *said)
{
    bool is_role = xylem_cli__kind_is_role((struct xylem_kind){XYLEM_CLASS_HOST, said->role});
    if (said->message) {
        xylem_cli__add(text, is_role ? "" : "message ");
        xylem_cli__add_shown(cli, text, said->role, XYLEM_CLI__EXACT, SIZE_MAX);
    } else {
        xylem_cli__add(text, said->kind.kind_class == XYLEM_CLASS_HOST ? "entry " : "");
        xylem_cli__add_kind(cli, text, said->kind);
    }
}

bool xylem_cli__said_is_output(const struct xylem_cli__said *said)
{
    return xylem_base__view_is(said->role, "toolResult") || xylem_cli__string_of(said->message, "command").data;
}

const char *xylem_cli__who_color(const struct xylem_cli__said *said)
{
    if (said->failed) {
        return XYLEM_CLI__RED;
    }
    if (xylem_base__view_is(said->role, "user") || xylem_base__view_is(said->role, "bashExecution")) {
        return XYLEM_CLI__GREEN;
    }
    if (xylem_base__view_is(said->role, "assistant")) {
        return XYLEM_CLI__BLUE;
    }
    return said->message ? NULL : XYLEM_CLI__CYAN;
}
