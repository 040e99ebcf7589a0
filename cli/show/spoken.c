/*
 * Finds the first message of a person and the newest message on the path of a session's leaf. Both are found without a
 * walk: hosts write the first message near the root, and the records name the newest message.
 */
#include "cli/show/entries.h"
#include "xylem/branch.h"

#define ROOTS_LOOKED_AT 64u /* entries from the root on, among which the first message of a person is */
#define TEXT_BYTES_MAX 240u /* of the words in a document */

static const struct xylem_kind message_kind = {XYLEM_CLASS_HOST, {"message", sizeof "message" - 1}};

int xylem_cli__spoken_first(struct xylem_cli *cli, struct xylem_cli__spoken *spoken,
                            const struct xylem_session *session)
{
    int code = 0;
    *spoken = (struct xylem_cli__spoken){0};
    for (uint64_t depth = 1; depth <= session->leaf.depth && depth <= ROOTS_LOOKED_AT; depth++) {
        struct xylem_position at;
        if ((code = xylem_cli__ancestor_at(cli, &at, session->leaf, depth)) != 0 ||
            (code = xylem_cli__entry_read(cli, &spoken->entry, at)) != 0) {
            break;
        }
        if (!xylem_cli__kind_is_message(spoken->entry.kind)) {
            continue;
        }
        code = xylem_cli__said_read_beginning(cli, &spoken->said, &spoken->entry);
        spoken->found = code == 0 && xylem_base__view_is(spoken->said.role, "user");
        if (code != 0 || spoken->found) {
            break;
        }
        xylem_cli__said_release(&spoken->said);
    }
    return code;
}

int xylem_cli__newest_message(struct xylem_cli *cli, struct xylem_entry *entry, struct xylem_position from)
{
    return xylem_cli__stored(cli, xylem_newest_of_kind(entry, cli->txn, from, message_kind, &cli->err), from);
}

int xylem_cli__spoken_last(struct xylem_cli *cli, struct xylem_cli__spoken *spoken, const struct xylem_session *session)
{
    *spoken = (struct xylem_cli__spoken){0};
    int code = xylem_cli__newest_message(cli, &spoken->entry, session->leaf);
    spoken->found = code == 1;
    return code == 1 ? xylem_cli__said_read_beginning(cli, &spoken->said, &spoken->entry) : code;
}

void xylem_cli__spoken_release(struct xylem_cli__spoken *spoken)
{
    xylem_cli__said_release(&spoken->said);
    spoken->found = false;
}

/* Takes the first words of a message. */
static bool take_words(void *context, const struct xylem_cli__passage *passage)
{
    struct xylem_view *words = context;
    if (passage->type == XYLEM_CLI__WORDS) {
        *words = passage->words;
    }
    return !words->data;
}

/* Takes the first words of any kind that are not blank, or the name of a tool, but no remark and no thought. */
static bool take_any(void *context, const struct xylem_cli__passage *passage)
{
    struct xylem_view *words = context;
    if (passage->type != XYLEM_CLI__NOTE && passage->type != XYLEM_CLI__THINKING) {
        *words = xylem_base__trim(passage->type == XYLEM_CLI__CALL ? passage->name : passage->words);
    }
    return words->bytes == 0;
}

/* Appends the beginning of the words, and releases the message. Gives `code`, of the search for the message. */
static int add_words(struct xylem_cli__text *text, struct xylem_cli__spoken *spoken, int code)
{
    struct xylem_view words = {NULL, 0};
    if (code == 0 && spoken->found) {
        xylem_cli__said_each(&spoken->said, take_any, &words);
        struct xylem_view shown = xylem_base__utf8_beginning(words, XYLEM_OUTLINE_WORDS_BYTES_MAX);
        xylem_cli__add_bytes(text, shown.data, shown.bytes);
        xylem_cli__add(text, shown.bytes < words.bytes ? "\u2026" : "");
    }
    xylem_cli__spoken_release(spoken);
    return code;
}

int xylem_cli__add_first_words(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    struct xylem_cli__spoken spoken;
    return add_words(text, &spoken, xylem_cli__spoken_first(cli, &spoken, session));
}

int xylem_cli__add_last_words(struct xylem_cli *cli, struct xylem_cli__text *text, const struct xylem_session *session)
{
    struct xylem_cli__spoken spoken;
    return add_words(text, &spoken, xylem_cli__spoken_last(cli, &spoken, session));
}

void xylem_cli__member_spoken(struct xylem_cli__text *text, const char *key, const struct xylem_cli__spoken *spoken)
{
    struct xylem_view words = {NULL, 0};
    if (!spoken->found) {
        xylem_cli__member_maybe(text, key, words);
        return;
    }
    xylem_cli__said_each(&spoken->said, take_words, &words);
    xylem_cli__member_begin(text, key, '{');
    xylem_cli__member_string(text, "entry", spoken->entry.id);
    xylem_cli__member_time(text, "time", spoken->entry.time_ms);
    xylem_cli__member_maybe(text, "role", spoken->said.role);
    xylem_cli__member_maybe(text, "text", xylem_base__utf8_beginning(words, TEXT_BYTES_MAX));
    xylem_cli__json_end(text, '}');
}
