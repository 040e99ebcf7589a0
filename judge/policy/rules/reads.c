/*
 * For strict: proves from the table of verbs that a command only reads. The words are read twice:
 *
 *     docker --context x inspect -f '{{.Id}}' web
 *            harmless    verb    its options  operand
 *
 * The first reading finds the longest entry of the table for the verbs. The second reading takes each option before and
 * between the verbs by the list `harmless`, and each option behind the verbs by the list of the entry too. An option of
 * no list, and a word that may become an option, is not proven.
 */
#include "judge/policy/rules/verbs.h"

#include "judge/policy/words/names.h"
#include "judge/policy/words/options.h"

struct proof {
    struct xylem_policy__judge *judge;
    const struct xylem_policy__command *command;
    const struct xylem_policy__verb_row *row;
    const struct xylem_policy__reading_verbs *entry; /* NULL: none, or a request */
    size_t depth;                                    /* verbs of the entry */
    bool request;
};

/* What the table says of some verbs. */
enum found { FOUND_NOTHING, FOUND_BEGINNING, FOUND_READS, FOUND_REQUEST, FOUND_OTHER };

/* True: the command stays unproven, and strict asks, with the reason. */
static bool unproven(const struct proof *proof, const struct xylem_shell__word *word, const char *why)
{
    struct xylem_view name = proof->command->name;
    struct xylem_view raw = word ? word->raw : proof->command->raw;
    return xylem_policy__refuse(proof->judge, raw, word ? "option" : "program", "%.*s%s%.*s %s", (int)name.bytes,
                                name.data, word ? " " : "", word ? (int)raw.bytes : 0, raw.data, why);
}

static enum found look_up(struct proof *proof, const struct xylem_view *verbs, size_t count)
{
    const struct xylem_policy__verb_row *row = proof->row;
    const char *const others[] = {row->writes, row->destroys, row->sends, row->rewrites, row->runs};
    enum found found = FOUND_NOTHING;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        enum xylem_policy__match match = xylem_policy__match_verbs(others[i], verbs, count);
        if (match == XYLEM_POLICY__MATCH_WHOLE) {
            return FOUND_OTHER;
        }
        found = match == XYLEM_POLICY__MATCH_BEGUN ? FOUND_BEGINNING : found;
    }
    if (xylem_policy__match_verbs(row->requests, verbs, count) == XYLEM_POLICY__MATCH_WHOLE) {
        return FOUND_REQUEST;
    }
    for (const struct xylem_policy__reading_verbs *reads = row->reads; reads && reads->verbs; reads++) {
        enum xylem_policy__match match = xylem_policy__match_verbs(reads->verbs, verbs, count);
        if (match == XYLEM_POLICY__MATCH_WHOLE) {
            proof->entry = reads;
            return FOUND_READS;
        }
        found = match == XYLEM_POLICY__MATCH_BEGUN ? FOUND_BEGINNING : found;
    }
    return found;
}

/* The options of an entry, and the harmless ones. */
static const char *options_behind(const struct proof *proof, const struct xylem_policy__reading_verbs *entry)
{
    const char *const lists[] = {entry ? entry->options : NULL, proof->row->harmless, proof->row->reads_with};
    return xylem_policy__lists_joined(xylem_policy__arena_of(proof->judge), lists, 3);
}

/* The entry for a program without verbs (".") or without operands ("-"); NULL: there is none. */
static const struct xylem_policy__reading_verbs *entry_of(const struct proof *proof, const char *mark)
{
    const struct xylem_policy__reading_verbs *reads = proof->row->reads;
    while (reads && reads->verbs && strcmp(reads->verbs, mark) != 0) {
        reads++;
    }
    return reads && reads->verbs ? reads : NULL;
}

/* Finds the longest entry for the verbs of the command. False: a refusal is made. */
static bool find_entry(struct proof *proof)
{
    const struct xylem_policy__reading_verbs *any = entry_of(proof, ".");
    const struct xylem_policy__reading_verbs *alone = entry_of(proof, "-");
    const struct xylem_policy__command *command = proof->command;
    struct xylem_view verbs[XYLEM_POLICY__VERBS_MAX];
    size_t count = 0;
    bool other = false;
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, options_behind(proof, any ? any : alone));
    while (count < XYLEM_POLICY__VERBS_MAX) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        if (option.type == XYLEM_POLICY__OPTION_KNOWN) {
            continue;
        }
        if (option.type != XYLEM_POLICY__OPTION_OPERAND || !option.word->literal || options.dashes_seen) {
            break;
        }
        verbs[count++] = option.word->text;
        enum found found = look_up(proof, verbs, count);
        if (found == FOUND_NOTHING) {
            count--;
            break;
        }
        if (found != FOUND_BEGINNING) {
            proof->depth = count;
            proof->request = found == FOUND_REQUEST;
            other = found == FOUND_OTHER;
            proof->entry = found == FOUND_READS ? proof->entry : NULL;
            options.list = options_behind(proof, proof->entry);
        }
    }
    if (proof->depth == 0 && !other) {
        proof->entry = any ? any : alone;
    }
    return (proof->entry || proof->request || proof->row->reads_with) && !other;
}

/* True if the letters of the first word, such as the tf of `tar tf x`, are options of the list. */
static bool letters_known(const struct proof *proof, const char *list, bool *reads)
{
    struct xylem_view text = proof->command->words[1]->text;
    for (size_t i = 0; i < text.bytes; i++) {
        struct xylem_view option = {(char[2]){'-', text.data[i]}, 2};
        if (!xylem_policy__listed(list, option)) {
            return false;
        }
        *reads |= xylem_policy__listed(proof->row->reads_with, option);
    }
    for (size_t i = 2; i < proof->command->count; i++) { /* the values of the letters are the words behind */
        if (xylem_policy__may_be_option(proof->command->words[i])) {
            return false;
        }
    }
    return true;
}

static bool operand_proven(const struct proof *proof, const struct xylem_shell__word *word)
{
    const char *list = proof->row->operands;
    struct xylem_view entry;
    if (!list) {
        return true;
    }
    while (word->literal && xylem_policy__next_name(&entry, &list)) {
        if (xylem_policy__entry_meets(entry, word->text)) {
            return true;
        }
    }
    return unproven(proof, word, "is not an operand that is known to be read");
}

/* Counts the words of `needs` that were not seen. */
static bool all_needed(const struct proof *proof)
{
    const char *needs = proof->row->needs;
    for (struct xylem_view need; xylem_policy__next_name(&need, &needs);) {
        size_t i = 1;
        while (i < proof->command->count &&
               !(proof->command->words[i]->literal && xylem_base__view_equal(proof->command->words[i]->text, need))) {
            i++;
        }
        if (i == proof->command->count) {
            return false;
        }
    }
    return true;
}

/* The second reading: each word is harmless. */
static bool prove_words(const struct proof *proof)
{
    const struct xylem_policy__command *command = proof->command;
    const char *behind = options_behind(proof, proof->entry);
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, proof->depth == 0 ? behind : proof->row->harmless);
    options.first_operand_ends = proof->row->first_operand_ends;
    bool reads = false;
    size_t operands = 0;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        switch (option.type) {
        case XYLEM_POLICY__OPTION_END:
            return reads || !proof->row->reads_with || proof->entry ||
                   unproven(proof, NULL, "is not known to only read");
        case XYLEM_POLICY__OPTION_KNOWN:
            reads |= xylem_policy__listed(proof->row->reads_with, option.name);
            continue;
        case XYLEM_POLICY__OPTION_UNKNOWN:
            return unproven(proof, option.word, "is not known to be harmless");
        case XYLEM_POLICY__OPTION_OPERAND:
            break;
        default:
            if (option.has_value || !xylem_policy__is_operand(proof->judge, option.word, "option")) {
                return unproven(proof, option.word, "is not literal, and may be an option");
            }
        }
        operands++;
        if (operands <= proof->depth) {
            options.list = operands == proof->depth ? behind : options.list;
        } else if (operands == 1 && proof->row->keys && option.word == command->words[1]) {
            if (!letters_known(proof, behind, &reads)) {
                return unproven(proof, option.word, "has letters that are not known to be harmless");
            }
        } else if (!operand_proven(proof, option.word)) {
            return false;
        }
        if (proof->entry && proof->depth == 0 && strcmp(proof->entry->verbs, "-") == 0) {
            return unproven(proof, NULL, "is not known to only read with this operand");
        }
    }
}

bool xylem_policy__shows_alone(const struct xylem_policy__command *command, const struct xylem_policy__verb_row *row)
{
    return row && command->count == 2 && !command->appended && command->words[1]->literal &&
           (xylem_policy__spelt_in("--version --help", command->words[1]->text) ||
            xylem_policy__spelt_in(row->shows, command->words[1]->text));
}

bool xylem_policy__prove_reading(struct xylem_policy__judge *judge, const struct xylem_policy__command *command,
                                 const struct xylem_policy__verb_row *row)
{
    struct proof proof = {.judge = judge, .command = command, .row = row};
    if (command->appended) {
        return unproven(&proof, NULL, "gets words from xargs or find, which may be options: write the words out");
    }
    for (size_t i = 1; row->literal && i < command->count; i++) {
        if (!command->words[i]->literal) {
            return unproven(&proof, command->words[i], "is not literal, and its value would leave this machine");
        }
    }
    if (!find_entry(&proof) || !all_needed(&proof)) {
        return unproven(&proof, NULL, "is not known to only read");
    }
    return proof.request ? xylem_policy__request_reads(judge, command, row) ||
                               unproven(&proof, NULL, "sends more than a GET or a query that is written out")
                         : prove_words(&proof);
}
