/* Reads the options of git itself, up to the subcommand, and follows -C. forms.c judges the subcommand. */
#include "judge/policy/git/git.h"

#include "judge/policy/git/forms.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/paths.h"

/* After more -C in one command the directory is unknown. */
#define DIRECTORY_CHANGES_MAX 8u

/* The directory in which git runs, relative to the directory of the shell. */
struct place {
    bool known;
    bool elsewhere;              /* --git-dir or --work-tree: the repository lies apart from the files */
    struct xylem_view directory; /* of -C */
    unsigned changes;
};

static const char GIT_OPTION[] = "git-option";

/* Follows an option that changes the directory or the repository. */
static void follow(struct xylem_policy__judge *judge, struct place *place, const struct xylem_policy__option *option)
{
    bool absolute = option->value.bytes > 0 && option->value.data[0] == '/';
    if (xylem_policy__listed("--git-dir --work-tree --bare", option->name)) {
        /* --bare: .git is no longer the repository. */
        place->elsewhere = true;
    } else if (xylem_base__view_is(option->name, "-C")) {
        place->known = (place->known || absolute) && option->value_literal && place->changes++ < DIRECTORY_CHANGES_MAX;
        if (place->known) {
            place->directory =
                xylem_policy__path_joined(xylem_policy__arena_of(judge), place->directory, option->value);
            place->known = place->directory.data;
        }
    }
}

/* Refuses an option of git itself that is not known or not literal. */
static bool unclear_option(struct xylem_policy__judge *judge, struct place *place,
                           const struct xylem_policy__option *option)
{
    const struct xylem_shell__word *word = option->word;
    bool named = word->text.bytes > 2 && xylem_policy__view_has(word->text, '=');
    if (option->type == XYLEM_POLICY__OPTION_UNCLEAR && word->splits && (option->has_value || named)) {
        place->elsewhere = true;
        return xylem_policy__git_doubt(
            judge, word, "write the option of git out: the word is not literal, and other options may follow");
    }
    if (option->type == XYLEM_POLICY__OPTION_UNCLEAR) {
        return xylem_policy__refuse(judge, word->raw, "git", "write the subcommand of git out: it is not literal");
    }
    return xylem_policy__refuse(judge, word->raw, GIT_OPTION,
                                "leave out %.*s of git: the option is not known to be harmless", (int)word->text.bytes,
                                word->text.data);
}

/* The index of the subcommand; 0: refused. */
static size_t find_subcommand(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                              struct place *place)
{
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, xylem_policy__git_options);
    options.first_operand_ends = true;
    options.no_dashes = true;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        const struct xylem_shell__word *word = option.word;
        switch (option.type) {
        case XYLEM_POLICY__OPTION_END:
            (void)xylem_policy__refuse(judge, command->raw, "git", "git has no subcommand");
            return 0;
        case XYLEM_POLICY__OPTION_KNOWN:
            follow(judge, place, &option);
            break;
        case XYLEM_POLICY__OPTION_OPERAND:
            if (!word->literal) {
                (void)xylem_policy__refuse(judge, word->raw, "git",
                                           "write the subcommand of git out: it is not literal");
                return 0;
            }
            return options.at - 1;
        default:
            if (xylem_shell__word_is(word, "--version") || xylem_shell__word_is(word, "-v")) {
                return options.at - 1;
            }
            if (!unclear_option(judge, place, &option)) {
                return 0;
            }
        }
    }
}

bool xylem_policy__git(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                       enum xylem_policy__git_tier tier)
{
    struct place place = {.known = true, .directory = {"", 0}};
    size_t at = find_subcommand(judge, command, &place);
    if (at == 0) {
        return false;
    }
    xylem_policy__git_runs(judge, place.known && !place.elsewhere ? &place.directory : NULL);
    return xylem_policy__git_judge_subcommand(judge, command, at, tier);
}

const struct xylem_shell__word *const *xylem_policy__git_subcommand(const struct xylem_policy__command *command,
                                                                    size_t *count)
{
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, xylem_policy__git_valued_options);
    options.first_operand_ends = true;
    options.no_dashes = true;
    *count = 0;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        if (option.type == XYLEM_POLICY__OPTION_OPERAND && option.word->literal) {
            *count = command->count - (options.at - 1);
            return command->words + (options.at - 1);
        }
        bool passed = option.type == XYLEM_POLICY__OPTION_KNOWN || option.type == XYLEM_POLICY__OPTION_UNKNOWN ||
                      (option.type == XYLEM_POLICY__OPTION_UNCLEAR && option.has_value);
        if (!passed) {
            return NULL;
        }
    }
}
