/* Compares paths by their spelling alone. No file is read, so symbolic links are not followed. */
#ifndef XYLEM_POLICY_WORDS_PATHS_H
#define XYLEM_POLICY_WORDS_PATHS_H

#include "policy/words/words.h"

/* True if `path` is absolute, has no `..`, and lies below the absolute `directory` (not: is the directory). */
bool xylem_policy__path_is_below(struct xylem_view path, struct xylem_view directory);

/*
 * Returns the part after /dev/ of a path that leads to /dev: `sda` for `//dev/./sda`, `/tmp/../dev/sda` and
 * `../dev/sda`. False: the path leads elsewhere. (Without memory: true and empty.)
 */
bool xylem_policy__path_of_device(struct xylem_view *device, struct xylem_shell__arena *arena, struct xylem_view path);

#endif
