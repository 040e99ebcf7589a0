/*
 * Reading a damaged store page by page: any bytes as a data.mdb. Every row that is found must be there when read again.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "care/repair/salvage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];
static char path[80];

static void remove_directory(void)
{
    unlink(path);
    rmdir(directory);
}

static int make_directory(void)
{
    snprintf(directory, sizeof directory, "/tmp/xylem-fuzz-XXXXXX");
    if (!mkdtemp(directory)) {
        directory[0] = '\0';
        return -1;
    }
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    return atexit(remove_directory);
}

static void read_all(struct xylem_repair__salvage *salvage)
{
    for (unsigned table = 0; table < XYLEM_FORMAT__TABLE_COUNT; table++) {
        struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, (enum xylem_format__table)table);
        for (size_t i = 0; i < rows.count; i++) {
            struct xylem_repair__content content;
            if (xylem_repair__salvage_read(&content, salvage, &rows.list[i], NULL) < 0) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_repair__salvage *salvage;
    if (directory[0] == '\0' && make_directory() != 0) {
        return 0;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return 0;
    }
    bool written = write(fd, data, size) == (ssize_t)size;
    close(fd);
    if (written && xylem_repair__salvage_new(&salvage, directory, NULL) == XYLEM_OK) {
        read_all(salvage);
        if (xylem_repair__salvage_unchanged(salvage, NULL) != XYLEM_OK) {
            abort();
        }
        xylem_repair__salvage_free(salvage);
    }
    return 0;
}
