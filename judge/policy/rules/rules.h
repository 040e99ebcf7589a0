/*
 * judge/policy/rules/ holds the rules of the policies readonly, strict and confirm, each with tables of programs.
 * judge/policy/rules/ touches no file, no process and no environment.
 * Begin reading at strict.c (the shortest), then readonly.c, rules_tables.txt and verbs.txt.
 * Other rooms may include: hatches.h marks.h shared.h strict.h taught.h verbs.h
 */
#ifndef XYLEM_POLICY_RULES_RULES_H
#define XYLEM_POLICY_RULES_RULES_H

#endif
