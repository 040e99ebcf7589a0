/* The slots of readers in lock.mdb, as LMDB writes them. */
#ifndef XYLEM_TESTS_LIB_READER_SLOT_H
#define XYLEM_TESTS_LIB_READER_SLOT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lmdb/writer_lock.h"
#include "tests/lib/test.h"

struct reader_slot {
    uint64_t txn_id; /* of the snapshot; UINT64_MAX: none */
    int32_t pid;     /* 0: the slot is free */
    int32_t unused;
};

static inline off_t reader_slot_offset(unsigned number)
{
    return XYLEM_LMDB__LOCK_HEAD_BYTES + XYLEM_LMDB__LOCK_READER_BYTES * (off_t)number;
}

/*
 * Reads or writes a slot in a process of its own: where a process closes lock.mdb, it loses the lock by which others see
 * that it lives.
 */
static inline void reader_slot_io(const char *store, unsigned number, struct reader_slot *slot, bool change)
{
    int ends[2];
    int status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char path[300];
        snprintf(path, sizeof path, "%s/lock.mdb", store);
        int fd = open(path, change ? O_WRONLY : O_RDONLY);
        ssize_t bytes = change ? pwrite(fd, slot, sizeof *slot, reader_slot_offset(number))
                               : pread(fd, slot, sizeof *slot, reader_slot_offset(number));
        bool done = bytes == sizeof *slot;
        bytes = done && !change ? write(ends[1], slot, sizeof *slot) : bytes;
        _exit(done && bytes == sizeof *slot ? 0 : 1);
    }
    close(ends[1]);
    if (!change) {
        assert_int_equal(read(ends[0], slot, sizeof *slot), sizeof *slot);
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static inline struct reader_slot reader_slot_read(const char *store, unsigned number)
{
    struct reader_slot slot;
    reader_slot_io(store, number, &slot, false);
    return slot;
}

static inline void reader_slot_write(const char *store, unsigned number, struct reader_slot slot)
{
    reader_slot_io(store, number, &slot, true);
}

#endif
