#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "store/branch.h"
#include "store/lmdb/environment.h"
#include "store/format/keys.h"
#include "xylem/append.h"
#include "xylem/outline.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

int store_builder_must(int code, const struct xylem_error *err)
{
    if (code < 0) {
        fail_msg("%s: %s", xylem_code_text(code), err->text);
    }
    return code;
}

static void open_store(struct store_builder *builder, bool create)
{
    struct xylem_open_options options = {.create = create, .durability = XYLEM_DURABILITY_NONE};
    struct xylem_error err = {0};
    store_builder_must(xylem_open(&builder->store, builder->path, &options, &err), &err);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

void store_builder_open(struct store_builder *builder)
{
    memset(builder, 0, sizeof *builder);
    test_directory_make(builder->path, sizeof builder->path, "test");
    open_store(builder, true);
}

void store_builder_commit(struct store_builder *builder)
{
    struct xylem_error err = {0};
    struct xylem_txn *txn = builder->txn;
    builder->txn = NULL;
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

void store_builder_refresh(struct store_builder *builder)
{
    struct xylem_error err = {0};
    struct xylem_txn *txn = builder->txn;
    builder->txn = NULL;
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_outlines_refresh(NULL, builder->store, &err), &err);
    store_builder_must(xylem_begin(&builder->txn, builder->store, XYLEM_WRITE, &err), &err);
}

void store_builder_reopen(struct store_builder *builder)
{
    struct xylem_error err = {0};
    struct xylem_txn *txn = builder->txn;
    builder->txn = NULL;
    store_builder_must(xylem_commit(txn, &err), &err);
    store_builder_must(xylem_close(builder->store, &err), &err);
    open_store(builder, false);
}

void store_builder_close(struct store_builder *builder)
{
    struct xylem_error err = {0};
    xylem_abort(builder->txn);
    store_builder_must(xylem_close(builder->store, &err), &err);
    test_directory_remove(builder->path);
    xylem_buffer_release(&builder->line);
    memset(builder, 0, sizeof *builder);
}

uint64_t store_builder_session(struct store_builder *builder, const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_error err = {0};
    store_builder_must(xylem_session_create(&session, builder->txn, &options, &err), &err);
    return session.number;
}

struct xylem_session store_builder_read(struct store_builder *builder, uint64_t session)
{
    struct xylem_session row;
    struct xylem_error err = {0};
    store_builder_must(xylem_session_read(&row, builder->txn, session, &err), &err);
    return row;
}

struct xylem_position store_builder_leaf(struct store_builder *builder, uint64_t session)
{
    return store_builder_read(builder, session).leaf;
}

static struct xylem_position add(struct store_builder *builder, uint64_t session, const char *id, const char *kind,
                                 const char *json, const struct xylem_append_options *options)
{
    struct xylem_new_entry entry = {.id = xylem_view_of(id)};
    struct xylem_buffer storage = {0};
    struct xylem_position position;
    struct xylem_error err = {0};
    store_builder_must(xylem_kind_parse(&entry.kind, &storage, xylem_view_of(kind), &err), &err);
    entry.format = json ? XYLEM_FORMAT_JSON : XYLEM_FORMAT_NONE;
    entry.payload = xylem_view_of(json);
    store_builder_must(xylem_append(&position, builder->txn, session, &entry, 1, options, &err), &err);
    xylem_buffer_release(&storage);
    return position;
}

struct xylem_position store_builder_add(struct store_builder *builder, uint64_t session, const char *id,
                                        const char *kind, const char *json)
{
    return add(builder, session, id, kind, json, NULL);
}

struct xylem_position store_builder_add_at(struct store_builder *builder, uint64_t session,
                                           struct xylem_position parent, const char *id, const char *kind,
                                           const char *json)
{
    struct xylem_append_options options = {.parent = parent.branch ? XYLEM_PARENT_AT : XYLEM_PARENT_NONE,
                                           .parent_position = parent};
    return add(builder, session, id, kind, json, &options);
}

struct xylem_position store_builder_messages(struct store_builder *builder, uint64_t session, size_t count)
{
    struct xylem_position last = {0, 0};
    for (size_t i = 0; i < count; i++) {
        last = store_builder_add(builder, session, NULL, "message", "{\"message\":{\"role\":\"user\"}}");
    }
    return last;
}

struct xylem_position store_builder_grow(struct store_builder *builder, uint64_t session, size_t count)
{
    static struct xylem_new_entry entries[1000];
    struct xylem_position last = {0, 0};
    struct xylem_error err = {0};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        entries[i].kind.name = xylem_view_of("message");
    }
    while (count > 0) {
        size_t batch = count < sizeof entries / sizeof *entries ? count : sizeof entries / sizeof *entries;
        store_builder_must(xylem_append(&last, builder->txn, session, entries, batch, NULL, &err), &err);
        last.depth += batch - 1;
        count -= batch;
    }
    return last;
}

void store_builder_go(struct store_builder *builder, uint64_t session, struct xylem_position to)
{
    struct xylem_error err = {0};
    store_builder_must(xylem_navigate(builder->txn, session, to, xylem_view_of("test"), &err), &err);
}

uint64_t store_builder_fork(struct store_builder *builder, uint64_t source, struct xylem_position position,
                            enum xylem_fork_kind kind, const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_error err = {0};
    store_builder_must(xylem_fork(&session, builder->txn, source, position, kind, &options, &err), &err);
    return session.number;
}

uint64_t store_builder_clone(struct store_builder *builder, uint64_t source, const char *id)
{
    struct xylem_session_options options = {.id = xylem_view_of(id)};
    struct xylem_session session;
    struct xylem_error err = {0};
    store_builder_must(xylem_clone(&session, builder->txn, source, &options, &err), &err);
    return session.number;
}

struct xylem_position store_builder_find(struct store_builder *builder, uint64_t session, const char *id)
{
    struct xylem_position position = {0, 0};
    struct xylem_error err = {0};
    int code = xylem_find(&position, builder->txn, session, xylem_view_of(id), &err);
    if (code != XYLEM_E_NOT_FOUND) {
        store_builder_must(code, &err);
    }
    return position;
}

static void add_id(struct xylem_buffer *ids, const struct xylem_entry *entry)
{
    assert_int_equal(xylem_buffer_add(ids, entry->id.data, entry->id.bytes), 0);
    assert_int_equal(xylem_buffer_add(ids, " ", 1), 0);
}

void store_builder_path_ids(struct xylem_buffer *ids, struct store_builder *builder, struct xylem_position from)
{
    struct xylem_walk *walk = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(ids, "", 0), 0);
    store_builder_must(xylem_walk_new(&walk, builder->txn, from, &err), &err);
    while (store_builder_must(xylem_walk_next(&entry, walk, &err), &err)) {
        add_id(ids, &entry);
    }
    xylem_walk_free(walk);
}

void store_builder_scan_ids(struct xylem_buffer *ids, struct store_builder *builder, uint64_t session)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    struct xylem_error err = {0};
    assert_int_equal(xylem_buffer_add(ids, "", 0), 0);
    store_builder_must(xylem_scan_new(&scan, builder->txn, session, &err), &err);
    while (store_builder_must(xylem_scan_next(&entry, scan, &err), &err)) {
        add_id(ids, &entry);
    }
    xylem_scan_free(scan);
}

struct xylem_format__record store_builder_record(struct store_builder *builder, struct xylem_position position)
{
    struct xylem_entry entry;
    struct xylem_error err = {0};
    store_builder_must(xylem_entry_read(&entry, builder->txn, position, &err), &err);
    struct xylem_format__record record = {.check = entry.check,
                                          .payload_hash = entry.unverified.payload_hash,
                                          .lsn = entry.lsn,
                                          .time_ms = entry.time_ms,
                                          .kind_number = entry.unverified.kind_number,
                                          .flags = entry.flags,
                                          .format = entry.format,
                                          .id = entry.id,
                                          .links = {entry.unverified.links, entry.unverified.links_bytes}};
    store_builder_must(xylem_entry_payload(&record.payload, &entry, &err), &err);
    builder->line.bytes = 0;
    store_builder_must(xylem_entry_imported_line(&builder->line, &entry, &err), &err);
    record.line = (struct xylem_view){builder->line.data, builder->line.bytes};
    return record;
}

static void put(struct store_builder *builder, struct xylem_position position, const struct xylem_buffer *bytes)
{
    struct xylem_format__key key;
    struct xylem_view value = {bytes->data, bytes->bytes};
    struct xylem_error err = {0};
    xylem_format__key_pair(&key, position.branch, position.depth);
    store_builder_must(xylem_lmdb__put(builder->txn, XYLEM_FORMAT__LOG, key.view, value, true, &err), &err);
}

void store_builder_rewrite(struct store_builder *builder, struct xylem_position position,
                           const struct xylem_format__record *record)
{
    struct xylem_buffer bytes = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_format__record_encode(&bytes, position, record, &err), &err);
    put(builder, position, &bytes);
    xylem_buffer_release(&bytes);
}

void store_builder_redact(struct store_builder *builder, struct xylem_position position)
{
    struct xylem_format__record record = store_builder_record(builder, position);
    record.flags |= XYLEM_ENTRY_REDACTED;
    record.payload = (struct xylem_view){NULL, 0};
    record.line = (struct xylem_view){NULL, 0};
    store_builder_rewrite(builder, position, &record);
}

void store_builder_damage(struct store_builder *builder, struct xylem_position position)
{
    struct xylem_format__record record = store_builder_record(builder, position);
    struct xylem_buffer bytes = {0};
    struct xylem_error err = {0};
    store_builder_must(xylem_format__record_encode(&bytes, position, &record, &err), &err);
    bytes.data[0] = (char)(bytes.data[0] ^ 1);
    put(builder, position, &bytes);
    xylem_buffer_release(&bytes);
}

static void remove_row(struct store_builder *builder, enum xylem_format__table table, struct xylem_format__key *key)
{
    MDB_val bytes = {key->view.bytes, key->bytes};
    assert_int_equal(mdb_del(builder->txn->mdb, builder->txn->env->tables[table], &bytes, NULL), 0);
    builder->txn->changed |= UINT32_C(1) << table;
}

void store_builder_rewrite_branch(struct store_builder *builder, const struct xylem_store__branch *branch)
{
    struct xylem_format__key key;
    struct xylem_error err = {0};
    xylem_format__key_u64(&key, branch->number);
    remove_row(builder, XYLEM_FORMAT__BRANCHES, &key);
    store_builder_must(xylem_store__branch_write(builder->txn, branch, false, &err), &err);
}

void store_builder_drop(struct store_builder *builder, struct xylem_position position)
{
    struct xylem_format__key key;
    xylem_format__key_pair(&key, position.branch, position.depth);
    remove_row(builder, XYLEM_FORMAT__LOG, &key);
}
