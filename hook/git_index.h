/*
 * The submodules in a repository's index: git status and git diff run git in each of them, whether a .gitmodules names
 * it or not.
 */
#ifndef XYLEM_HOOK_GIT_INDEX_H
#define XYLEM_HOOK_GIT_INDEX_H

#include "xylem.h"

/*
 * Gives the path of each submodule, from the work tree on, to `visit`, which answers true to go on. `hash_bytes` is how
 * long an object's name is. No such file: none. MALFORMED, with a static `why`: it cannot be read, or not understood;
 * STOPPED if `visit` did not go on; MEMORY.
 */
int xylem_hook__git_index(const char *path, size_t hash_bytes, bool (*visit)(void *context, const char *submodule),
                          void *context, const char **why);

#endif
