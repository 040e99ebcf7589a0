/* Paths as they are spelt. Nothing is looked up, so links are not seen. */
#ifndef XYLEM_POLICY_WORDS_PATHS_H
#define XYLEM_POLICY_WORDS_PATHS_H

#include "policy/words/words.h"

/* Is `path` absolute, free of `..`, and below (not itself) the absolute `directory`? */
bool xylem_policy__path_is_below(struct xylem_view path, struct xylem_view directory);

/*
 * What stands behind /dev/ in a path that leads there: `//dev/./sda` and `/tmp/../dev/sda` give `sda`, and so does a
 * relative one that climbs before it says `dev`. False: it leads elsewhere. (Without memory: true and empty.)
 */
bool xylem_policy__path_of_device(struct xylem_view *device, struct xylem_policy__arena *arena, struct xylem_view path);

#endif
