/* xylem export --markdown: a path, or a part of a path, for an issue or a review. */
#include "cli/exporting.h"
#include "cli/page/review.h"
#include "xylem/branch.h"
#include "xylem/outline.h"

#include <stdlib.h>
#include <string.h>

/* The entries to write, newest first. */
struct path {
    struct xylem_cli__place place;
    uint64_t first_depth;
    struct xylem_position *positions;
    size_t count;
    size_t capacity;
};

/* Finds the last entry, and the depth of the first: with two words the first word names the first entry. */
static int find(struct xylem_cli *cli, struct path *path, char **words)
{
    struct xylem_cli__place first;
    struct xylem_position at = {0, 0};
    const char *last = words[0] ? words[1] : NULL;
    int code =
        xylem_cli__place_find(cli, last ? &first : &path->place, words[0], XYLEM_CLI__LOOKED_AT, xylem_cli__entry);
    if (code != 0 || !last) {
        return code;
    }
    if (*last == ':') { /* of the session of the first word */
        path->place.session = first.session;
        code = xylem_cli__entry(cli, &path->place.position, &first.session, last + 1);
    } else {
        code = xylem_cli__place_find(cli, &path->place, last, XYLEM_CLI__LOOKED_AT, xylem_cli__entry);
    }
    path->first_depth = first.position.depth;
    if (code == 0 && first.position.depth <= path->place.position.depth) {
        code = xylem_cli__ancestor_at(cli, &at, path->place.position, first.position.depth);
    }
    return code != 0 || xylem_cli__position_equal(at, first.position)
               ? code
               : xylem_cli__fail(cli, XYLEM_E_NOT_FOUND,
                                 "'%s' is not on the path of '%s': expected the older entry first", words[0], last);
}

static int gather(struct xylem_cli *cli, struct path *path, struct xylem_cli__count limit)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    int code = xylem_walk_new(&walk, cli->txn, path->place.position, &cli->err);
    while (code == 0 && (!limit.given || path->count < limit.number) &&
           (code = xylem_cli__stored(cli, xylem_walk_next(&entry, walk, &cli->err), path->place.position)) == 1 &&
           entry.position.depth >= path->first_depth) {
        code = xylem_cli__list_add(cli, &path->positions, &path->count, &path->capacity, &entry.position,
                                   sizeof entry.position);
    }
    xylem_walk_free(walk);
    return code < 0 ? code : 0;
}

/* The name of the session, else its first words, else its id; then what follows. */
static int add_title(struct xylem_cli *cli, struct xylem_cli__text *text, const struct path *path, bool unredacted)
{
    struct xylem_cli__text name = {0};
    struct xylem_outline outline;
    const struct xylem_session *session = &path->place.session;
    int code = xylem_outline_read(&outline, &name.bytes, cli->txn, session, &cli->err);
    if (code == 0 && name.bytes.bytes == 0) {
        code = xylem_cli__add_first_words(cli, &name, session);
    }
    xylem_cli__add(text, "## ");
    xylem_cli__review_words(cli, text, name.bytes.bytes > 0 ? xylem_cli__text_view(&name) : session->id);
    xylem_cli__add(text, "\n\nSession ");
    xylem_cli__review_code(cli, text, session->id);
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, path->count, "entry", "entries");
    xylem_cli__add(text, unredacted ? ". Secrets were not looked for.\n\n" : ".\n\n");
    xylem_cli__part_end(text, &name);
    return code;
}

int xylem_cli__export_review(struct xylem_cli *cli, char **words, struct xylem_cli__count limit, bool unredacted,
                             const char *output)
{
    struct path path = {.count = 0};
    struct xylem_cli__text text = {0};
    struct xylem_entry entry;
    uint64_t markdown_ns = 0;
    int code;
    if ((code = xylem_cli__open_reading(cli)) == 0 && (code = find(cli, &path, words)) == 0 &&
        (code = gather(cli, &path, limit)) == 0) {
        code = add_title(cli, &text, &path, unredacted);
    }
    for (size_t i = path.count; code == 0 && i > 0; i--) {
        if ((code = xylem_cli__entry_read(cli, &entry, path.positions[i - 1])) == 0) {
            code = xylem_cli__review_entry(cli, &text, &markdown_ns, &entry);
        }
    }
    if (code == 0) {
        bool to_file = output && strcmp(output, "-") != 0;
        code = text.failed ? xylem_cli__fail_memory(cli)
               : to_file   ? xylem_cli__text_to_file(cli, &text, output)
                           : xylem_cli__put_stored(cli, text.bytes.data, text.bytes.bytes);
    }
    free(path.positions);
    xylem_cli__text_release(&text);
    return code;
}
