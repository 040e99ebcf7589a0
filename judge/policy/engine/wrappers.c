/*
 * Finds the command that a wrapper runs, and judges that command like any other. The cases, by the wrapper's row:
 *
 *     words        nice -n 5 rm x                 judged: rm x
 *     environment  env A=b rm x                   judged: the setting A=b, then rm x
 *     joined       watch rm x                     judged: the code `rm x`
 *     appended     xargs rm -r                    judged: rm -r UNKNOWN...
 *                  xargs -I% mv % y               judged: mv UNKNOWN y
 *     parallel     parallel rm ::: a b            judged: the code `rm`; without words the input holds commands
 *     code         sh -c 'rm x'                   judged: the code `rm x`; without -c a shell reads a file or the input
 *     find         find . -exec rm {} + -ok ls ';' judged: rm UNKNOWN, then ls
 *     fd           fd -e c -x rm                  judged: rm UNKNOWN
 *     somewhere    tmux new 'rm x'                undecided: the policy searches the words for names
 *     input        at now                         undecided: the policy searches the words and the input
 *
 * A wrapper may follow a wrapper: `env A=b nice sh -c 'xargs rm'` is judged level by level. If an option of
 * the wrapper is not known, the place of the inner command is not known: the wrapper is undecided.
 */
#include "judge/policy/engine/wrappers.h"

#include <strings.h>

#include "judge/policy/engine/engine.h"
#include "judge/policy/words/options.h"

/* A wrapper, and the meaning of its options. */
struct wrapped {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__command *outer;
    const struct xylem_policy__wrapper *wrapper;
    size_t at;                /* the first word of the inner command */
    bool looks_up;            /* an option says that no command runs */
    bool code_given;          /* -c */
    bool reads_input;         /* -s */
    bool nul_ends;            /* xargs -0: a NUL byte ends each word of the input */
    bool other_input;         /* xargs reads a file, or words that end otherwise */
    bool direct;              /* watch -x: no shell reads the words */
    struct xylem_view marker; /* xargs replaces the marker; empty: xargs appends */
};

const struct xylem_policy__wrapper *xylem_policy__wrapper_of(struct xylem_view name)
{
    name = xylem_policy__program_of(name);
    for (const struct xylem_policy__wrapper *row = xylem_policy__wrappers; row->names; row++) {
        if (xylem_policy__listed(row->names, name)) {
            return row;
        }
    }
    return NULL;
}

static bool undecided(const struct wrapped *wrapped, const char *why)
{
    return xylem_policy__undecided(wrapped->judge, wrapped->outer->raw, "wrapper", why);
}

/* True for a value of `ssh -o` by which ssh runs a program on this machine. */
static bool ssh_setting_runs(struct xylem_view value)
{
    const char *settings = xylem_policy__ssh_settings;
    for (struct xylem_view setting; xylem_policy__next_name(&setting, &settings);) {
        if (value.bytes >= setting.bytes && strncasecmp(value.data, setting.data, setting.bytes) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * The option writes a file, or sends the output to a program. `confirm` allows files, so `confirm` searches the value
 * for names of programs.
 */
static void refuse_output(const struct wrapped *wrapped, const struct xylem_policy__option *option)
{
    if (wrapped->judge->policy->type == XYLEM_POLICY_CONFIRM) {
        xylem_policy__undecided(wrapped->judge, !option->value_word ? option->word->raw : option->value_word->raw,
                                "wrapper", "the output may go to a program");
        return;
    }
    xylem_policy__refuse(wrapped->judge, option->word->raw, "option", "%.*s %.*s writes a file",
                         (int)wrapped->outer->name.bytes, wrapped->outer->name.data, (int)option->name.bytes,
                         option->name.data);
}

/* Notes the meaning of an option for the inner command. False: the inner command is not decidable. */
static bool take_option(struct wrapped *wrapped, const struct xylem_policy__option *option)
{
    bool is_env = wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_ENVIRONMENT;
    if (xylem_policy__listed(wrapped->wrapper->writes, option->name)) {
        refuse_output(wrapped, option);
    } else if (xylem_policy__listed(wrapped->wrapper->lookups, option->name)) {
        wrapped->looks_up = true;
    } else if (xylem_base__view_is(option->name, "-c") && wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_CODE) {
        wrapped->code_given = true;
    } else if (wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_APPENDED &&
               xylem_policy__listed("-I -i --replace", option->name)) {
        wrapped->marker = option->has_value ? option->value : xylem_view_of("{}");
        return !option->has_value || option->value_literal;
    } else if (xylem_base__view_is(option->name, "--process-slot-var")) {
        xylem_policy__judge_variable(wrapped->judge, option->value, XYLEM_POLICY__SET_BY_ENV, NULL);
        return option->value_literal;
    } else if (xylem_policy__listed("-0 --null", option->name)) {
        wrapped->nul_ends = true;
    } else if (xylem_policy__listed("-a --arg-file -d --delimiter", option->name)) {
        wrapped->other_input = true;
    } else if (wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_CODE && xylem_base__view_is(option->name, "-s")) {
        wrapped->reads_input = true;
    } else if (wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_JOINED && wrapped->wrapper->operand_count == 0 &&
               xylem_policy__listed("-x --exec", option->name)) {
        wrapped->direct = true;
    } else if (xylem_base__view_is(option->name, "-o") && wrapped->wrapper->operand_count == 1 &&
               wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_JOINED) {
        return option->value_literal && !ssh_setting_runs(option->value);
    } else if (is_env && xylem_policy__listed("-C --chdir", option->name)) {
        xylem_policy__place_change(wrapped->judge, option->value_literal ? &option->value : NULL);
    }
    return true;
}

/*
 * Reads the options and operands of the wrapper up to the inner command. False: the place of the inner command is not
 * known.
 */
static bool find_command(struct wrapped *wrapped, const char *list)
{
    struct xylem_policy__options options = xylem_policy__options_of(wrapped->outer->words, wrapped->outer->count, list);
    size_t operands = 0;
    for (;; operands++) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        while (option.type == XYLEM_POLICY__OPTION_KNOWN) {
            if (!take_option(wrapped, &option)) {
                return false;
            }
            option = xylem_policy__options_next(&options);
        }
        if (option.type == XYLEM_POLICY__OPTION_END) {
            wrapped->at = wrapped->outer->count;
            wrapped->looks_up |= operands < wrapped->wrapper->operand_count; /* `ssh -i k` only says how to call it */
            return true;
        }
        if (wrapped->looks_up) { /* the words behind are looked up only */
            return true;
        }
        bool shell_option = wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_CODE &&
                            xylem_policy__view_begins(option.word->text, "+"); /* `+o` and the like */
        if (option.type != XYLEM_POLICY__OPTION_OPERAND || shell_option) {
            return false;
        }
        bool environment = wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_ENVIRONMENT;
        /* `env -`; behind a NAME=value `-` is a program. */
        bool emptied = xylem_shell__word_is(option.word, "-") && !options.dashes_seen;
        bool setting = xylem_policy__view_has(option.word->text, '=');
        if (environment && (setting || emptied)) {
            if (setting) {
                wrapped->judge->set = (struct xylem_policy__set_value){.value = option.word, .behind_name = true};
                xylem_policy__judge_variable(wrapped->judge, xylem_policy__view_before(option.word->text, '='),
                                             XYLEM_POLICY__SET_BY_ENV, NULL);
                wrapped->judge->set = (struct xylem_policy__set_value){0};
            }
            options.dashes_seen = true;
            continue;
        }
        if (environment || operands == wrapped->wrapper->operand_count) {
            wrapped->at = options.at - 1;
            return true;
        }
        options.dashes_seen |= wrapped->wrapper->wraps != XYLEM_POLICY__WRAPS_JOINED;
    }
}

/* Makes an unknown word that begins with `begins`; `splits`: any number of words, `path`: as of find. Errors show `raw`. */
static struct xylem_shell__word *unknown_word(struct xylem_policy__judge *judge, struct xylem_view raw,
                                              struct xylem_view begins, bool splits, bool path)
{
    struct xylem_shell__word *word = xylem_shell__arena_take(&judge->arena, sizeof *word);
    if (word) {
        *word = (struct xylem_shell__word){.raw = raw, .text = begins, .splits = splits, .path = path};
    }
    return word;
}

/*
 * Judges the words of the inner command as the wrapper runs them. A word with the marker becomes an unknown word;
 * without a marker, unknown words follow. `paths`: the unknown words are paths, and no option begins like the paths.
 */
static bool judge_with_unknown(const struct wrapped *wrapped, const struct xylem_shell__word *const *words,
                               size_t count, struct xylem_view marker, bool paths)
{
    struct xylem_policy__judge *judge = wrapped->judge;
    const struct xylem_shell__word **made = xylem_shell__arena_take(&judge->arena, (count + 1) * sizeof *made);
    if (!made) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct xylem_view text = words[i]->text;
        const char *found =
            marker.bytes == 0 || text.bytes == 0 ? NULL : memmem(text.data, text.bytes, marker.data, marker.bytes);
        made[i] = words[i];
        if (found) {
            made[i] = unknown_word(judge, words[i]->raw, (struct xylem_view){text.data, (size_t)(found - text.data)},
                                   words[i]->splits, paths && found == text.data);
            if (!made[i]) {
                return false;
            }
        }
    }
    if (marker.bytes == 0) {
        struct xylem_view behind = {wrapped->outer->raw.data, 0};
        made[count] = unknown_word(judge, wrapped->outer->raw, behind, true, paths);
        if (!made[count++]) {
            return false;
        }
    }
    return xylem_policy__judge_words(judge, wrapped->outer, made, count, true);
}

/* Judges the words, joined by spaces, as code. */
static bool judge_joined(const struct wrapped *wrapped, const struct xylem_shell__word *const *words, size_t count)
{
    const struct xylem_shell__word *joined = xylem_policy__joined(&wrapped->judge->arena, words, count);
    return joined && xylem_policy__judge_code(wrapped->judge, joined, "wrapper");
}

/* GNU parallel: the words up to `:::` are a template. Without a template each line of the input is a command. */
static bool judge_parallel(const struct wrapped *wrapped, const struct xylem_shell__word *const *words, size_t count)
{
    size_t template_count = 0;
    while (template_count < count &&
           !(words[template_count]->literal && xylem_policy__view_begins(words[template_count]->text, ":::"))) {
        template_count++;
    }
    if (template_count == 0) {
        return undecided(wrapped, "its words do not hold the commands to run: they come from its input") &&
               xylem_policy__input_undecided(wrapped->judge);
    }
    for (size_t i = 0; i < template_count; i++) {
        if (xylem_policy__view_has(words[i]->text, '{') && (i == 0 || template_count == 1)) {
            return undecided(wrapped, "the command to run comes from its input") &&
                   xylem_policy__input_undecided(wrapped->judge);
        }
    }
    return judge_joined(wrapped, words, template_count);
}

/*
 * The place of the inner command is not known. The inner command may come from the input if the wrapper is a shell
 * without -c, or stands behind xargs.
 */
static bool options_undecided(const struct wrapped *wrapped)
{
    bool reads_input = wrapped->wrapper->wraps == XYLEM_POLICY__WRAPS_CODE && !wrapped->code_given;
    return undecided(wrapped, "an option is not known, or not written out: write only known options") &&
           (!(reads_input || wrapped->outer->appended) || xylem_policy__input_undecided(wrapped->judge));
}

/*
 * A shell. `-` ends the options, like `--`. The cases:
 * - `sh -c CODE`: the code is judged;
 * - `sh FILE`: passes here, since the judge reads no file; the rule of the policy judges the name of the shell;
 * - `sh`, `sh -s`, `sh /dev/stdin`: the shell reads code from its input.
 */
static bool judge_shell(const struct wrapped *wrapped, const struct xylem_shell__word *const *words, size_t count)
{
    bool dash = count > 0 && xylem_shell__word_is(words[0], "-");
    words += dash;
    count -= dash;
    if (wrapped->code_given) {
        if (count == 0) {
            return undecided(wrapped, "the code behind its -c is missing");
        }
        /* xargs or find may put the code into the word, or the beginning of the code */
        bool from_input =
            wrapped->outer->appended && !words[0]->literal && !words[0]->parts && words[0]->text.bytes == 0;
        return xylem_policy__judge_code(wrapped->judge, words[0], "wrapper") &&
               (!from_input || xylem_policy__input_undecided(wrapped->judge));
    }
    bool from_file = count > 0 && !wrapped->reads_input && words[0]->literal &&
                     !xylem_policy__view_begins(words[0]->text, "/dev/") &&
                     !xylem_policy__view_begins(words[0]->text, "/proc/");
    return from_file || xylem_policy__input_undecided(wrapped->judge);
}

/* Of find: what prints more than paths that end with a NUL. */
static const char PRINTS_MORE[] = "-print -printf -ls -help --help -version --version";

/* The count of words between -exec and `;`, or between -exec and `+` behind `{}`. SIZE_MAX: no such word follows. */
static size_t exec_count(const struct xylem_shell__word *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool ends = xylem_shell__word_is(words[i], ";") ||
                    (i > 0 && xylem_shell__word_is(words[i], "+") && xylem_shell__word_is(words[i - 1], "{}"));
        if (ends || words[i]->splits) {
            return ends ? i : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

/* True for `-O3`, `-D tree` and `-Ex`: starting points may follow behind the option. */
static bool is_find_option(struct xylem_view text)
{
    struct xylem_view letters = {text.data + 1, text.bytes - 1};
    return xylem_policy__view_of_only(letters, "HLPEXdsxf") || xylem_policy__view_begins(text, "-O") ||
           xylem_policy__view_begins(text, "-D");
}

/* True if every path that find meets begins with a dot, or like a starting point among the words. */
static bool finds_below_words(const struct xylem_policy__command *command)
{
    size_t at = 1;
    for (; at < command->count; at++) {
        const struct xylem_shell__word *word = command->words[at];
        bool path = !word->splits && xylem_policy__begins_plainly(word->text); /* no option, no expression */
        if (!path && !xylem_shell__word_is(word, "-L")) {
            break;
        }
    }
    const struct xylem_shell__word *expression = at < command->count ? command->words[at] : NULL;
    if (!expression || !expression->literal || expression->text.bytes == 0 ||
        !strchr("-(!", expression->text.data[0]) || is_find_option(expression->text)) {
        return false;
    }
    for (; at < command->count; at++) {
        if (xylem_policy__view_begins(command->words[at]->text, "-files0-from")) {
            return false;
        }
    }
    return true;
}

bool xylem_policy__prints_paths(struct xylem_policy__judge *judge, const struct xylem_shell__node *node)
{
    bool ends_with_nul = false;
    const struct xylem_shell__word *word = node->type == XYLEM_SHELL__SIMPLE ? node->words : NULL;
    if (!word || !xylem_shell__word_is(word, "find")) {
        return false;
    }
    for (; word; word = word->next) {
        ends_with_nul |= xylem_shell__word_is(word, "-print0");
        if (!word->literal || xylem_policy__listed(PRINTS_MORE, word->text) ||
            xylem_policy__listed(xylem_policy__find_executes, word->text)) {
            return false;
        }
    }
    const struct xylem_policy__command find = {.words = xylem_policy__words_of(&judge->arena, node),
                                               .count = node->word_count};
    return ends_with_nul && find.words && finds_below_words(&find);
}

static bool judge_find(const struct wrapped *wrapped)
{
    const struct xylem_shell__word *const *words = wrapped->outer->words;
    struct xylem_policy__place here = wrapped->judge->place;
    bool below_words = finds_below_words(wrapped->outer);
    bool passed = true;
    for (size_t i = 1; i < wrapped->outer->count; i++) {
        /* `x=-exec; find f $x rm -r d \;` passes where policies pass words that are not known: rm is judged */
        bool guess = wrapped->judge->policy->rules->programs && !words[i]->literal && i + 1 < wrapped->outer->count &&
                     xylem_policy__may_be_option(words[i]) && xylem_policy__begins_plainly(words[i + 1]->text);
        if (!guess && !(words[i]->literal && xylem_policy__listed(xylem_policy__find_executes, words[i]->text))) {
            continue;
        }
        size_t count = exec_count(words + i + 1, wrapped->outer->count - i - 1);
        if (guess && (count == SIZE_MAX || !xylem_policy__may_guess(wrapped->judge))) {
            continue;
        }
        if (count == SIZE_MAX) {
            return undecided(wrapped, "the command of its -exec has no end: expected `;` or `{} +`");
        }
        if (xylem_shell__word_is(words[i], "-execdir") || xylem_shell__word_is(words[i], "-okdir")) {
            xylem_policy__place_change(wrapped->judge, NULL);
        }
        bool paths = xylem_shell__word_is(words[i], "-exec") || xylem_shell__word_is(words[i], "-ok");
        passed &= judge_with_unknown(wrapped, words + i + 1, count, xylem_view_of("{}"), paths && below_words);
        wrapped->judge->place = here;
        i += guess ? 0 : count + 1;
    }
    return passed;
}

/* The index of the first unknown option between `from` and `to`, or 0. Sets `dashes_seen` if only operands follow. */
static size_t fd_unknown_option(const struct wrapped *wrapped, size_t from, size_t to, bool *dashes_seen)
{
    struct xylem_policy__options options =
        xylem_policy__options_of(wrapped->outer->words + from, to - from, wrapped->wrapper->options);
    struct xylem_policy__option option = xylem_policy__options_next(&options);
    for (; option.type != XYLEM_POLICY__OPTION_END; option = xylem_policy__options_next(&options)) {
        if (option.type == XYLEM_POLICY__OPTION_UNCLEAR ||
            (option.type == XYLEM_POLICY__OPTION_UNKNOWN &&
             !xylem_policy__listed(wrapped->wrapper->lookups, option.word->text))) {
            return from + options.at - 1;
        }
    }
    *dashes_seen = options.dashes_seen;
    return 0;
}

/* `-xrm` and `-HXrm`: a command begins inside the option. Gives the words of the command; NULL: no command in there. */
static const struct xylem_shell__word **fd_glued(const struct wrapped *wrapped, size_t at, size_t *count)
{
    const struct xylem_policy__command *fd = wrapped->outer;
    struct xylem_view text = fd->words[at]->text;
    size_t from = xylem_shell__find_any(text, 1, "xX");
    if (text.bytes < 3 || text.data[0] != '-' || text.data[1] == '-' || from + 1 >= text.bytes) {
        return NULL;
    }
    from += text.data[from + 1] == '=' ? 2 : 1;
    *count = fd->count - at;
    return xylem_policy__renamed(&wrapped->judge->arena, fd->words + at, *count,
                                 (struct xylem_view){text.data + from, text.bytes - from});
}

/* The command of fd takes all words up to `;`. More options, and another -x, may follow. */
static bool judge_fd(const struct wrapped *wrapped)
{
    const struct xylem_policy__command *fd = wrapped->outer;
    bool passed = true;
    bool dashes_seen = false;
    for (size_t from = 0; from < fd->count;) {
        size_t at = from + 1; /* of the next -x or -X */
        while (at < fd->count &&
               !(fd->words[at]->literal && xylem_policy__listed("-x -X --exec --exec-batch", fd->words[at]->text))) {
            at++;
        }
        size_t unknown = fd_unknown_option(wrapped, from, at, &dashes_seen);
        if (unknown > 0) { /* the option may hold a command: `-xrm` */
            passed = undecided(wrapped, "an option is not known: leave the option out");
            size_t count;
            const struct xylem_shell__word **words = fd_glued(wrapped, unknown, &count);
            return (!words || judge_with_unknown(wrapped, words, count, xylem_view_of("{"), false)) && passed;
        }
        if (at == fd->count || dashes_seen) {
            return passed;
        }
        size_t end = ++at;
        while (end < fd->count && !xylem_shell__word_is(fd->words[end], ";")) {
            end++;
        }
        if (end == at) {
            return undecided(wrapped, "the command behind its -x is missing");
        }
        bool placed = false; /* without a placeholder, fd puts the paths behind */
        for (size_t i = at; i < end; i++) {
            static const char *const marks[] = {"{}", "{/}", "{//}", "{.}", "{/.}"};
            for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
                placed |= xylem_policy__view_contains(fd->words[i]->text, marks[k]);
            }
        }
        passed &= judge_with_unknown(wrapped, fd->words + at, end - at, xylem_view_of(placed ? "{" : ""), false);
        from = end;
    }
    return passed;
}

/* True for a wrapper that changes the root, the machine, the namespaces or the arguments. */
static bool runs_elsewhere(const struct xylem_policy__command *command)
{
    return xylem_policy__listed("chroot ssh unshare parallel", xylem_policy__program_of(command->name));
}

static bool judge_inner(const struct wrapped *wrapped)
{
    const struct xylem_shell__word *const *words = wrapped->outer->words + wrapped->at;
    size_t count = wrapped->outer->count - wrapped->at;
    switch (wrapped->wrapper->wraps) {
    case XYLEM_POLICY__WRAPS_APPENDED:
        /* xargs without a command runs echo */
        return count == 0 ||
               judge_with_unknown(wrapped, words, count, wrapped->marker,
                                  wrapped->judge->reads_paths && wrapped->nul_ends && !wrapped->other_input);
    case XYLEM_POLICY__WRAPS_PARALLEL:
        return judge_parallel(wrapped, words, count);
    case XYLEM_POLICY__WRAPS_CODE:
        return judge_shell(wrapped, words, count);
    case XYLEM_POLICY__WRAPS_JOINED:
        if (count > 0 && !wrapped->direct) {
            return judge_joined(wrapped, words, count);
        }
        break;
    default:
        break;
    }
    if (count == 0 && runs_elsewhere(wrapped->outer)) {
        /* Without a command a shell starts, and the shell reads its input. */
        return xylem_policy__input_undecided(wrapped->judge);
    }
    return xylem_policy__judge_words(wrapped->judge, wrapped->outer, words, count, false);
}

bool xylem_policy__judge_wrapped(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct wrapped wrapped = {.judge = judge, .outer = command, .wrapper = xylem_policy__wrapper_of(command->name)};
    struct xylem_policy__place here = judge->place;
    bool elsewhere = judge->elsewhere;
    bool passed;
    if (!wrapped.wrapper) {
        return true;
    }
    if (wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_SOMEWHERE && judge->policy->rules->runs_nothing &&
        judge->policy->rules->runs_nothing(judge, command)) {
        return true;
    }
    if (wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_SOMEWHERE ||
        wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_INPUT) {
        return undecided(&wrapped, "the command to run stands somewhere in its words") &&
               (wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_SOMEWHERE || xylem_policy__input_undecided(judge));
    }
    if (wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_FIND) {
        return judge_find(&wrapped);
    }
    if (wrapped.wrapper->wraps == XYLEM_POLICY__WRAPS_FD) {
        return judge_fd(&wrapped);
    }
    if (runs_elsewhere(command)) {
        xylem_policy__place_change(judge, NULL);
        judge->elsewhere = true;
    }
    const char *const lists[] = {wrapped.wrapper->options, wrapped.wrapper->lookups, wrapped.wrapper->writes};
    if (!find_command(&wrapped, xylem_policy__lists_joined(&judge->arena, lists, 3))) {
        passed = options_undecided(&wrapped);
    } else if (wrapped.looks_up) {
        passed = true;
    } else if (xylem_base__view_is(command->name, "flock") && wrapped.at < command->count &&
               xylem_policy__listed("-c --command", command->words[wrapped.at]->text)) {
        /* `flock FILE -c CODE`: the option stands behind the operand */
        passed = wrapped.at + 2 == command->count
                     ? xylem_policy__judge_code(judge, command->words[wrapped.at + 1], "wrapper")
                     : undecided(&wrapped, "the code behind its -c is missing, or more than one word");
    } else {
        passed = judge_inner(&wrapped);
    }
    if (!xylem_policy__listed("command builtin", command->name)) { /* these alone run `cd` in the shell itself */
        judge->place = here;
    }
    if (xylem_base__view_is(command->name, "eval")) {
        xylem_policy__place_change(judge, NULL);
    }
    judge->elsewhere = elsewhere;
    return passed;
}
