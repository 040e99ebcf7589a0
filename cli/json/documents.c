/*
 * Writes the JSON output of the commands that read: one document a line (--jsonl), or one document that holds a list
 * (--json). A command makes the same documents in both cases; only this file knows the difference.
 */
#include "cli/json/json.h"
#include "xylem/files.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The beginning of every document; an element of a list has no `schema`. */
#define DOCUMENT_BEGINNING "{\"schema\":1,"

/* Sets the places of the rows in a struct xylem_cli__form. */
struct alone {
    struct xylem_cli__form form;
};

const struct xylem_cli__option xylem_cli__form_same[] = {XYLEM_CLI__FORM_ROWS(struct alone, "the same"),
                                                         {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};
const struct xylem_cli__option xylem_cli__form_lines[] = {
    XYLEM_CLI__FORM_ROWS(struct alone, "print one JSON document a line"),
    {NULL, 0, NULL, XYLEM_CLI__FLAG, 0, NULL, NULL}};

int xylem_cli__documents_start(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                               struct xylem_cli__form form, const char *list)
{
    *documents = (struct xylem_cli__documents){.list = form.json ? list : NULL, .wanted = form.json || form.jsonl};
    return form.json && form.jsonl ? xylem_cli__usage(cli, "--json and --jsonl cannot be combined") : 0;
}

/* Nothing is written before the first document is whole, so an earlier error leaves standard output empty. */
static void add_separator(struct xylem_cli__text *text, const struct xylem_cli__documents *documents)
{
    if (documents->count > 0) {
        xylem_cli__add(text, ",");
        return;
    }
    xylem_cli__json_document(text);
    xylem_cli__member_begin(text, documents->list, '[');
}

int xylem_cli__json_leave_out(struct xylem_cli *cli, struct xylem_cli__text *json, struct xylem_view from)
{
    int found = xylem_patterns_redact_json(&json->bytes, cli->left_out->patterns, from, &cli->err);
    cli->left_out->count += found > 0 ? (uint64_t)found : 0;
    return found < 0 ? found : 0;
}

/* The offset behind a string of JSON that begins at `at`. */
static size_t string_end(struct xylem_view json, size_t at)
{
    for (at++; at < json.bytes && json.data[at] != '"'; at++) {
        at += json.data[at] == '\\';
    }
    return at < json.bytes ? at + 1 : json.bytes;
}

/* The offset behind the value of a member that begins at `at`. */
static size_t value_end(struct xylem_view json, size_t at)
{
    size_t depth = 0;
    while (at < json.bytes && (depth > 0 || (json.data[at] != ',' && json.data[at] != '}'))) {
        char byte = json.data[at];
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        at = byte == '"' ? string_end(json, at) : at + 1;
    }
    return at;
}

/*
 * Appends a document with replacements, each payload and each other string by itself: a payload may nest as deep as
 * JSON is allowed to, and the document around the payload nests deeper. Names stay but for those of a payload: programs
 * ask for them.
 *
 *     {"schema":1,"entry":"a","payload":{"name":"text"}}
 *                         ^^^           ^^^^^^^^^^^^^^^     what is searched
 */
static int replace_parts(struct xylem_cli *cli, struct xylem_cli__text *left, struct xylem_view json)
{
    size_t done = 0;
    int code = 0;
    for (size_t at = 0; code == 0 && at < json.bytes; at++) {
        if (json.data[at] != '"') {
            continue;
        }
        size_t end = string_end(json, at);
        if (end < json.bytes && json.data[end] == ':') {
            bool is_payload = xylem_base__view_is((struct xylem_view){json.data + at, end - at}, "\"payload\"");
            at = end + 1;
            end = is_payload ? value_end(json, at) : at;
        }
        if (end > at) {
            xylem_cli__add_bytes(left, json.data + done, at - done);
            code = xylem_cli__json_leave_out(cli, left, (struct xylem_view){json.data + at, end - at});
            done = end;
        }
        at = end - 1;
    }
    xylem_cli__add_bytes(left, json.data + done, json.bytes - done);
    return code;
}

static int leave_out(struct xylem_cli *cli, const struct xylem_cli__documents *documents,
                     struct xylem_cli__text *document)
{
    struct xylem_cli__text left = {0};
    char where[64];
    int code = replace_parts(cli, &left, xylem_cli__text_view(document));
    xylem_cli__text_clear(document);
    xylem_cli__add_bytes(document, left.bytes.data, left.bytes.bytes);
    xylem_cli__part_end(document, &left);
    snprintf(where, sizeof where, "document %llu cannot be searched", (unsigned long long)documents->count + 1);
    return code < 0 ? xylem_cli__fail_in(cli, code, where) : 0;
}

int xylem_cli__documents_put(struct xylem_cli *cli, struct xylem_cli__documents *documents,
                             struct xylem_cli__text *document)
{
    struct xylem_cli__text text = {0};
    size_t beginning = strlen(DOCUMENT_BEGINNING);
    if (!documents->wanted) {
        return xylem_cli__put(cli, document);
    }
    int left = cli->left_out && !document->failed ? leave_out(cli, documents, document) : 0;
    if (left < 0) {
        return left;
    }
    if (!documents->list || document->failed) {
        documents->count++;
        return xylem_cli__put_json(cli, document);
    }
    assert(strncmp(document->bytes.data, DOCUMENT_BEGINNING, beginning) == 0);
    add_separator(&text, documents);
    documents->count++;
    xylem_cli__add(&text, "{");
    xylem_cli__add_bytes(&text, document->bytes.data + beginning, document->bytes.bytes - beginning);
    xylem_cli__text_clear(document);
    int code = xylem_cli__put_json_piece(cli, &text);
    xylem_cli__text_release(&text);
    return code;
}

int xylem_cli__documents_end(struct xylem_cli *cli, struct xylem_cli__documents *documents)
{
    struct xylem_cli__text text = {0};
    if (!documents->list) {
        return 0;
    }
    if (documents->count == 0) {
        add_separator(&text, documents);
    }
    xylem_cli__add(&text, "]}");
    int code = xylem_cli__put_json(cli, &text);
    xylem_cli__text_release(&text);
    return code;
}
