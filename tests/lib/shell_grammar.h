/*
 * The grammar of generated commands. %X is one of the rules below; %<a%|b%> one of these; %n a line's end, behind which
 * the bodies of here-documents follow; %m a list in a substitution, with their bodies in it; %D a here-document; %k a
 * canary; %% a percent sign. Where the text is deep or long, only the first entries of a rule are taken, which do not
 * lead back: `ends` says how many.
 */
#ifndef XYLEM_TESTS_LIB_SHELL_GRAMMAR_H
#define XYLEM_TESTS_LIB_SHELL_GRAMMAR_H

#include <stddef.h>

struct shell_rule {
    char letter;
    size_t ends;
    const char *const *entries; /* up to NULL */
    size_t calm_ends;
    const char *const *calm_entries; /* of calm texts, where those have their own */
};

extern const struct shell_rule shell_rules[];
extern const size_t shell_rule_count;

#endif
