/* Compares paths by their spelling alone. No file is read, so symbolic links are not followed. */
#ifndef XYLEM_POLICY_WORDS_PATHS_H
#define XYLEM_POLICY_WORDS_PATHS_H

#include "judge/policy/words/words.h"

#define XYLEM_POLICY__PATH_MAX 4096u

/* Returns a copy of `to` as seen from the directory `from`. NULL data: the path is too long, or there is no memory. */
struct xylem_view xylem_policy__path_joined(struct xylem_shell__arena *arena, struct xylem_view from,
                                            struct xylem_view to);

/*
 * Returns the directory around a path: `/a` for `/a/./b/`. NULL data: the path is not absolute, lies in the root, or
 * has a `..`; or there is no memory.
 */
struct xylem_view xylem_policy__path_around(struct xylem_shell__arena *arena, struct xylem_view path);

/* True if both paths have the same components, but for empty ones and `.`; both absolute or both relative. */
bool xylem_policy__path_same(struct xylem_view path, struct xylem_view other);

/* True if `path` is absolute, has no `..`, and lies below the absolute `directory` (not: is the directory). */
bool xylem_policy__path_is_below(struct xylem_view path, struct xylem_view directory);

/*
 * Returns the part after /dev/ of a path that leads to /dev: `sda` for `//dev/./sda`, `/tmp/../dev/sda` and
 * `../dev/sda`. False: the path leads elsewhere. (Without memory: true and empty.)
 */
bool xylem_policy__path_of_device(struct xylem_view *device, struct xylem_shell__arena *arena, struct xylem_view path);

#endif
