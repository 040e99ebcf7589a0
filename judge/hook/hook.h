/*
 * hook/ answers a permission hook of a coding agent: it reads the agent's question and, if a command runs git, the
 * configuration of the repository. hook/ is the only room of the judge that reads files.
 * hook/ has no rules: policy/ judges the command, and hook/ refuses repositories that make git run programs.
 * Begin reading at hook.c, then repository.c.
 * Other rooms may include: nothing; xylem.h has the calls.
 */
#ifndef XYLEM_HOOK_HOOK_H
#define XYLEM_HOOK_HOOK_H

#endif
