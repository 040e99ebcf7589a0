/* Keys of tables. */
#ifndef XYLEM_FORMAT_KEYS_H
#define XYLEM_FORMAT_KEYS_H

#include "base/bytes.h"
#include "format/format.h"
#include "xylem.h"

/* A key, and the bytes that it lies in. */
struct xylem_format__key {
    unsigned char bytes[XYLEM_FORMAT__KEY_BYTES_MAX];
    struct xylem_view view; /* of `bytes` */
};

void xylem_format__key_u64(struct xylem_format__key *key, uint64_t number);
/* log (branch, depth), moves (session, number). */
void xylem_format__key_pair(struct xylem_format__key *key, uint64_t first, uint64_t second);
/* ids; with the position (0, 0): the place before all rows of that tree and hash. */
void xylem_format__key_id(struct xylem_format__key *key, uint64_t tree, uint64_t hash, struct xylem_position position);
/* The same line of two files has two keys: what stands there is the hash of the line's hash and the source's name. */
void xylem_format__key_quarantine(struct xylem_format__key *key, uint64_t session, uint64_t line, uint64_t hash,
                                  struct xylem_view source);
void xylem_format__key_kind_name(struct xylem_format__key *key, struct xylem_kind kind);
void xylem_format__key_kind_number(struct xylem_format__key *key, uint32_t number);
void xylem_format__key_source(struct xylem_format__key *key, uint64_t session, struct xylem_view name);

/* Reads such a key back: false if it has another length. */
bool xylem_format__key_read_u64(uint64_t *number, struct xylem_view key);
bool xylem_format__key_read_id(uint64_t *tree, uint64_t *hash, struct xylem_position *position, struct xylem_view key);
/* It stands here because every step of a walk reads one. */
static inline bool xylem_format__key_read_pair(uint64_t *first, uint64_t *second, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    *first = xylem_base__read_u64_be(&cursor);
    *second = xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

#endif
