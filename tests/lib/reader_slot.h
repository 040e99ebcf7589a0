/* The slots of readers in lock.mdb, as LMDB writes them. */
#ifndef XYLEM_TESTS_LIB_READER_SLOT_H
#define XYLEM_TESTS_LIB_READER_SLOT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "store/lmdb/writer_lock.h"
#include "tests/lib/test.h"

struct reader_slot {
    uint64_t txn_id; /* of the snapshot; UINT64_MAX: none */
    int32_t pid;     /* 0: the slot is free */
    int32_t unused;
};

static inline int reader_slot_file(const char *store, int flags)
{
    char path[300];
    snprintf(path, sizeof path, "%s/lock.mdb", store);
    int fd = open(path, flags | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static inline off_t reader_slot_offset(unsigned number)
{
    return XYLEM_LMDB__LOCK_HEAD_BYTES + XYLEM_LMDB__LOCK_READER_BYTES * (off_t)number;
}

static inline struct reader_slot reader_slot_read(const char *store, unsigned number)
{
    struct reader_slot slot;
    int fd = reader_slot_file(store, O_RDONLY);
    assert_int_equal(pread(fd, &slot, sizeof slot, reader_slot_offset(number)), sizeof slot);
    close(fd);
    return slot;
}

static inline void reader_slot_write(const char *store, unsigned number, struct reader_slot slot)
{
    int fd = reader_slot_file(store, O_WRONLY);
    assert_int_equal(pwrite(fd, &slot, sizeof slot, reader_slot_offset(number)), sizeof slot);
    close(fd);
}

#endif
