/* The members of rows, in tables that serve both directions: writing and reading. */
#include "travel/told.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base64.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/time.h"
#include "base/utf8.h"
#include "xylem/line.h"

/* --- Members ------------------------------------------------------------------------------------------------------ */

enum member_type {
    TEXT,   /* a view: a string, or {"base64":...} for bytes that are no text */
    NUMBER, /* uint64_t, unsigned by `bits` 32 */
    HEX,    /* uint64_t in 16 digits */
    TIME,   /* int64_t */
    FLAG,   /* `bits` of the byte: a bool, or the low byte of flags */
    KIND,
    WORD /* an unsigned; `bits`: which words */
};
enum { FORMATS, SIDES, PROBLEMS };

#define MEMBERS_MAX 14
#define KEPT 1u /* an empty text is not the same as none */

struct member {
    const char *name;
    enum member_type type;
    size_t at; /* in struct xylem_travel__told */
    unsigned bits;
};

#define AT(part) offsetof(struct xylem_travel__told, part)

static const struct {
    const char *word;
    struct member members[MEMBERS_MAX + 1];
} rows[XYLEM_TRAVEL__TOLD_COUNT] = {
    [XYLEM_TRAVEL__TOLD_SESSION] = {"session",
                                    {{"schema", NUMBER, AT(schema), 64},
                                     {"session", TEXT, AT(segment.session), 0},
                                     {"namespace", TEXT, AT(segment.name_space), 0},
                                     {"owner", TEXT, AT(owner), 0},
                                     {"epoch", NUMBER, AT(epoch), 64},
                                     {"created", TIME, AT(row.created_ms), 0},
                                     {"cwd", TEXT, AT(row.cwd), KEPT},
                                     {"parent_session", TEXT, AT(row.parent), KEPT},
                                     {"header", TEXT, AT(row.header), 0},
                                     {"base_session", TEXT, AT(segment.base_session), 0},
                                     {"base_namespace", TEXT, AT(segment.base_name_space), 0},
                                     {"base_entry", TEXT, AT(segment.base_entry), 0},
                                     {"base_check", HEX, AT(row.base_check), 0},
                                     {"freed", FLAG, AT(segment.freed), 1}}},
    [XYLEM_CHANGE_ENTRY] = {"entry",
                            {{"entry", TEXT, AT(change.id), 0},
                             {"parent", TEXT, AT(change.parent), 0},
                             {"kind", KIND, AT(change.kind), 0},
                             {"time", TIME, AT(change.time_ms), 0},
                             {"imported", FLAG, AT(change.flags), XYLEM_ENTRY_IMPORTED},
                             {"format", WORD, AT(change.format), FORMATS},
                             {"payload", TEXT, AT(change.payload), 0},
                             {"line", TEXT, AT(change.line), 0},
                             {"payload_hash", HEX, AT(change.payload_hash), 0},
                             {"hash_dropped", FLAG, AT(change.flags), XYLEM_ENTRY_HASH_DROPPED},
                             {"redacted", TEXT, AT(change.reason), 0}}},
    [XYLEM_CHANGE_CREATED] = {"created", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_FORKED] = {"forked", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_DELETED] = {"deleted", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_UNDELETED] = {"undeleted", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_DOCUMENT] = {"document", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_FREED] = {"freed", {{NULL, TEXT, 0, 0}}},
    [XYLEM_CHANGE_MOVED] = {"moved",
                            {{"time", TIME, AT(change.time_ms), 0},
                             {"from", TEXT, AT(change.from), 0},
                             {"to", TEXT, AT(change.id), 0},
                             {"reason", TEXT, AT(change.reason), 0}}},
    [XYLEM_CHANGE_REDACTED] = {"redacted",
                               {{"entry", TEXT, AT(change.id), 0},
                                {"imported", FLAG, AT(change.flags), XYLEM_ENTRY_IMPORTED},
                                {"payload_hash", HEX, AT(change.payload_hash), 0},
                                {"hash_dropped", FLAG, AT(change.flags), XYLEM_ENTRY_HASH_DROPPED},
                                {"redacted", TEXT, AT(change.reason), 0}}},
    [XYLEM_CHANGE_SIDE] = {"side",
                           {{"side", WORD, AT(change.side.type), SIDES},
                            {"entry", TEXT, AT(change.about), 0},
                            {"count", NUMBER, AT(change.side.count), 64},
                            {"dialect", NUMBER, AT(change.side.dialect), 32},
                            {"back", NUMBER, AT(change.back), 64},
                            {"text", TEXT, AT(change.side.text), 0},
                            {"redacted", FLAG, AT(change.side.redacted), 1}}},
    [XYLEM_TRAVEL__TOLD_FILE] = {"file",
                                 {{"path", TEXT, AT(source.name), 0},
                                  {"order", NUMBER, AT(source.order), 64},
                                  {"bytes", NUMBER, AT(source.bytes), 64},
                                  {"lines", NUMBER, AT(source.lines), 64},
                                  {"hash", HEX, AT(source.hash), 0},
                                  {"unterminated", FLAG, AT(source.unterminated), 1},
                                  {"elsewhere", FLAG, AT(source.elsewhere), 1},
                                  {"tail_bytes", NUMBER, AT(source.tail_bytes), 64},
                                  {"tail", TEXT, AT(source.tail), 0},
                                  {"displaced", NUMBER, AT(source.displaced_count), 64}}},
    [XYLEM_TRAVEL__TOLD_DISPLACED] = {"displaced",
                                      {{"entry", TEXT, AT(change.id), 0}, {"line", NUMBER, AT(displaced_line), 64}}},
    [XYLEM_TRAVEL__TOLD_QUARANTINED] = {"quarantined",
                                        {{"line", NUMBER, AT(line.line), 64},
                                         {"offset", NUMBER, AT(line.offset), 64},
                                         {"hash", HEX, AT(line.hash), 0},
                                         {"type", WORD, AT(line.reason), PROBLEMS},
                                         {"file", TEXT, AT(line.source), 0},
                                         {"bytes", NUMBER, AT(line.raw_bytes), 64},
                                         {"text", TEXT, AT(line.raw), 0}}},
    [XYLEM_TRAVEL__TOLD_END] = {"end",
                                {{"leaf", TEXT, AT(leaf), 0},
                                 {"imported_leaf", TEXT, AT(imported_leaf), 0},
                                 {"chain", HEX, AT(chain), 0}}},
};

/* The word of a number; NULL behind the last. */
static const char *word_of(unsigned words, unsigned number)
{
    static const char *const formats[] = {"none", "msgpack", "json", "line", NULL};
    static const char *const sides[] = {"record", "repeat", "shared", "values", NULL};
    if (words == PROBLEMS) {
        return number == XYLEM_IMPORT_PROBLEM_COUNT ? NULL
                                                    : xylem_import_problem_word((enum xylem_import_problem_type)number);
    }
    return words == FORMATS ? formats[number] : sides[number];
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static void write_text(struct xylem_base__writer *writer, struct xylem_view text)
{
    if (xylem_base__wtf8_valid(text.data, text.bytes)) {
        xylem_base__write_string(writer, text);
        return;
    }
    xylem_base__write(writer, "{\"base64\":\"");
    writer->code = writer->code < 0 ? writer->code : xylem_base__base64_add(writer->buffer, text);
    xylem_base__write(writer, "\"}");
}

/* Writes the value, unless it is 0 or empty. */
static void write_member(struct xylem_base__writer *writer, const struct member *member, const void *at)
{
    const struct xylem_view *text = at;
    struct xylem_buffer kind = {NULL, 0, 0};
    char number[XYLEM_BASE__ISO_BYTES] = "";
    int64_t time_ms;
    bool left_out = member->type == TEXT     ? text->bytes == 0 && !(text->data && member->bits == KEPT)
                    : member->type == FLAG   ? (*(const unsigned char *)at & member->bits) == 0
                    : member->type == HEX    ? *(const uint64_t *)at == 0
                    : member->type == NUMBER ? (member->bits == 32 ? *(const unsigned *)at : *(const uint64_t *)at) == 0
                                             : false;
    if (left_out) {
        return;
    }
    xylem_base__write(writer, ",\"");
    xylem_base__write(writer, member->name);
    xylem_base__write(writer, "\":");
    switch (member->type) {
    case TEXT:
        write_text(writer, *text);
        return;
    case FLAG:
        xylem_base__write(writer, "true");
        return;
    case NUMBER:
        snprintf(number, sizeof number, "%" PRIu64, member->bits == 32 ? *(const unsigned *)at : *(const uint64_t *)at);
        break;
    case HEX:
        snprintf(number, sizeof number, "\"%016" PRIx64 "\"", *(const uint64_t *)at);
        break;
    case TIME: /* a time that has no text is a number */
        xylem_base__time_write(number, *(const int64_t *)at);
        if (xylem_base__time_read(&time_ms, xylem_view_of(number)) && time_ms == *(const int64_t *)at) {
            xylem_base__write_string(writer, xylem_view_of(number));
            return;
        }
        snprintf(number, sizeof number, "%" PRId64, *(const int64_t *)at);
        break;
    case KIND:
        writer->code = writer->code < 0 ? writer->code : xylem_kind_text(&kind, *(const struct xylem_kind *)at);
        xylem_base__write_string(writer, xylem_base__buffer_view(&kind));
        xylem_buffer_release(&kind);
        return;
    case WORD:
        xylem_base__write_string(writer, xylem_view_of(word_of(member->bits, *(const unsigned *)at)));
        return;
    }
    xylem_base__write(writer, number);
}

int xylem_travel__told_write(struct xylem_buffer *out, const struct xylem_travel__told *told)
{
    struct xylem_base__writer writer = {.buffer = out};
    xylem_base__write(&writer, "{\"row\":");
    xylem_base__write_string(&writer, xylem_view_of(rows[told->type].word));
    for (const struct member *member = rows[told->type].members; member->name; member++) {
        write_member(&writer, member, (const char *)told + member->at);
    }
    xylem_base__write(&writer, "}\n");
    return writer.code;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

/* The memory has room for all bytes of the row, so views of bytes before stay in place. */
static bool read_text(struct xylem_view *text, struct xylem_travel__told_memory *memory,
                      const struct xylem_value *value)
{
    const struct xylem_value *coded = xylem_value_get(value, "base64");
    size_t before = memory->bytes.bytes;
    *text = xylem_value_string(value);
    if (xylem_value_type(value) == XYLEM_VALUE_STRING) {
        return true;
    }
    bool read = xylem_value_type(coded) == XYLEM_VALUE_STRING &&
                xylem_base__base64_read(&memory->bytes, xylem_value_string(coded)) == XYLEM_OK;
    *text = (struct xylem_view){memory->bytes.data + before, memory->bytes.bytes - before};
    return read;
}

static bool read_hex(uint64_t *number, struct xylem_view text)
{
    *number = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        const char *digit = text.data[i] ? strchr(XYLEM_BASE__HEX_DIGITS, text.data[i]) : NULL;
        if (!digit) {
            return false;
        }
        *number = *number << 4 | (uint64_t)(digit - XYLEM_BASE__HEX_DIGITS);
    }
    return text.bytes == 16;
}

static bool read_word(unsigned *number, unsigned words, struct xylem_view text)
{
    const char *word;
    *number = 0;
    while ((word = word_of(words, *number)) && !xylem_base__view_is(text, word)) {
        (*number)++;
    }
    return word != NULL;
}

/* True if the value fits. */
static bool read_value(void *at, struct xylem_travel__told_memory *memory, const struct member *member,
                       const struct xylem_value *value)
{
    enum xylem_value_type type = xylem_value_type(value);
    struct xylem_view text = xylem_value_string(value);
    bool is_natural = type == XYLEM_VALUE_UINT || (type == XYLEM_VALUE_INT && value->as.integer >= 0);
    switch (member->type) {
    case TEXT:
        return read_text(at, memory, value);
    case NUMBER:
        if (member->bits == 32) {
            is_natural = is_natural && value->as.unsigned_integer <= UINT8_MAX;
            *(unsigned *)at = is_natural ? (unsigned)value->as.unsigned_integer : 0;
            return is_natural;
        }
        *(uint64_t *)at = is_natural ? value->as.unsigned_integer : 0;
        return is_natural;
    case HEX:
        return read_hex(at, text);
    case TIME:
        return type == XYLEM_VALUE_INT ? xylem_value_integer(at, value) : xylem_base__time_read(at, text);
    case FLAG:
        *(unsigned char *)at |= (unsigned char)(xylem_value_bool(value) ? member->bits : 0);
        return type == XYLEM_VALUE_BOOL;
    case KIND:
        xylem_base__buffer_clear(&memory->kind);
        return type == XYLEM_VALUE_STRING && xylem_kind_parse(at, &memory->kind, text, NULL) == XYLEM_OK;
    case WORD:
        return read_word(at, member->bits, text);
    }
    return false;
}

static int read_member(void *at, struct xylem_travel__told_memory *memory, const struct member *member,
                       const struct xylem_value *value, struct xylem_error *err)
{
    static const char *const expected[] = {[TEXT] = "a string, or an object with `base64`",
                                           [NUMBER] = "a whole number",
                                           [HEX] = "a string of 16 hex digits",
                                           [TIME] = "a time such as \"2026-11-20T17:18:05.515Z\"",
                                           [FLAG] = "true or false",
                                           [KIND] = "a kind such as \"message\" or \"custom:readonly\"",
                                           [WORD] = "a word of docs/format.md"};
    return read_value(at, memory, member, value)
               ? XYLEM_OK
               : xylem_base__fail(err, XYLEM_E_MALFORMED, "the member `%s`: expected %s, found %.*s", member->name,
                                  expected[member->type], XYLEM_BASE__SHOWN(value->raw));
}

/* The member of the row; without a name behind the last. */
static const struct member *member_named(unsigned type, struct xylem_view name)
{
    const struct member *member = rows[type].members;
    while (member->name && !xylem_base__view_is(name, member->name)) {
        member++;
    }
    return member;
}

int xylem_travel__told_read(struct xylem_travel__told *told, struct xylem_travel__told_memory *memory,
                            const struct xylem_value *object, unsigned type, struct xylem_error *err)
{
    struct xylem_view word = xylem_value_string(xylem_value_get(object, "row"));
    bool is_given = type < XYLEM_TRAVEL__TOLD_COUNT;
    if (!is_given) {
        for (type = 0; type < XYLEM_TRAVEL__TOLD_COUNT && !xylem_base__view_is(word, rows[type].word); type++) {
        }
    }
    *told = (struct xylem_travel__told){.type = type};
    xylem_base__buffer_clear(&memory->bytes);
    if (type == XYLEM_TRAVEL__TOLD_COUNT) {
        return xylem_base__fail(err, XYLEM_E_MALFORMED,
                                "expected an object with a member `row` such as \"entry\", found `row` \"%.*s\"",
                                XYLEM_BASE__SHOWN(word));
    }
    if (xylem_base__buffer_reserve(&memory->bytes, object->raw.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    int code = XYLEM_OK;
    const struct xylem_value *name = xylem_value_first(object);
    while (code == XYLEM_OK && name) {
        const struct xylem_value *value = xylem_value_next(object, name);
        const struct member *member = member_named(type, name->as.string);
        if (member->name && xylem_value_type(value) != XYLEM_VALUE_NIL) {
            code = read_member((char *)told + member->at, memory, member, value, err);
        } else if (!member->name && !is_given && !xylem_base__view_is(name->as.string, "row")) {
            code = xylem_base__fail(err, XYLEM_E_MALFORMED, "the row `%s` has no member `%.*s`", rows[type].word,
                                    XYLEM_BASE__SHOWN(name->as.string));
        }
        name = xylem_value_next(object, value);
    }
    return code;
}

void xylem_travel__told_release(struct xylem_travel__told_memory *memory)
{
    xylem_base__tree_release(&memory->tree);
    xylem_buffer_release(&memory->bytes);
    xylem_buffer_release(&memory->kind);
}
