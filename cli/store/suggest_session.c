/* Shows sessions to choose from, and suggests sessions with similar names or ids. */
#include "cli/store/listing.h"

#include <string.h>

#define NAME_CELLS_MAX 32u
#define WHOLE_ID_BYTES 8u      /* of an entry of pi */
#define NAME_PART_BYTES_MIN 3u /* a shorter part of a name is in too many names */

/*
 * The distance between a session and the wanted word; SIZE_MAX if not close. A name counts more than a similar id: ids
 * of the same time differ in few characters.
 */
static size_t distance_of_session(struct xylem_view wanted, struct xylem_view id, struct xylem_view name)
{
    struct xylem_view beginning = {id.data, xylem_cli__least(id.bytes, wanted.bytes)};
    if (name.data && xylem_cli__contains(name, wanted) &&
        (wanted.bytes >= NAME_PART_BYTES_MIN || name.bytes == wanted.bytes)) {
        return name.bytes == wanted.bytes ? 0 : 2;
    }
    if (xylem_base__view_begins(id, wanted)) {
        return 1;
    }
    size_t of_name = name.data ? xylem_cli__word_distance(wanted, name) : SIZE_MAX;
    size_t of_id = xylem_cli__least(xylem_cli__word_distance(wanted, beginning), xylem_cli__word_distance(wanted, id));
    if (xylem_cli__least(of_name, of_id) > xylem_cli__word_distance_max(wanted.bytes)) {
        return SIZE_MAX;
    }
    return 2 + xylem_cli__least(of_name, of_id);
}

void xylem_cli__add_candidate(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view id,
                              struct xylem_view name, int64_t active_ms)
{
    xylem_cli__add_shown(cli, text, id, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " (");
    if (name.bytes > 0) {
        xylem_cli__add_shown(cli, text, name, XYLEM_CLI__ONE_LINE, NAME_CELLS_MAX);
        xylem_cli__add(text, ", ");
    }
    xylem_cli__add_age(cli, text, active_ms);
    xylem_cli__add(text, ")");
}

static int suggest_sessions(struct xylem_cli *cli, struct xylem_cli__suggestions *suggestions)
{
    struct xylem_cli__wanted wanted = {.since_ms = INT64_MIN, .until_ms = INT64_MAX, .quiet = true};
    struct xylem_cli__listing listing;
    struct xylem_cli__short_ids ids = {0};
    struct xylem_cli__text shown = {0};
    int code = xylem_cli__listing_read(cli, &listing, &wanted);
    code = code == 0 ? xylem_cli__short_ids_read(cli, &ids) : code;
    for (size_t i = 0; code == 0 && i < listing.count; i++) {
        struct xylem_view id = listing.list[i].id;
        struct xylem_view name = xylem_cli__listed_name(&listing, &listing.list[i]);
        size_t distance = distance_of_session(suggestions->wanted, id, name);
        if (distance == SIZE_MAX || !xylem_cli__suggestion_fits(suggestions, distance)) {
            continue;
        }
        id = xylem_cli__short_id(&ids, id);
        xylem_cli__add_shown(cli, &shown, id, XYLEM_CLI__EXACT, SIZE_MAX);
        bool usable = shown.bytes.bytes == id.bytes; /* an escaped id names nothing when typed */
        xylem_cli__text_clear(&shown);
        xylem_cli__add_candidate(cli, &shown, id, name, listing.list[i].active_ms);
        if (usable && !shown.failed && shown.bytes.bytes < XYLEM_CLI__SUGGESTION_BYTES_MAX) {
            xylem_cli__suggest(suggestions, distance, shown.bytes.data);
        }
        xylem_cli__text_clear(&shown);
    }
    xylem_cli__text_release(&shown);
    xylem_cli__short_ids_release(&ids);
    xylem_cli__listing_release(&listing);
    return code;
}

/* True for `@`, `@~1`, `none`, and for what may be the beginning of an entry's id. */
static bool is_half(const char *spec)
{
    size_t hex = strspn(spec, "0123456789abcdef");
    return (*spec == '@' && strchr("~^{", spec[1]) && !strchr(spec, ':')) || strcmp(spec, "none") == 0 ||
           (hex > 0 && hex < WHOLE_ID_BYTES && spec[hex] == '\0');
}

/* What other programs call a place. */
static bool is_word_of_place(const char *spec)
{
    static const char *const words[] = {"HEAD", "head", "leaf", "tip", "current", "last", "latest", "newest", "@first"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], spec) == 0) {
            return true;
        }
    }
    return false;
}

int xylem_cli__no_session(struct xylem_cli *cli, const char *spec, bool or_entry)
{
    struct xylem_cli__suggestions suggestions = {.wanted = xylem_view_of(spec)};
    struct xylem_cli__text text = {0};
    struct xylem_cli__text shown = {0};
    int code = *spec == '\0' ? 0 : suggest_sessions(cli, &suggestions);
    if (code != 0) {
        return code;
    }
    xylem_cli__addf(&text, "there is no session%s '%s'", or_entry ? " and no entry" : "", spec);
    if (or_entry && suggestions.count == 0 && is_half(spec)) {
        xylem_cli__addf(&text, "; %s stands behind its session: 'SESSION:%s'",
                        *spec == '@' || *spec == 'n' ? "a place" : "an entry by less than its whole id", spec);
    } else if (strlen(spec) < XYLEM_CLI__PART_BYTES_MIN && cli->command->group != XYLEM_CLI__CHANGE) {
        xylem_cli__add(&text, " (the end of an id and a part of a name need 4 characters)");
    } else if (suggestions.count == 0 && strchr(spec, ' ')) {
        xylem_cli__add(&text, "; `search` finds what was said");
    } else if (suggestions.count == 0 && is_word_of_place(spec)) {
        xylem_cli__add(&text, "; @ is the leaf, @last is the session that was last active");
    } else if (suggestions.count == 0 && !strchr(spec, ':')) {
        xylem_cli__add(&text, "; ");
        xylem_cli__add_named(cli, &text, "sessions", NULL);
        xylem_cli__add(&text, " lists the sessions");
    }
    /* an error's text has a limit: the last suggestions that do not fit are left out, so that no id is cut */
    xylem_cli__add_shown(cli, &shown, xylem_cli__text_view(&text), XYLEM_CLI__EXACT, SIZE_MAX);
    size_t bytes = shown.bytes.bytes;
    for (size_t i = 0; i < suggestions.count; i++) {
        bytes += sizeof "; did you mean ?" + strlen(suggestions.best[i].shown);
        suggestions.count = bytes >= XYLEM_ERROR_TEXT_BYTES ? i : suggestions.count;
    }
    xylem_cli__text_release(&shown);
    xylem_cli__add_suggestions(&text, &suggestions, "");
    return xylem_cli__fail_text(cli, XYLEM_E_NOT_FOUND, &text);
}
