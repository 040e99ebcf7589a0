/*
 * match/ wraps PCRE2: compiles a pattern, and searches bytes within limits. No other room includes pcre2.h. The patterns
 * of exports and redactions, and the built-in patterns of secrets, are replaced in strings.
 * match/ does not know entries, and does not know which strings of a line stay (travel/jsonl/patterns.h).
 * Begin reading at pattern.h, then pattern.c, patterns.h and secrets.txt.
 * Other rooms may include: pattern.h patterns.h
 */
#ifndef XYLEM_MATCH_MATCH_H
#define XYLEM_MATCH_MATCH_H

#endif
