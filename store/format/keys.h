/*
 * Encodes the keys of tables. Numbers are u64, big-endian:
 *
 *     sessions, branches, feed   | number |
 *     log                        | branch | depth |
 *     moves                      | session | number |
 *     ids                        | tree | hash of the id | branch | depth |
 *     quarantine                 | session | line | hash of the line's hash and the source's name |
 *     kinds                      | class u8 | name |   or   | 0xff | number u32 |
 *     sources                    | session | name |
 *     session_ids, meta          | id or name |
 */
#ifndef XYLEM_FORMAT_KEYS_H
#define XYLEM_FORMAT_KEYS_H

#include "base/bytes.h"
#include "store/format/format.h"

/* A key with its own memory. */
struct xylem_format__key {
    unsigned char bytes[XYLEM_FORMAT__KEY_BYTES_MAX];
    struct xylem_view view; /* of `bytes` */
};

void xylem_format__key_u64(struct xylem_format__key *key, uint64_t number);
/* For log and moves. */
void xylem_format__key_pair(struct xylem_format__key *key, uint64_t first, uint64_t second);
/* For ids. The position (0, 0) gives the place before all rows of the tree and the hash. */
void xylem_format__key_id(struct xylem_format__key *key, uint64_t tree, uint64_t hash, struct xylem_position position);
/* The same line in two files has two keys, by the name of the source. */
void xylem_format__key_quarantine(struct xylem_format__key *key, uint64_t session, uint64_t line, uint64_t hash,
                                  struct xylem_view source);
void xylem_format__key_kind_name(struct xylem_format__key *key, struct xylem_kind kind);
void xylem_format__key_kind_number(struct xylem_format__key *key, uint32_t number);
void xylem_format__key_source(struct xylem_format__key *key, uint64_t session, struct xylem_view name);

/* Reads a key back. False if the key has another length. */
bool xylem_format__key_read_u64(uint64_t *number, struct xylem_view key);
bool xylem_format__key_read_id(uint64_t *tree, uint64_t *hash, struct xylem_position *position, struct xylem_view key);
/* Inline, as every step of a walk reads a key of the log. */
static inline bool xylem_format__key_read_pair(uint64_t *first, uint64_t *second, struct xylem_view key)
{
    struct xylem_base__cursor cursor = xylem_base__cursor_of(key.data, key.bytes);
    *first = xylem_base__read_u64_be(&cursor);
    *second = xylem_base__read_u64_be(&cursor);
    return xylem_base__cursor_ended(&cursor);
}

#endif
