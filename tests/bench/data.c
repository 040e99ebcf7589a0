#include "tests/bench/data.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "xylem/append.h"
#include "xylem/branch.h"

enum { ENTRIES_A_CALL = 4096, MESSAGE_TEXT_BYTES = 250 };

static int other_kinds = BENCH_OTHER_KINDS;

void bench_other_kinds(int count)
{
    other_kinds = count;
}

static void set_kind(struct bench_entry *entry, int kind, bool custom, const char *name)
{
    entry->kind = kind;
    entry->custom = custom;
    snprintf(entry->kind_name, sizeof entry->kind_name, "%s", name);
}

static void set_text(struct bench_entry *entry, const char *before, const char *text, const char *after)
{
    int bytes = snprintf(entry->text, sizeof entry->text, "%s%s%s", before, text, after);
    bench_must(bytes > 0 && (size_t)bytes < sizeof entry->text, "an entry", "its text is too long");
    entry->text_bytes = (uint32_t)bytes;
}

/* Words that differ from entry to entry. */
static void fill_words(char *text, size_t bytes, uint64_t number)
{
    uint64_t state = (number + 1) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text[i] = state % 6 == 0 ? ' ' : (char)('a' + (state >> 32) % 26);
    }
    text[bytes] = '\0';
}

void bench_entry_make(struct bench_entry *entry, uint64_t number)
{
    char words[MESSAGE_TEXT_BYTES + 1];
    char name[24];
    if (other_kinds > 0 && number % 10 == 5) {
        int other = (int)(number / 10 % (uint64_t)other_kinds);
        snprintf(name, sizeof name, "extension-%d", other);
        fill_words(words, 40, number);
        set_kind(entry, BENCH_OTHER + other, true, name);
        set_text(entry, "{\"note\":\"", words, "\",\"done\":false}");
    } else {
        fill_words(words, MESSAGE_TEXT_BYTES, number);
        set_kind(entry, BENCH_MESSAGE, false, "message");
        set_text(entry, "{\"message\":{\"role\":\"assistant\",\"content\":\"", words, "\"}}");
    }
}

void bench_entry_wanted(struct bench_entry *entry, enum bench_kind kind)
{
    switch (kind) {
    case BENCH_READONLY:
        set_kind(entry, kind, true, "readonly");
        set_text(entry, "{\"enabled\":", "true", "}");
        break;
    case BENCH_NUDGE:
        set_kind(entry, kind, true, "readonly-nudge");
        set_text(entry, "{\"direction\":\"", "on", "\",\"delivered\":true}");
        break;
    default:
        set_kind(entry, BENCH_SEQUENCE, true, "sequence");
        set_text(entry, "{\"version\":1,\"sequenceId\":\"deploy\",\"steps\":[", "\"build\",\"test\",\"ship\"",
                 "],\"updatedAt\":1767225600000}");
        break;
    }
}

void bench_entry_at(struct bench_entry *entry, uint64_t number, uint64_t wanted_at)
{
    if (wanted_at > 0 && number >= wanted_at && number < wanted_at + 3) {
        bench_entry_wanted(entry, (enum bench_kind)(number - wanted_at));
    } else {
        bench_entry_make(entry, number);
    }
}

void bench_append(struct xylem_store *store, uint64_t session, uint64_t first, uint64_t count, uint64_t wanted_at)
{
    struct bench_entry *made = calloc(ENTRIES_A_CALL, sizeof *made);
    struct xylem_new_entry *entries = calloc(ENTRIES_A_CALL, sizeof *entries);
    struct xylem_txn *txn = NULL;
    struct xylem_error err;
    bench_must(made && entries, "entries", "out of memory");
    while (count > 0) {
        size_t now = count < ENTRIES_A_CALL ? (size_t)count : ENTRIES_A_CALL;
        for (size_t i = 0; i < now; i++) {
            bench_entry_at(&made[i], first + i, wanted_at);
            entries[i] = (struct xylem_new_entry){
                .kind = {made[i].custom ? XYLEM_CLASS_CUSTOM : XYLEM_CLASS_HOST, xylem_view_of(made[i].kind_name)},
                .format = XYLEM_FORMAT_JSON,
                .payload = {made[i].text, made[i].text_bytes}};
        }
        bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
        bench_xylem(xylem_append(NULL, txn, session, entries, now, NULL, &err), "an append", &err);
        bench_xylem(xylem_commit(txn, &err), "a commit", &err);
        first += now;
        count -= now;
    }
    free(entries);
    free(made);
}

struct xylem_store *bench_store(const char *path)
{
    struct xylem_store *store = NULL;
    struct xylem_error err;
    struct xylem_open_options options = {.create = true, .durability = XYLEM_DURABILITY_NONE};
    bench_xylem(xylem_open(&store, path, &options, &err), path, &err);
    return store;
}

uint64_t bench_session(struct xylem_store *store)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session session;
    struct xylem_error err;
    bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "a transaction", &err);
    bench_xylem(xylem_session_create(&session, txn, NULL, &err), "a session", &err);
    uint64_t number = session.number;
    bench_xylem(xylem_commit(txn, &err), "a commit", &err);
    return number;
}

void bench_copy_file(const char *from_path, const char *to_path, size_t piece_bytes)
{
    static char piece[BENCH_PIECE_BYTES];
    int from = open(from_path, O_RDONLY | O_CLOEXEC);
    int to = open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got = 0;
    bench_must(from >= 0 && to >= 0 && piece_bytes <= sizeof piece, from_path, "cannot be copied");
    while ((got = read(from, piece, piece_bytes)) > 0) {
        bench_must(write(to, piece, (size_t)got) == got, to_path, "cannot be written");
    }
    bench_must(got == 0, from_path, "cannot be read");
    close(from);
    close(to);
}

uint64_t bench_fork(struct xylem_store *store, uint64_t session, struct xylem_position at)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session fork;
    struct xylem_error err;
    bench_xylem(xylem_begin(&txn, store, XYLEM_WRITE, &err), "xylem_begin", &err);
    if (at.depth > 0) {
        bench_xylem(xylem_fork(&fork, txn, session, at, XYLEM_FORK_AT, NULL, &err), "xylem_fork", &err);
    } else {
        bench_xylem(xylem_clone(&fork, txn, session, NULL, &err), "xylem_clone", &err);
    }
    uint64_t number = fork.number;
    bench_xylem(xylem_commit(txn, &err), "xylem_commit", &err);
    return number;
}

struct xylem_position bench_leaf(struct xylem_store *store, uint64_t session)
{
    struct xylem_txn *txn = NULL;
    struct xylem_session row;
    struct xylem_error err;
    bench_xylem(xylem_begin(&txn, store, XYLEM_READ, &err), "a transaction", &err);
    bench_xylem(xylem_session_read(&row, txn, session, &err), "a session", &err);
    struct xylem_position leaf = row.leaf;
    xylem_abort(txn);
    return leaf;
}
