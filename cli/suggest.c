/* Did you mean: what is spelt like a word that means nothing. */
#include <string.h>

#include "cli/listing.h"

#define SUGGESTIONS_MAX 3u
#define WORD_BYTES_MIN 3u  /* of shorter words everything that is as short is spelt alike */
#define WORD_BYTES_MAX 64u /* longer words are not compared */
#define SHOWN_BYTES_MAX 96u
#define NAME_CELLS_MAX 32u
#define NAME_PART_BYTES_MIN 3u /* a shorter part of a name says too little */

/* The closest words so far, the closest first. */
struct suggestions {
    struct xylem_view wanted;
    size_t count;
    struct {
        size_t distance;
        char shown[SHOWN_BYTES_MAX];
    } best[SUGGESTIONS_MAX];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/*
 * How many bytes must be put in, taken out, replaced or swapped with their neighbour to make one word of the other (the
 * optimal string alignment). Words that are too long have nothing to do with each other.
 */
static size_t distance_of(struct xylem_view a, struct xylem_view b)
{
    size_t rows[3][WORD_BYTES_MAX + 1];

    if (a.bytes > WORD_BYTES_MAX || b.bytes > WORD_BYTES_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b.bytes; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.bytes; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.bytes; j++) {
            bool equal = lower(a.data[i - 1]) == lower(b.data[j - 1]);
            row[j] = least(before[j - 1] + (equal ? 0 : 1), least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a.data[i - 1]) == lower(b.data[j - 2]) &&
                lower(a.data[i - 2]) == lower(b.data[j - 1])) {
                row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a.bytes % 3][b.bytes];
}

/* Up to which distance a word of that length is close. */
static size_t close_to(size_t bytes)
{
    return bytes < WORD_BYTES_MIN ? 0 : bytes < 6 ? 1 : bytes < 9 ? 2 : 3;
}

static bool is_better(const struct suggestions *suggestions, size_t distance)
{
    return suggestions->count < SUGGESTIONS_MAX || distance < suggestions->best[SUGGESTIONS_MAX - 1].distance;
}

static void take(struct suggestions *suggestions, size_t distance, const char *shown)
{
    size_t at = least(suggestions->count, SUGGESTIONS_MAX - 1);

    for (; at > 0 && suggestions->best[at - 1].distance > distance; at--) {
        suggestions->best[at] = suggestions->best[at - 1];
    }
    suggestions->best[at].distance = distance;
    strncpy(suggestions->best[at].shown, shown, SHOWN_BYTES_MAX - 1);
    suggestions->best[at].shown[SHOWN_BYTES_MAX - 1] = '\0';
    suggestions->count = least(suggestions->count + 1, SUGGESTIONS_MAX);
}

static bool begins(struct xylem_view text, struct xylem_view beginning)
{
    return text.bytes >= beginning.bytes && memcmp(text.data, beginning.data, beginning.bytes) == 0;
}

/* A word that begins as the wanted one does, or is spelt like it. */
static void consider(struct suggestions *suggestions, const char *before, const char *word)
{
    struct xylem_view wanted = suggestions->wanted;
    struct xylem_view candidate = xylem_view_of(word);
    char shown[SHOWN_BYTES_MAX];
    bool beginning = wanted.bytes >= 2 && begins(candidate, wanted);
    size_t distance = beginning ? 1 : distance_of(wanted, candidate);

    if ((beginning || distance <= close_to(wanted.bytes)) && is_better(suggestions, distance)) {
        *stpncpy(stpncpy(shown, before, sizeof(shown) - 1), word, sizeof(shown) - 1 - strlen(before)) = '\0';
        take(suggestions, distance, shown);
    }
}

/* `; did you mean 'a', 'b' or 'c'?`, or nothing. */
static void add_suggestions(struct xylem_cli__text *text, const struct suggestions *suggestions, const char *quote)
{
    for (size_t i = 0; i < suggestions->count; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 == suggestions->count ? " or " : ", ";
        xylem_cli__addf(text, "%s%s%s%s", before, quote, suggestions->best[i].shown, quote);
    }
    xylem_cli__add(text, suggestions->count == 0 ? "" : "?");
}

static int fail_usage(struct xylem_cli *cli, struct xylem_cli__text *text)
{
    int code = text->failed ? xylem_cli__fail_memory(cli) : xylem_cli__usage(cli, "%s", text->bytes.data);

    xylem_cli__text_release(text);
    return code;
}

int xylem_cli__no_command(struct xylem_cli *cli, const char *name)
{
    struct suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};

    for (size_t i = 0; xylem_cli__commands[i] != NULL; i++) {
        consider(&suggestions, "", xylem_cli__commands[i]->name);
    }
    xylem_cli__addf(&text, "there is no command '%s'", name);
    add_suggestions(&text, &suggestions, "'");
    return fail_usage(cli, &text);
}

static void consider_options(struct suggestions *suggestions, const struct xylem_cli__option *option)
{
    for (; option != NULL && option->name != NULL; option++) {
        consider(suggestions, "--", option->name);
    }
}

int xylem_cli__no_option(struct xylem_cli *cli, const char *name, size_t bytes)
{
    struct suggestions suggestions = {.wanted = {name, bytes}};
    struct xylem_cli__text text = {0};

    consider_options(&suggestions, cli->command == NULL ? NULL : cli->command->options);
    consider_options(&suggestions, xylem_cli__global_options);
    xylem_cli__addf(&text, "there is no option --%.*s", (int)bytes, name);
    add_suggestions(&text, &suggestions, "");
    return fail_usage(cli, &text);
}

int xylem_cli__no_piece(struct xylem_cli *cli, const char *name)
{
    const char *const *pieces = xylem_piece_names();
    struct suggestions suggestions = {.wanted = xylem_view_of(name)};
    struct xylem_cli__text text = {0};

    xylem_cli__add(&text, "WHAT is");
    for (size_t i = 0; pieces[i] != NULL; i++) {
        const char *before = i == 0 ? " " : pieces[i + 1] == NULL ? " or " : ", ";
        xylem_cli__addf(&text, "%s%s", before, pieces[i]);
        consider(&suggestions, "", pieces[i]);
    }
    xylem_cli__addf(&text, ", not '%s'", name);
    add_suggestions(&text, &suggestions, "'");
    return fail_usage(cli, &text);
}

/*
 * How far a session is from what was wanted; SIZE_MAX if it is not close. A name says more than an id that is spelt
 * alike: ids that were made at one time differ in few characters.
 */
static size_t distance_of_session(struct xylem_view wanted, struct xylem_view id, struct xylem_view name)
{
    struct xylem_view beginning = {id.data, least(id.bytes, wanted.bytes)};

    if (name.data != NULL && xylem_cli__contains(name, wanted) &&
        (wanted.bytes >= NAME_PART_BYTES_MIN || name.bytes == wanted.bytes)) {
        return name.bytes == wanted.bytes ? 0 : 2;
    }
    if (begins(id, wanted)) {
        return 1;
    }
    size_t of_name = name.data == NULL ? SIZE_MAX : distance_of(wanted, name);
    size_t of_id = least(distance_of(wanted, beginning), distance_of(wanted, id));
    if (least(of_name, of_id) > close_to(wanted.bytes)) {
        return SIZE_MAX;
    }
    return 2 + least(of_name, of_id);
}

static int suggest_sessions(struct xylem_cli *cli, struct suggestions *suggestions)
{
    struct xylem_cli__wanted wanted = {.since_ms = INT64_MIN, .until_ms = INT64_MAX, .quiet = true};
    struct xylem_cli__listing listing;
    struct xylem_cli__short_ids ids = {0};
    struct xylem_cli__text shown = {0};
    int code = xylem_cli__listing_read(cli, &listing, &wanted);

    code = code != 0 ? code : xylem_cli__short_ids_read(cli, &ids);
    for (size_t i = 0; code == 0 && i < listing.count; i++) {
        struct xylem_view id = listing.list[i].session.id;
        struct xylem_view name = xylem_cli__listed_name(&listing, &listing.list[i]);
        size_t distance = distance_of_session(suggestions->wanted, id, name);
        if (distance == SIZE_MAX || !is_better(suggestions, distance)) {
            continue;
        }
        id = xylem_cli__short_id(&ids, id);
        xylem_cli__add_shown(cli, &shown, id, XYLEM_CLI__EXACT, SIZE_MAX);
        bool usable = shown.bytes.bytes == id.bytes; /* what is escaped would name nothing if it were typed */
        if (name.data != NULL) {
            xylem_cli__add(&shown, " (");
            xylem_cli__add_shown(cli, &shown, name, XYLEM_CLI__ONE_LINE, NAME_CELLS_MAX);
            xylem_cli__add(&shown, ")");
        }
        if (usable && !shown.failed && shown.bytes.bytes < SHOWN_BYTES_MAX) {
            take(suggestions, distance, shown.bytes.data);
        }
        xylem_cli__text_clear(&shown);
    }
    xylem_cli__text_release(&shown);
    xylem_cli__short_ids_release(&ids);
    xylem_cli__listing_release(&listing);
    return code;
}

/* An error's text has an end: of what does not fit, the last are left out, so that no id is cut. */
static void leave_out(struct xylem_cli *cli, struct suggestions *suggestions, const struct xylem_cli__text *text)
{
    static const char between[] = "; did you mean ?";
    struct xylem_cli__text shown = {0};

    xylem_cli__add_shown(cli, &shown, xylem_cli__text_view(text), XYLEM_CLI__EXACT, SIZE_MAX);
    size_t bytes = shown.bytes.bytes;
    for (size_t i = 0; i < suggestions->count; i++) {
        bytes += sizeof(between) + strlen(suggestions->best[i].shown);
        if (bytes >= XYLEM_ERROR_TEXT_BYTES) {
            suggestions->count = i;
        }
    }
    xylem_cli__text_release(&shown);
}

int xylem_cli__no_session(struct xylem_cli *cli, const char *spec, const char *hint)
{
    struct suggestions suggestions = {.wanted = xylem_view_of(spec)};
    struct xylem_cli__text text = {0};
    int code = suggest_sessions(cli, &suggestions);

    if (code != 0) {
        return code;
    }
    xylem_cli__addf(&text, "there is no session '%s'%s", spec, hint);
    leave_out(cli, &suggestions, &text);
    add_suggestions(&text, &suggestions, "");
    code = text.failed ? xylem_cli__fail_memory(cli) : xylem_cli__fail(cli, XYLEM_E_NOT_FOUND, "%s", text.bytes.data);
    xylem_cli__text_release(&text);
    return code;
}
