/* Writes an entry as members of a JSON document. */
#include "cli/show/show.h"

int xylem_cli__json_entry(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    struct xylem_view parent;
    int code = xylem_cli__entry_id(cli, &parent, entry->parent);
    if (code != 0) {
        return code;
    }
    xylem_cli__member_string(text, "id", entry->id);
    xylem_cli__member_maybe(text, "parent", parent);
    xylem_cli__json_key(text, "kind");
    xylem_cli__json_kind(text, entry->kind);
    xylem_cli__member_time(text, "time", entry->time_ms);
    xylem_cli__member_count(text, "depth", entry->position.depth);
    return 0;
}

int xylem_cli__json_payload(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_entry *entry)
{
    struct xylem_document *document = NULL;
    struct xylem_view reason = {NULL, 0};
    int code = xylem_document_new(&document, entry, &cli->err);
    if (code != 0 && code != XYLEM_E_MALFORMED && code != XYLEM_E_LIMIT && code != XYLEM_E_REDACTED) {
        return code;
    }
    xylem_cli__json_key(text, "payload");
    if (code != 0 || !xylem_document_value(document)) {
        xylem_cli__json_null(text);
    } else if (!text->failed) {
        text->failed = xylem_value_json(&text->bytes, xylem_document_value(document)) != 0;
    }
    if (code != 0) {
        xylem_cli__member_string(text, "payload_error", xylem_view_of(cli->err.text));
    }
    xylem_document_free(document);
    if (code == XYLEM_E_REDACTED) {
        if ((code = xylem_entry_redaction(&reason, entry, &cli->err)) < 0) {
            return code;
        }
        xylem_cli__member_string(text, "redacted", reason);
        xylem_cli__member_bool(text, "hash_dropped", (entry->flags & XYLEM_ENTRY_HASH_DROPPED) != 0);
    }
    return 0;
}
