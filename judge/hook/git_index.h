/*
 * Lists the submodules in the index of a repository. git status and git diff run git in each of these submodules, with
 * or without a .gitmodules.
 */
#ifndef XYLEM_HOOK_GIT_INDEX_H
#define XYLEM_HOOK_GIT_INDEX_H

#include "xylem/base.h"

/*
 * Passes the path of each submodule, relative to the work tree, to `visit`; true from `visit`: go on. `hash_bytes` is
 * the length of an object's name. A missing file means no submodules. MALFORMED, with a static `why`: the file
 * cannot be read, or is not understood; STOPPED: `visit` returned false; MEMORY.
 */
int xylem_hook__git_index(const char *path, size_t hash_bytes, bool (*visit)(void *context, const char *submodule),
                          void *context, const char **why);

#endif
