#include "travel/jsonl/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

bool xylem_jsonl__run_full(const struct xylem_jsonl__run *run)
{
    return run->count == XYLEM_JSONL__RUN_ENTRIES_MAX || run->bytes.bytes >= XYLEM_JSONL__RUN_BYTES_MAX;
}

int xylem_jsonl__run_add(struct xylem_jsonl__run *run, const struct xylem_jsonl__entry *entry, struct xylem_view line,
                         uint32_t row, bool ahead, struct xylem_error *err)
{
    struct xylem_buffer *bytes = &run->bytes;
    struct xylem_jsonl__run_entry *entries =
        xylem_base__with_room(run->entries, &run->capacity, run->count, sizeof *entries);
    if (!entries) {
        return xylem_base__fail_memory(err);
    }
    run->entries = entries;
    size_t more = entry->id.bytes + entry->kind.name.bytes + entry->payload.bytes + line.bytes;
    if (xylem_jsonl__reserve(bytes, more) < 0 || xylem_buffer_add(bytes, entry->id.data, entry->id.bytes) < 0 ||
        xylem_buffer_add(bytes, entry->kind.name.data, entry->kind.name.bytes) < 0 ||
        xylem_buffer_add(bytes, entry->payload.data, entry->payload.bytes) < 0 ||
        xylem_buffer_add(bytes, line.data, line.bytes) < 0) {
        return xylem_base__fail_memory(err);
    }
    run->entries[run->count++] = (struct xylem_jsonl__run_entry){
        .row = row,
        .ahead = ahead,
        .kind_class = entry->kind.kind_class,
        .format = entry->format,
        .time_ms = entry->time_ms,
        .id_bytes = entry->id.bytes,
        .name_bytes = entry->kind.name.bytes,
        .payload_bytes = entry->payload.bytes,
        .line_bytes = line.bytes,
    };
    return XYLEM_OK;
}

static struct xylem_view take(const char **at, size_t bytes)
{
    struct xylem_view view = {*at, bytes};
    *at += bytes;
    return view;
}

int xylem_jsonl__run_append(struct xylem_position *first, struct xylem_jsonl__run *run, struct xylem_txn *txn,
                            uint64_t session, struct xylem_error *err)
{
    struct xylem_new_entry *entries = run->appended.entries;
    struct xylem_view *lines = run->appended.lines;
    assert(run->count > 0);
    if (run->appended.capacity < run->count) {
        entries = reallocarray(entries, run->capacity, sizeof *entries);
        run->appended.entries = entries ? entries : run->appended.entries;
        lines = entries ? reallocarray(lines, run->capacity, sizeof *lines) : NULL;
        run->appended.lines = lines ? lines : run->appended.lines;
        if (!lines) {
            return xylem_base__fail_memory(err);
        }
        run->appended.capacity = run->capacity;
    }
    const char *at = run->bytes.data;
    for (size_t i = 0; i < run->count; i++) {
        const struct xylem_jsonl__run_entry *entry = &run->entries[i];
        entries[i] = (struct xylem_new_entry){.time_ms = &entry->time_ms, .format = entry->format};
        entries[i].id = take(&at, entry->id_bytes);
        entries[i].kind.kind_class = entry->kind_class;
        entries[i].kind.name = take(&at, entry->name_bytes);
        entries[i].payload = take(&at, entry->payload_bytes);
        lines[i] = take(&at, entry->line_bytes);
    }
    bool is_root = xylem_format__position_none(run->parent);
    const struct xylem_append_options given = {.parent = is_root ? XYLEM_PARENT_NONE : XYLEM_PARENT_AT,
                                               .parent_position = run->parent};
    struct xylem_store__append_options options = {
        .given = &given,
        .imported = true,
        .payload_checked = true,
        .ids_checked = true, /* by the index within the file, and by place.c within the session */
        .leaf_follows = run->leaf_follows,
        .ids = run->ids,
        .lines = lines,
    };
    return xylem_store__append(first, txn, session, entries, run->count, &options, err);
}

void xylem_jsonl__run_clear(struct xylem_jsonl__run *run)
{
    run->count = 0;
    xylem_base__buffer_clear(&run->bytes);
    if (run->bytes.capacity > 4 * XYLEM_JSONL__RUN_BYTES_MAX) {
        xylem_buffer_release(&run->bytes); /* a long line must not occupy memory until the end of the import */
    }
}

void xylem_jsonl__run_release(struct xylem_jsonl__run *run)
{
    free(run->entries);
    free(run->appended.entries);
    free(run->appended.lines);
    xylem_buffer_release(&run->bytes);
}
