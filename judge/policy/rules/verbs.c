#include "judge/policy/rules/verbs.h"

#include <pthread.h>

#include "judge/policy/engine/grants.h"
#include "judge/policy/words/name_index.h"
#include "judge/policy/words/names.h"
#include "judge/policy/words/options.h"
#include "judge/policy/words/tables.h"

/* The reading of one command by a row of the verbs. */
struct reading {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__command *command;
    const struct xylem_policy__verb_row *row;
    struct xylem_policy__options options;
    struct xylem_view verbs[XYLEM_POLICY__VERBS_MAX];
    size_t count;
    size_t held;  /* so many verbs write, unless a reading verb follows: pdftotext FILE - */
    bool unsure;  /* an unknown option stands before: the next operand may be the value of the option */
    bool alone;   /* an option of row->alone was read */
    bool running; /* the next operand begins a command */
    bool operand_seen;
};

static struct xylem_policy__name_index verb_index;
static pthread_once_t indexed = PTHREAD_ONCE_INIT;

static void index_table(void)
{
    for (const struct xylem_policy__verb_row *row = xylem_policy__verb_table; row->names; row++) {
        xylem_policy__index_add(&verb_index, row->names, row);
    }
}

const struct xylem_policy__verb_row *xylem_policy__verbs_of(struct xylem_view name)
{
    pthread_once(&indexed, index_table);
    return xylem_policy__index_find(&verb_index, xylem_policy__program_of(name));
}

bool xylem_policy__verbs_hold(struct xylem_view name)
{
    const struct xylem_policy__verb_row *row = xylem_policy__verbs_of(name);
    return row && !row->common_word &&
           (row->writes || row->destroys || row->only_reads || row->refuses_with || row->writes_with ||
            row->otherwise != XYLEM_POLICY__ELSE_PASSES);
}

static enum xylem_policy__match match_entry(const char *entry, const char *end, const struct xylem_view *verbs,
                                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (entry >= end) {
            return XYLEM_POLICY__MATCH_NONE;
        }
        const char *slash = memchr(entry, '/', (size_t)(end - entry));
        const char *step_end = slash ? slash : end;
        if (!xylem_policy__entry_meets((struct xylem_view){entry, (size_t)(step_end - entry)}, verbs[i])) {
            return XYLEM_POLICY__MATCH_NONE;
        }
        entry = slash ? slash + 1 : end;
    }
    return entry >= end ? XYLEM_POLICY__MATCH_WHOLE : XYLEM_POLICY__MATCH_BEGUN;
}

enum xylem_policy__match xylem_policy__match_verbs(const char *list, const struct xylem_view *verbs, size_t count)
{
    enum xylem_policy__match best = XYLEM_POLICY__MATCH_NONE;
    for (struct xylem_view entry; xylem_policy__next_name(&entry, &list);) {
        enum xylem_policy__match match = match_entry(entry.data, entry.data + entry.bytes, verbs, count);
        best = match > best ? match : best;
    }
    return best;
}

bool xylem_policy__verbs_begin(const char *list, const struct xylem_view *verbs, size_t count)
{
    for (struct xylem_view entry; xylem_policy__next_name(&entry, &list);) {
        if (match_entry(entry.data, entry.data + entry.bytes, verbs, count) == XYLEM_POLICY__MATCH_BEGUN) {
            return true;
        }
    }
    return false;
}

const struct xylem_policy__reading_verbs *xylem_policy__reads_entry(const struct xylem_policy__verb_row *row,
                                                                    const char *mark)
{
    const struct xylem_policy__reading_verbs *reads = row->reads;
    while (reads && reads->verbs && strcmp(reads->verbs, mark) != 0) {
        reads++;
    }
    return reads && reads->verbs ? reads : NULL;
}

/* The best match among the reading verbs. */
static enum xylem_policy__match match_reads(const struct xylem_policy__verb_row *row, const struct xylem_view *verbs,
                                            size_t count)
{
    enum xylem_policy__match best = XYLEM_POLICY__MATCH_NONE;
    for (const struct xylem_policy__reading_verbs *reads = row->reads; reads && reads->verbs; reads++) {
        enum xylem_policy__match match = xylem_policy__match_verbs(reads->verbs, verbs, count);
        best = match > best ? match : best;
    }
    return best;
}

static bool undecided(const struct reading *reading)
{
    return xylem_policy__undecided(reading->judge, reading->command->raw, reading->row->does.rule,
                                   "write the program's words out: a word that may decide is not literal");
}

static bool refuse_verbs(const struct reading *reading, size_t count, const char *rule, const char *what)
{
    struct xylem_view name = reading->command->name;
    struct xylem_view verb = count > 0 ? reading->verbs[count - 1] : (struct xylem_view){"", 0};
    return xylem_policy__refuse(reading->judge, reading->command->raw, rule, "%.*s %s%.*s %s", (int)name.bytes,
                                name.data, count > 1 ? "... " : "", (int)verb.bytes, verb.data, what);
}

static bool refuse_words(const struct reading *reading)
{
    return xylem_policy__refuse(reading->judge, reading->command->raw, reading->row->does.rule,
                                "%.*s with these words %s", (int)reading->command->name.bytes,
                                reading->command->name.data, reading->row->does.what);
}

/* readonly refuses verbs. confirm reads the words only to judge the inner commands. */
static bool refuses(const struct reading *reading)
{
    return xylem_policy__of(reading->judge)->type == XYLEM_POLICY_READONLY;
}

bool xylem_policy__has_option(const struct xylem_policy__command *command, const char *options, bool behind_dashes)
{
    for (size_t i = 1; options && i < command->count; i++) {
        struct xylem_view text = command->words[i]->text;
        struct xylem_view value;
        bool off = xylem_policy__view_behind(&value, text, '=') && xylem_policy__spelt_in("none false", value);
        if (!behind_dashes && xylem_shell__word_is(command->words[i], "--")) {
            return false;
        }
        if (command->words[i]->literal && !off && xylem_policy__listed(options, xylem_policy__view_before(text, '='))) {
            return true;
        }
    }
    return false;
}

static bool judge_inner(struct reading *reading, bool *done);

/* True for a field that no mutation of GraphQL has. `=@FILE` takes the value from a file. */
static bool only_queries(const struct xylem_policy__option *option)
{
    struct xylem_view value;
    return option->value_literal && xylem_policy__view_behind(&value, option->value, '=') &&
           !xylem_policy__view_begins(value, "@") && !memmem(option->value.data, option->value.bytes, "mutation", 8);
}

/* What the options behind a verb that sends a request say. */
struct request {
    bool sends; /* a field or a body makes a POST of it, unless a method is named */
    bool gets;
    bool plain; /* no option is unknown, no word may be an option or an address, and no header changes the method */
};

/* True for text and globs: `repos/a/b/commits?per_page=5` becomes the same word, or names of files. */
static bool holds_no_value(const struct xylem_shell__word *word)
{
    const struct xylem_shell__part *part = word->literal ? NULL : word->parts;
    while (part && (part->type == XYLEM_SHELL__PART_TEXT || part->type == XYLEM_SHELL__PART_GLOB)) {
        part = part->next;
    }
    return !part;
}

static struct request read_request(const struct xylem_policy__command *command,
                                   const struct xylem_policy__verb_row *row, size_t at)
{
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, xylem_policy__request_options);
    struct request request = {.plain = true};
    struct xylem_policy__option option;
    options.at = at;
    bool queries = at < options.count && xylem_shell__word_is(options.words[at], "graphql");
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        bool known = option.type == XYLEM_POLICY__OPTION_KNOWN;
        bool method = known && xylem_policy__listed("-X --method", option.name);
        bool field = known && xylem_policy__listed("-f -F --field --raw-field", option.name);
        bool sends = known && (xylem_policy__listed("--input", option.name) ||
                               (option.has_value && xylem_policy__view_begins(option.value, "-")));
        bool header = known && xylem_policy__listed("-H --header", option.name);
        bool operand = option.type == XYLEM_POLICY__OPTION_OPERAND && holds_no_value(option.word);
        request.gets =
            method ? option.value_literal && xylem_policy__spelt_in("GET get HEAD head", option.value) : request.gets;
        request.sends |= method || sends || option.type == XYLEM_POLICY__OPTION_UNKNOWN ||
                         (field && !(queries && only_queries(&option)));
        request.plain &= known ? !xylem_policy__listed(row->sends_with, option.name) &&
                                     (!header || (option.value_literal &&
                                                  (xylem_policy__view_begins(option.value, "Accept:") ||
                                                   xylem_policy__view_begins(option.value, "X-GitHub-Api-Version:"))))
                               : operand && !xylem_policy__view_contains(option.word->text, "://");
    }
    return request;
}

bool xylem_policy__request_reads(const struct xylem_policy__command *command, const struct xylem_policy__verb_row *row)
{
    bool first = command->words[1]->literal && !xylem_policy__view_begins(command->words[1]->text, "-");
    struct request request = read_request(command, row, 2);
    return first && request.plain && (request.gets || !request.sends);
}

static bool judge_request(const struct reading *reading)
{
    struct request request = read_request(reading->command, reading->row, reading->options.at);
    return request.gets || !request.sends;
}

/* For confirm: asks about a verb that removes what nobody can get back. */
static bool ask_about_loss(const struct reading *reading, size_t count)
{
    refuse_verbs(reading, count, "destroys", "removes what nobody can get back");
    xylem_policy__grant(reading->judge, reading->command, reading->command->name, "destroys", NULL, 0);
    return false;
}

/* Judges an operand that may be a verb. Sets `*done` if no other word matters. */
static bool take_verb(struct reading *reading, struct xylem_view verb, bool *done)
{
    const struct xylem_policy__verb_row *row = reading->row;
    const struct xylem_policy__command *command = reading->command;
    size_t count = reading->count + 1;
    reading->verbs[reading->count] = verb;
    enum xylem_policy__match reads = match_reads(row, reading->verbs, count);
    enum xylem_policy__match destroyed = xylem_policy__match_verbs(row->destroys, reading->verbs, count);
    if (destroyed == XYLEM_POLICY__MATCH_BEGUN && !refuses(reading) && count < XYLEM_POLICY__VERBS_MAX) {
        reading->count = count;
        return true;
    }
    if (row->only_reads && (refuses(reading) || destroyed != XYLEM_POLICY__MATCH_WHOLE)) {
        size_t next = reading->options.at;
        bool helps = next < command->count && (xylem_shell__word_is(command->words[next], "--help") ||
                                               xylem_shell__word_is(command->words[next], "-h"));
        bool requests = xylem_policy__match_verbs(row->requests, reading->verbs, count) == XYLEM_POLICY__MATCH_WHOLE;
        reading->count = count;
        *done = reads != XYLEM_POLICY__MATCH_BEGUN || count == XYLEM_POLICY__VERBS_MAX;
        return reads != XYLEM_POLICY__MATCH_NONE || helps || !refuses(reading) ||
               (requests && judge_request(reading)) || refuse_verbs(reading, count, row->does.rule, row->does.what);
    }
    enum xylem_policy__match refused = xylem_policy__match_verbs(row->writes, reading->verbs, count);
    enum xylem_policy__match runs = xylem_policy__match_verbs(row->runs, reading->verbs, count);
    bool writes = refused == XYLEM_POLICY__MATCH_WHOLE && (refuses(reading) || runs == XYLEM_POLICY__MATCH_NONE);
    if (reading->held > 0 ||
        (writes && refuses(reading) && reads == XYLEM_POLICY__MATCH_BEGUN && count < XYLEM_POLICY__VERBS_MAX)) {
        bool holds = reading->held == 0;
        *done = !holds;
        reading->held = reading->count = count;
        return holds || reads == XYLEM_POLICY__MATCH_WHOLE || xylem_policy__has_option(command, row->unless, false) ||
               refuse_verbs(reading, count, row->does.rule, row->does.what);
    }
    if (writes || destroyed == XYLEM_POLICY__MATCH_WHOLE) {
        *done = true;
        return (!refuses(reading) && destroyed != XYLEM_POLICY__MATCH_WHOLE) ||
               xylem_policy__has_option(command, row->unless, false) ||
               (refuses(reading) ? refuse_verbs(reading, count, row->does.rule, row->does.what)
                                 : ask_about_loss(reading, count));
    }
    if (xylem_policy__match_verbs(row->rewrites, reading->verbs, count) == XYLEM_POLICY__MATCH_WHOLE) {
        *done = true;
        return !refuses(reading) || xylem_policy__has_option(command, row->unless, true) ||
               refuse_verbs(reading, count, "file-mutation", "changes files in place");
    }
    if (runs == XYLEM_POLICY__MATCH_WHOLE) {
        reading->running = true;
    } else if (refused == XYLEM_POLICY__MATCH_BEGUN || destroyed == XYLEM_POLICY__MATCH_BEGUN ||
               runs == XYLEM_POLICY__MATCH_BEGUN || reads == XYLEM_POLICY__MATCH_BEGUN) {
        reading->count = count;
        *done = count == XYLEM_POLICY__VERBS_MAX;
    } else if (row->own_commands && reading->count == 0 && !xylem_base__view_is(verb, "test")) {
        return judge_inner(reading, done);
    } else if (refuses(reading) && reads != XYLEM_POLICY__MATCH_WHOLE && !xylem_policy__reads_entry(row, ".") &&
               xylem_policy__spelt_in(xylem_policy__writing_words, verb)) {
        return refuse_verbs(reading, count, "verb", "changes something, by its word");
    } else {
        *done = !reading->unsure;
    }
    reading->unsure = false;
    return true;
}

/* Judges the command that begins with the last operand. */
static bool judge_inner(struct reading *reading, bool *done)
{
    const struct xylem_policy__command *command = reading->command;
    size_t at = reading->options.at - 1;
    *done = !reading->unsure || !xylem_policy__may_guess(reading->judge);
    if (reading->unsure && *done) {
        return undecided(reading);
    }
    reading->unsure = false;
    const struct xylem_shell__word *const *words = command->words + at;
    struct xylem_view name = words[0]->text;
    /* `rimraf@5` is `rimraf`. (In `@scope/name` the name stands behind the slash, as in a path.) */
    const char *version = name.bytes < 2 ? NULL : memrchr(name.data + 1, '@', name.bytes - 1);
    if (reading->row->packages && words[0]->literal && version) {
        name.bytes = (size_t)(version - name.data);
        words = xylem_policy__renamed(xylem_policy__arena_of(reading->judge), words, command->count - at, name);
        if (!words) {
            return undecided(reading);
        }
    }
    return xylem_policy__judge_words(reading->judge, command, words, command->count - at, command->appended);
}

/* True if the inner command needs no verb before. */
static bool runs_at_once(const struct reading *reading)
{
    return reading->row->runs && strcmp(reading->row->runs, ".") == 0;
}

static bool take_operand(struct reading *reading, const struct xylem_shell__word *word, bool *done)
{
    bool at_once = runs_at_once(reading);
    reading->operand_seen = true;
    if (reading->running) {
        return judge_inner(reading, done);
    }
    if (!word->literal) {
        return at_once ? judge_inner(reading, done) : undecided(reading);
    }
    if (reading->count == 0 && xylem_policy__view_begins(word->text, "+")) {
        return true; /* cargo +nightly: a toolchain, not a verb */
    }
    if (at_once && reading->count == 0 &&
        xylem_policy__match_verbs(reading->row->writes, &word->text, 1) == XYLEM_POLICY__MATCH_NONE) {
        return judge_inner(reading, done);
    }
    return take_verb(reading, word->text, done);
}

static bool read_verbs(struct reading *reading);

/* `python -m pip install`: the words behind the name of the module belong to the module. */
static bool judge_module(struct reading *reading, const struct xylem_policy__option *option)
{
    struct xylem_view name = xylem_policy__view_before(option->value, '.');
    if (!option->value_literal) {
        return undecided(reading);
    }
    const struct xylem_policy__verb_row *row = xylem_policy__verbs_of(name);
    const struct xylem_policy__table_row *module = xylem_policy__find_row(xylem_policy__readonly_modules, name);
    if (refuses(reading) && module) {
        return xylem_policy__refuse(reading->judge, reading->command->raw, module->rule, "%.*s %s", (int)name.bytes,
                                    name.data, module->what);
    }
    if (!row || row->modules) {
        return true;
    }
    struct reading inner = {.judge = reading->judge, .command = reading->command, .row = row};
    inner.options = xylem_policy__options_of(reading->command->words, reading->command->count, row->options);
    inner.options.at = reading->options.at;
    return read_verbs(&inner);
}

static bool take_option(struct reading *reading, const struct xylem_policy__option *option, bool *done)
{
    const struct xylem_policy__verb_row *row = reading->row;
    reading->alone |= row->alone && xylem_policy__listed(row->alone, option->name);
    if (row->modules && xylem_policy__listed(row->modules, option->name)) {
        *done = true;
        return judge_module(reading, option);
    }
    if (!row->code || !xylem_policy__listed(row->code, option->name)) {
        return true;
    }
    if (option->value_word == option->word) {
        return xylem_policy__undecided(reading->judge, option->word->raw, row->does.rule,
                                       "write the shell code as a word of its own: it stands within an option");
    }
    return xylem_policy__judge_code(reading->judge, option->value_word, "wrapper");
}

static bool read_verbs(struct reading *reading)
{
    const struct xylem_policy__command *command = reading->command;
    bool passes = true;
    for (bool done = false; passes && !done;) {
        struct xylem_policy__option option = xylem_policy__options_next(&reading->options);
        switch (option.type) {
        case XYLEM_POLICY__OPTION_END:
            if (reading->held > 0 && !xylem_policy__has_option(command, reading->row->unless, false)) {
                return refuse_verbs(reading, reading->held, reading->row->does.rule, reading->row->does.what);
            }
            if (command->appended) {
                return undecided(reading);
            }
            if (!reading->row->alone || reading->alone || reading->operand_seen || !refuses(reading)) {
                return true;
            }
            return xylem_policy__refuse(reading->judge, command->raw, reading->row->does.rule, "%.*s without a verb %s",
                                        (int)command->name.bytes, command->name.data, reading->row->does.what);
        case XYLEM_POLICY__OPTION_KNOWN:
            passes = take_option(reading, &option, &done);
            break;
        case XYLEM_POLICY__OPTION_OPERAND:
            passes = take_operand(reading, option.word, &done);
            break;
        case XYLEM_POLICY__OPTION_UNKNOWN:
            reading->unsure = true;
            break;
        default:
            return reading->running || runs_at_once(reading) ? judge_inner(reading, &done) : undecided(reading);
        }
    }
    return passes;
}

/* The meaning of the options of a command, by a row without verbs. */
struct flags {
    const struct xylem_policy__verb_row *row;
    bool refused;
    bool reads;
    bool writes;
    bool unlisted;
    bool anything;
    bool operands;
};

static void note_option(struct flags *seen, struct xylem_view name)
{
    seen->anything = true;
    seen->refused |= seen->row->refuses_with && xylem_policy__listed(seen->row->refuses_with, name);
    seen->reads |= seen->row->reads_with && xylem_policy__listed(seen->row->reads_with, name);
    seen->writes |= seen->row->writes_with && xylem_policy__listed(seen->row->writes_with, name);
}

/* Notes each letter from `at` on as an option. */
static void note_letters(struct flags *seen, struct xylem_view text, size_t at)
{
    for (; at < text.bytes; at++) {
        char letter[2] = {'-', text.data[at]};
        note_option(seen, (struct xylem_view){letter, sizeof letter});
    }
}

static bool flags_write(const struct flags *seen)
{
    if (seen->refused || (seen->writes && !seen->reads)) {
        return true;
    }
    if (seen->row->otherwise == XYLEM_POLICY__ELSE_WITH_OPERANDS_REFUSED) {
        return (seen->operands || seen->unlisted) && !seen->reads;
    }
    if (seen->row->otherwise == XYLEM_POLICY__ELSE_REFUSED_UNLISTED && seen->unlisted) {
        return true;
    }
    return seen->row->otherwise != XYLEM_POLICY__ELSE_PASSES && !seen->reads;
}

static bool judge_flags(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                        const struct xylem_policy__verb_row *row)
{
    struct flags seen = {.row = row};
    const char *const lists[] = {row->options, row->refuses_with, row->reads_with, row->writes_with};
    struct xylem_policy__options options = xylem_policy__options_of(
        command->words, command->count, xylem_policy__lists_joined(xylem_policy__arena_of(judge), lists, 4));
    struct xylem_policy__option option;
    bool unclear = false;
    options.first_operand_ends = row->first_operand_ends;
    while ((option = xylem_policy__options_next(&options)).type != XYLEM_POLICY__OPTION_END) {
        if (option.type == XYLEM_POLICY__OPTION_UNCLEAR) {
            unclear = true;
            seen.operands = true;
        } else if (option.type == XYLEM_POLICY__OPTION_KNOWN) {
            note_option(&seen, option.name);
        } else if (option.type == XYLEM_POLICY__OPTION_UNKNOWN) {
            /* The name of the option, or a letter in it, may still be refused. */
            struct xylem_view text = option.word->text;
            seen.unlisted = true;
            if (xylem_policy__view_begins(text, "--")) {
                note_option(&seen, xylem_policy__view_before(text, '='));
            } else {
                note_letters(&seen, text, 1);
            }
        } else if (!xylem_shell__word_is(option.word, "-")) {
            seen.operands = true;
            if (row->keys && options.at == 2) { /* the first operand may hold options: `tar xf x.tar` */
                note_letters(&seen, option.word->text, 0);
            }
        }
    }
    if (flags_write(&seen)) {
        return refuse_words(&(struct reading){.judge = judge, .command = command, .row = row});
    }
    if ((unclear || command->appended) && !seen.anything) { /* a known option decides */
        return xylem_policy__undecided(judge, command->raw, row->does.rule,
                                       "write its options out: they are not literal");
    }
    return true;
}

bool xylem_policy__shows_alone(const struct xylem_policy__command *command, const struct xylem_policy__verb_row *row)
{
    return row && !row->shows_nothing && command->count == 2 && !command->appended && command->words[1]->literal &&
           (xylem_policy__spelt_in("--version --help", command->words[1]->text) ||
            xylem_policy__spelt_in(row->shows, command->words[1]->text));
}

bool xylem_policy__judge_verbs(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    const struct xylem_policy__verb_row *row = xylem_policy__verbs_of(command->name);
    if (!row) {
        return true;
    }
    struct reading reading = {.judge = judge, .command = command, .row = row};
    bool destroys = row->destroys && strcmp(row->destroys, ".") == 0 && !xylem_policy__shows_alone(command, row);
    if ((destroys || xylem_policy__has_option(command, row->destroys_with, false)) &&
        !xylem_policy__has_option(command, row->unless, false)) {
        return refuses(&reading) ? refuse_words(&reading) : ask_about_loss(&reading, 0);
    }
    if (row->by_option) {
        return !refuses(&reading) || judge_flags(judge, command, row);
    }
    reading.options = xylem_policy__options_of(command->words, command->count, row->options ? row->options : "");
    return refuses(&reading) && xylem_policy__has_option(command, row->refuses_with, false) ? refuse_words(&reading)
                                                                                            : read_verbs(&reading);
}
