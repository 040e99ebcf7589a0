#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/lib/damage.h"

static void data_path(char path[512], const char *directory)
{
    snprintf(path, 512, "%s/data.mdb", directory);
}

struct damage_file damage_read(const char *directory)
{
    struct damage_file file = {NULL, 0};
    struct stat status;
    char path[512];
    data_path(path, directory);
    assert_int_equal(stat(path, &status), 0);
    file.count = (size_t)status.st_size;
    file.bytes = malloc(file.count + 1);
    FILE *stream = fopen(path, "rb");
    assert_non_null(file.bytes);
    assert_non_null(stream);
    assert_int_equal(fread(file.bytes, 1, file.count, stream), file.count);
    fclose(stream);
    return file;
}

void damage_write(const char *directory, const struct damage_file *file)
{
    char path[512];
    data_path(path, directory);
    mkdir(directory, 0700);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_true(file->count == 0 || fwrite(file->bytes, 1, file->count, stream) == file->count);
    assert_int_equal(fclose(stream), 0);
}

void damage_free(struct damage_file *file)
{
    free(file->bytes);
    file->bytes = NULL;
    file->count = 0;
}

bool damage_equal(const struct damage_file *a, const struct damage_file *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

struct damage_row damage_find(const char *directory, enum xylem_format__table table, uint64_t first, uint64_t second)
{
    struct xylem_repair__salvage *salvage = NULL;
    struct damage_row found = {.page = 0};
    struct xylem_repair__content content;
    assert_int_equal(xylem_repair__salvage_new(&salvage, directory, NULL), XYLEM_OK);
    struct xylem_repair__rows rows = xylem_repair__salvage_rows(salvage, table);
    for (size_t i = 0; i < rows.count && found.page == 0; i++) {
        if (rows.list[i].first == first && (second == 0 || rows.list[i].second == second)) {
            assert_int_equal(xylem_repair__salvage_read(&content, salvage, &rows.list[i], NULL), XYLEM_OK);
            found.page = rows.list[i].page;
            found.value = content.offset;
            found.value_bytes = content.value_bytes;
            found.big = found.value / DAMAGE_PAGE_BYTES != found.page;
        }
    }
    xylem_repair__salvage_free(salvage);
    assert_int_not_equal(found.page, 0);
    return found;
}

void damage_zero_page(struct damage_file *file, uint64_t page)
{
    assert_in_range((page + 1) * DAMAGE_PAGE_BYTES, 1, file->count);
    memset(file->bytes + page * DAMAGE_PAGE_BYTES, 0, DAMAGE_PAGE_BYTES);
}
