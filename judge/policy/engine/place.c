/* Tracks the directories that the shell may be in after each `cd`. git reads the configuration of its directory. */
#include <assert.h>

#include "base/value.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/paths.h"

/* After more changes of directory in one command the place is unknown. */
#define CHANGES_MAX 64u
#define DIRECTORIES_MAX 64u

static bool holds(const struct xylem_policy__place *place, struct xylem_view path)
{
    for (size_t i = 0; i < place->count; i++) {
        if (xylem_base__view_equal(place->paths[i], path)) {
            return true;
        }
    }
    return false;
}

void xylem_policy__place_join(struct xylem_policy__place *place, const struct xylem_policy__place *other)
{
    place->unknown |= other->unknown;
    for (size_t i = 0; i < other->count; i++) {
        if (holds(place, other->paths[i])) {
            continue;
        }
        if (place->count == XYLEM_POLICY__PLACES_MAX) {
            place->unknown = true;
            return;
        }
        place->paths[place->count++] = other->paths[i];
    }
}

void xylem_policy__place_change(struct xylem_policy__judge *judge, const struct xylem_view *directory)
{
    struct xylem_policy__place place = {.unknown = judge->place.unknown};
    struct xylem_view path;
    assert(judge->place.count <= XYLEM_POLICY__PLACES_MAX);
    if (!directory || directory->bytes == 0 || judge->directory_changes++ >= CHANGES_MAX) {
        judge->place.unknown = true;
        judge->place.count = 0;
        return;
    }
    if (directory->data[0] == '/') { /* wherever the shell stands */
        path = xylem_policy__path_joined(&judge->arena, (struct xylem_view){NULL, 0}, *directory);
        judge->place = (struct xylem_policy__place){.unknown = !path.data, .count = path.data ? 1 : 0, .paths = {path}};
        return;
    }
    for (size_t i = 0; i < judge->place.count; i++) {
        path = xylem_policy__path_joined(&judge->arena, judge->place.paths[i], *directory);
        if (!path.data) {
            place.unknown = true;
        } else if (!holds(&place, path)) {
            place.paths[place.count++] = path;
        }
    }
    judge->place = place;
}

void xylem_policy__place_follow(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    if (xylem_policy__listed("popd source .", command->name)) {
        xylem_policy__place_change(judge, NULL);
    }
    if (!xylem_base__view_is(command->name, "cd") && !xylem_base__view_is(command->name, "pushd")) {
        return;
    }
    struct xylem_policy__options options = xylem_policy__options_of(command->words, command->count, "-L -P -e -@ -n");
    const struct xylem_shell__word *to = NULL;
    struct xylem_policy__option option = xylem_policy__options_next(&options);
    for (; option.type != XYLEM_POLICY__OPTION_END; option = xylem_policy__options_next(&options)) {
        if (option.type == XYLEM_POLICY__OPTION_OPERAND && !to && option.word->literal) {
            to = option.word;
        } else if (option.type != XYLEM_POLICY__OPTION_KNOWN) {
            xylem_policy__place_change(judge, NULL);
            return;
        }
    }
    bool known = to && !xylem_shell__word_is(to, "-") && to->text.bytes > 0 && to->text.data[0] != '+';
    xylem_policy__place_change(judge, known ? &to->text : NULL);
}

void xylem_policy__git_runs(struct xylem_policy__judge *judge, const struct xylem_view *directory)
{
    struct xylem_verdict *verdict = judge->verdict;
    struct xylem_policy__place here = judge->place;
    if (!directory) {
        verdict->git_directory_unknown = true;
        return;
    }
    if (directory->bytes > 0) {
        xylem_policy__place_change(judge, directory);
    }
    for (size_t i = 0; i < judge->place.count; i++) {
        struct xylem_view path = judge->place.paths[i];
        if (verdict->git_directory_count == DIRECTORIES_MAX) {
            verdict->git_directory_unknown = true;
            break;
        }
        (void)xylem_policy__add_once(judge, &verdict->git_directories, &verdict->git_directory_count,
                                     &verdict->git_directory_capacity, path.bytes == 0 ? xylem_view_of(".") : path);
    }
    verdict->git_directory_unknown |= judge->place.unknown;
    judge->place = here;
}
