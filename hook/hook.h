/*
 * hook/ answers a hook of a coding agent: it reads the agent's question and, where git is asked about, the repository
 * and its configuration. It is the only room of the judge that reads files.
 * It has no rules: policy/ judges, hook/ adds what the files say.
 * Begin reading at hook.c, then repository.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_HOOK_HOOK_H
#define XYLEM_HOOK_HOOK_H

#endif
