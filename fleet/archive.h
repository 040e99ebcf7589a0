/*
 * Copies the sessions of an engine into an archive (directory.h): whole segments, rewritten segments again, and of freed
 * sessions the remains. A run copies what the archive lacks, so a run that was interrupted goes on with the next, and a
 * second run copies nothing. `restore` is a pull (puller.h) from the archive.
 *
 *     for each row of the engine:  equal to the row of the archive? ── yes ──> nothing
 *                                         │ no
 *                                         v
 *        LOOK, since what is merely seen may be lost ──> older generations ──> what is missing
 */
#ifndef FLEET_ARCHIVE_H
#define FLEET_ARCHIVE_H

#include "fleet/news.h"

struct fleet_archive_options {
    struct fleet_engine *from;
    struct fleet_engine *to; /* of fleet_engine_directory() */
    uint64_t deadline_ms;    /* of a request; 0: FLEET_DEADLINE_MS of shipper.h */
    /*
     * Told: SHIPPED (the archive has the changes [from, to) now), REWRITTEN, FREED, DAMAGED (`text` says what is wrong,
     * and what to do; the archive lacks [from, to)).
     */
    fleet_tell *tell; /* NULL: nobody */
    void *context;
};

struct fleet_archive_count {
    uint64_t sessions;  /* looked at */
    uint64_t current;   /* of these nothing was missing */
    uint64_t copied;    /* segments */
    uint64_t rewritten; /* segments */
    uint64_t freed;     /* sessions */
    uint64_t failed;    /* sessions, each told as DAMAGED */
    uint64_t bytes;     /* of the copied and rewritten segments, and of remains */
};

/*
 * `count` is filled in with an error, too. A session that fails does not keep others from being copied.
 *
 * Errors:
 * - IO: the engine refused, or does not answer: the text says so
 * - those of fleet_directory_write(): the archive takes nothing more
 * - MEMORY
 */
int fleet_archive(struct fleet_archive_count *count, const struct fleet_archive_options *options,
                  struct xylem_error *err);

#endif
