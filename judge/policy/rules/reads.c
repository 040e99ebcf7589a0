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
#include "judge/policy/rules/reads.h"

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
    bool begun; /* a longer entry begins with the verbs that were read */
};

/* Verbs behind a reading verb. xylem_policy__writing_words has more, such as the deploy of `kubectl get deploy`. */
static const char WRITING_VERBS[] = "create delete destroy remove install uninstall update edit rename set write "
                                    "rollback transfer upload publish";

/* What the table says of some verbs. */
enum found { FOUND_NOTHING, FOUND_BEGINNING, FOUND_READS, FOUND_REQUEST, FOUND_OTHER };

/* False: the command stays unproven, and strict asks. The reason begins with the program and its first words. */
static bool unproven(const struct proof *proof, const struct xylem_shell__word *word, const char *why)
{
    const struct xylem_policy__command *command = proof->command;
    struct xylem_view said = xylem_policy__span_of(command->words, command->count < 3 ? command->count : 3);
    said = word || said.bytes > 60 || !said.data ? command->name : said;
    return xylem_policy__refuse(proof->judge, word ? word->raw : command->raw, word ? "option" : "program",
                                "%.*s%s%.*s %s", (int)said.bytes, said.data, word ? " " : "",
                                word ? (int)word->raw.bytes : 0, word ? word->raw.data : "", why);
}

/* Notes in `begun` whether a longer entry begins with the verbs. */
static enum found look_up(struct proof *proof, const struct xylem_view *verbs, size_t count)
{
    const struct xylem_policy__verb_row *row = proof->row;
    /* With an option of `unless` a verb that rewrites is an entry of `reads`, if there is one: terraform fmt -check. */
    const char *rewrites = xylem_policy__has_option(proof->command, row->unless, false) ? NULL : row->rewrites;
    const char *const others[] = {row->writes, row->destroys, row->sends, rewrites, row->runs, row->requests};
    const size_t other_count = sizeof others / sizeof others[0];
    enum found found = FOUND_NOTHING;
    proof->begun = false;
    for (const struct xylem_policy__reading_verbs *reads = row->reads; reads && reads->verbs; reads++) {
        enum xylem_policy__match match = xylem_policy__match_verbs(reads->verbs, verbs, count);
        proof->begun |= xylem_policy__verbs_begin(reads->verbs, verbs, count);
        if (match == XYLEM_POLICY__MATCH_WHOLE && found != FOUND_READS) {
            found = FOUND_READS;
            proof->entry = reads;
        }
    }
    for (size_t i = 0; i < other_count; i++) {
        proof->begun |= xylem_policy__verbs_begin(others[i], verbs, count);
        if (xylem_policy__match_verbs(others[i], verbs, count) == XYLEM_POLICY__MATCH_WHOLE && found != FOUND_OTHER) {
            found = i + 1 < other_count ? FOUND_OTHER : FOUND_REQUEST;
        }
    }
    return found == FOUND_NOTHING && proof->begun ? FOUND_BEGINNING : found;
}

/* The options of an entry, and the harmless ones. */
static const char *options_behind(const struct proof *proof, const struct xylem_policy__reading_verbs *entry)
{
    const char *const lists[] = {entry ? entry->options : NULL, proof->row->harmless, proof->row->reads_with};
    return xylem_policy__lists_joined(xylem_policy__arena_of(proof->judge), lists, 3);
}

/* Finds the longest entry for the verbs of the command. False: a refusal is made. */
static bool find_entry(struct proof *proof)
{
    const struct xylem_policy__reading_verbs *any = xylem_policy__reads_entry(proof->row, ".");
    const struct xylem_policy__reading_verbs *alone = xylem_policy__reads_entry(proof->row, "-");
    const struct xylem_policy__command *command = proof->command;
    struct xylem_view verbs[XYLEM_POLICY__VERBS_MAX];
    size_t count = 0;
    bool other = false;
    bool unread = false; /* the word behind the verbs may be a verb */
    (void)look_up(proof, verbs, 0);
    struct xylem_policy__options options =
        xylem_policy__options_of(command->words, command->count, options_behind(proof, any ? any : alone));
    while (count < XYLEM_POLICY__VERBS_MAX) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        if (option.type == XYLEM_POLICY__OPTION_KNOWN) {
            continue;
        }
        if (option.type != XYLEM_POLICY__OPTION_OPERAND || !option.word->literal || options.dashes_seen) {
            unread = option.type != XYLEM_POLICY__OPTION_END && proof->begun;
            break;
        }
        verbs[count++] = option.word->text;
        enum found found = look_up(proof, verbs, count);
        if (found == FOUND_NOTHING) { /* an operand, unless its word is one that writes */
            unread = proof->depth > 0 && xylem_policy__spelt_in(WRITING_VERBS, option.word->text);
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
    return (proof->entry || proof->request || proof->row->reads_with) && !other && !unread;
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
        const struct xylem_shell__word *word = proof->command->words[i];
        if (!word->literal || xylem_policy__may_be_option(word)) {
            return false;
        }
    }
    return true;
}

static bool operand_proven(const struct proof *proof, const struct xylem_shell__word *word)
{
    const char *list = proof->row->operands;
    bool proven = !list;
    for (struct xylem_view entry; !proven && word->literal && xylem_policy__next_name(&entry, &list);) {
        proven = xylem_policy__entry_meets(entry, word->text);
    }
    return proven || unproven(proof, word, "is not an operand that is known to be read");
}

/*
 * True for the value of an option, or an operand, that names another host than the person's own: an address, except of
 * the two forges and the stores whose programs take addresses; HOST/OWNER/NAME as a repository; HOST:FILE as an archive.
 */
static bool names_host(const struct proof *proof, const struct xylem_policy__option *option)
{
    static const char *const known[] = {"https://github.com/", "https://gitlab.com/", "gs://", "s3://"};
    const struct xylem_policy__verb_row *row = proof->row;
    const struct xylem_shell__word *word = option->has_value ? option->value_word : option->word;
    bool hosts = row->requests || row->plain || row->keys;
    if (!word->literal && !row->operands && (hosts || row->sends || row->sends_with) &&
        !xylem_policy__holds(proof->judge, word, hosts, "option")) {
        return true; /* the value may be an address */
    }
    struct xylem_view text = option->has_value ? option->value : option->word->text;
    if (row->operands || text.bytes == 0) {
        return false;
    }
    if (xylem_policy__view_begins(text, "git@") ||
        (!option->has_value && text.data[0] == '@' && !row->plain)) { /* @FILE holds options */
        return true;
    }
    if ((row->keys || row->plain) && xylem_shell__has_any(text, row->keys ? ":" : ":=")) {
        return true; /* tar -tf HOST:FILE */
    }
    if (row->plain && !option->has_value && text.data[0] != '@' && xylem_policy__view_has(text, '/')) {
        return true; /* npm view OWNER/REPOSITORY */
    }
    if (xylem_policy__view_contains(text, "://")) {
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] && !xylem_policy__view_begins(text, known[i])) {
            i++;
        }
        return i == sizeof known / sizeof known[0];
    }
    struct xylem_view behind;
    bool repository = option->has_value && xylem_policy__listed("-R --repo", option->name);
    return row->requests && ((repository && xylem_shell__has_any(text, "@:")) ||
                             (xylem_policy__view_behind(&behind, text, '/') && xylem_policy__view_has(behind, '/')));
}

/* The options of `needs` as bits: those that the entry or the harmless ones have, or the option with that name. */
static unsigned needs_of(const struct proof *proof, struct xylem_view name)
{
    const char *needs = proof->row->needs;
    const char *own = proof->entry ? proof->entry->options : NULL;
    unsigned bits = 0;
    unsigned bit = 1;
    for (struct xylem_view need; xylem_policy__next_name(&need, &needs); bit <<= 1) {
        bool counts = name.bytes > 0
                          ? xylem_base__view_equal(need, name)
                          : xylem_policy__listed(own, need) || xylem_policy__listed(proof->row->harmless, need);
        bits |= counts ? bit : 0;
    }
    return bits;
}

/* True unless the record says which values of the option are harmless, and the value is another. */
static bool value_proven(const struct proof *proof, const struct xylem_policy__option *option)
{
    const char *list = proof->row->values;
    bool counts = false; /* the patterns belong to the option */
    bool limited = false;
    for (struct xylem_view entry; xylem_policy__next_name(&entry, &list);) {
        if (entry.bytes > 1 && entry.data[0] == '-') {
            counts = xylem_base__view_equal(entry, option->name);
        } else if (counts) {
            struct xylem_view rest = {option->value.data + 1, option->value.bytes - 1};
            limited = true;
            if (option->value_literal && option->value.bytes > 0 && xylem_policy__entry_meets(entry, option->value) &&
                !xylem_shell__has_any(rest, "\\`|\n")) { /* psql runs what stands behind a second backslash */
                return true;
            }
        }
    }
    return !limited;
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
    unsigned needed = needs_of(proof, (struct xylem_view){NULL, 0});
    size_t operands = 0;
    for (;;) {
        struct xylem_policy__option option = xylem_policy__options_next(&options);
        switch (option.type) {
        case XYLEM_POLICY__OPTION_END:
            return (needed == 0 && (reads || !proof->row->reads_with || proof->entry)) ||
                   unproven(proof, NULL, "is not known to only read");
        case XYLEM_POLICY__OPTION_KNOWN:
            /* Behind an operand some programs no longer look for options: unzip a.zip '*' -l. */
            reads |= (operands == 0 || proof->row->keys) && xylem_policy__listed(proof->row->reads_with, option.name);
            needed &= ~needs_of(proof, option.name);
            if (option.name.bytes > 2 && (xylem_policy__listed(proof->row->sends_with, option.name) ||
                                          xylem_policy__listed(proof->row->runs_with, option.name))) {
                return unproven(proof, option.word, "may run code, or connect elsewhere");
            }
            if (option.has_value && !value_proven(proof, &option)) {
                return unproven(proof, option.word, "has a value that is not known to be harmless");
            }
            if (option.has_value && names_host(proof, &option)) {
                return unproven(proof, option.word, "may name another host, or a file of options");
            }
            continue;
        case XYLEM_POLICY__OPTION_UNKNOWN:
            return unproven(proof, option.word, "is not known to be harmless: leave it out, or teach a rule");
        case XYLEM_POLICY__OPTION_OPERAND:
            break;
        default:
            if (option.has_value || !xylem_policy__is_operand(proof->judge, option.word, "option")) {
                return unproven(proof, option.word,
                                "is not literal, and may be an option: write it out, or say \"./...\"");
            }
        }
        if (names_host(proof, &option)) {
            return unproven(proof, option.word, "may name another host, or a file of options");
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

bool xylem_policy__has_reading_verb(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct proof proof = {.judge = judge, .command = command, .row = xylem_policy__verbs_of(command->name)};
    return proof.row && find_entry(&proof) && proof.entry;
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
    if (!find_entry(&proof)) {
        return unproven(&proof, NULL, "is not known to only read");
    }
    return proof.request ? xylem_policy__request_reads(command, row) ||
                               unproven(&proof, NULL, "sends more than a GET or a query that is written out")
                         : prove_words(&proof);
}
