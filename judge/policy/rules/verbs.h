/* Judges programs with verbs, and programs whose options tell, by the table of verbs: verbs.txt. */
#ifndef XYLEM_POLICY_RULES_VERBS_H
#define XYLEM_POLICY_RULES_VERBS_H

#include "judge/policy/engine/judge.h"
#include "judge/policy/words/tables.h"

/* The record of the program; NULL: none. */
const struct xylem_policy__verb_row *xylem_policy__verbs_of(struct xylem_view name);

/*
 * For readonly and confirm. True if the table refuses nothing in the command; also for programs that the table does not
 * have.
 */
bool xylem_policy__judge_verbs(struct xylem_policy__judge *judge, const struct xylem_policy__command *command);

/* For strict: true for a word alone behind the name that shows something: --version, --help, or of the list `shows`. */
bool xylem_policy__shows_alone(const struct xylem_policy__command *command, const struct xylem_policy__verb_row *row);

/* For strict: true if the request is a GET or a query of GraphQL, and each word of it is plain. */
bool xylem_policy__request_reads(const struct xylem_policy__command *command, const struct xylem_policy__verb_row *row);

#define XYLEM_POLICY__VERBS_MAX 3 /* in one entry */

enum xylem_policy__match { XYLEM_POLICY__MATCH_NONE, XYLEM_POLICY__MATCH_BEGUN, XYLEM_POLICY__MATCH_WHOLE };

/* The best match of the verbs among the entries of a list. */
enum xylem_policy__match xylem_policy__match_verbs(const char *list, const struct xylem_view *verbs, size_t count);

/* The entry for a program without verbs (".") or without operands ("-"); NULL: there is none. */
const struct xylem_policy__reading_verbs *xylem_policy__reads_entry(const struct xylem_policy__verb_row *row,
                                                                    const char *mark);

/* True if one of the options is among the words, but not as `--dry-run=none` or `--dry-run=false`. */
bool xylem_policy__has_option(const struct xylem_policy__command *command, const char *options, bool behind_dashes);

/* True if an entry of the list has more verbs, behind these. */
bool xylem_policy__verbs_begin(const char *list, const struct xylem_view *verbs, size_t count);

/* True if readonly refuses something of a program with that name, and the name is no common word. */
bool xylem_policy__verbs_hold(struct xylem_view name);

#endif
