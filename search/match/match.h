/*
 * match/ wraps PCRE2: compiles a pattern, and searches bytes within limits. No other room includes pcre2.h.
 * match/ does not know entries, and does not know the meaning of a pattern's text in a redaction
 * (travel/jsonl/patterns.h).
 * Begin reading at pattern.h, then pattern.c.
 * Other rooms may include: pattern.h
 */
#ifndef XYLEM_MATCH_MATCH_H
#define XYLEM_MATCH_MATCH_H

#endif
