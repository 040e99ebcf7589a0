/* git's own options, its subcommand, and where it runs. How a subcommand is judged is in policy/git/forms.c. */
#include "policy/git/git.h"

#include "policy/git/forms.h"
#include "policy/git/tables.h"
#include "policy/words/options.h"

/* More -C in one command are not followed. */
#define DIRECTORY_CHANGES_MAX 8u

/* Where git runs: seen from where the shell stands. */
struct place {
    bool known;
    bool elsewhere;              /* --git-dir or --work-tree parts the repository from the files that it is about */
    struct xylem_view directory; /* as -C gives it */
    unsigned changes;
};

static const char GIT_OPTION[] = "git-option";

/* `to` seen from `from`; false: there is no memory, or nobody knows where that is. */
static bool join(struct xylem_policy__judge *judge, struct xylem_view from, struct xylem_view to,
                 struct xylem_view *joined)
{
    if (from.bytes == 0 || (to.bytes > 0 && to.data[0] == '/')) {
        *joined = to;
        return true;
    }
    if (to.bytes == 0) {
        *joined = from;
        return true;
    }
    char *path = xylem_shell__arena_take(xylem_policy__arena_of(judge), from.bytes + 1 + to.bytes);
    if (!path) {
        return false;
    }
    memcpy(path, from.data, from.bytes);
    path[from.bytes] = '/';
    memcpy(path + from.bytes + 1, to.data, to.bytes);
    *joined = (struct xylem_view){path, from.bytes + 1 + to.bytes};
    return true;
}

/* An option that says where git runs. */
static void follow(struct xylem_policy__judge *judge, struct place *place, const struct xylem_policy__option *option)
{
    bool absolute = option->value.bytes > 0 && option->value.data[0] == '/';
    if (xylem_policy__listed("--git-dir --work-tree --bare", option->name)) { /* --bare: not what .git is */
        place->elsewhere = true;
    } else if (xylem_base__view_is(option->name, "-C")) {
        place->known = (place->known || absolute) && option->value_literal &&
                       place->changes++ < DIRECTORY_CHANGES_MAX &&
                       join(judge, place->directory, option->value, &place->directory);
    }
}

static void tell_place(struct xylem_policy__judge *judge, const struct place *place)
{
    xylem_policy__git_runs(judge, place->known && !place->elsewhere ? &place->directory : NULL);
}

/* An option of git itself that is not known, or that is not literal. */
static bool unclear_option(struct xylem_policy__judge *judge, struct place *place,
                           const struct xylem_policy__option *option)
{
    const struct xylem_shell__word *word = option->word;
    bool named = word->text.bytes > 2 && xylem_policy__view_has(word->text, '=');
    if (option->type == XYLEM_POLICY__OPTION_UNCLEAR && word->splits && (option->has_value || named)) {
        place->elsewhere = true;
        return xylem_policy__git_doubt(judge, word,
                                       "write the option of git out: it is not literal, and others may follow it");
    }
    if (option->type == XYLEM_POLICY__OPTION_UNCLEAR) {
        return xylem_policy__refuse(judge, word->raw, "git", "write the subcommand of git out: it is not literal");
    }
    return xylem_policy__refuse(judge, word->raw, GIT_OPTION, "leave out %.*s of git: it is not known to be harmless",
                                (int)word->text.bytes, word->text.data);
}

/* Which word is the subcommand; 0: refused. */
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
            (void)xylem_policy__refuse(judge, command->raw, "git", "git without a subcommand");
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
    tell_place(judge, &place);
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
