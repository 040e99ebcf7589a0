/*
 * Decodes the msgpack that most data is made of. Rehydration decodes an entry for each piece, so this decoder is short
 * and fast, and knows no reason of a refusal: what the decoder does not take goes to msgpack-c, the judge in data.c.
 */
#include "base/bytes.h"
#include "base/utf8.h"
#include "store/format/data.h"

/* Deeper values are rare. A level is a call. */
#define LEVELS_MAX 32u

enum {
    LEAD_NIL = 0xc0,
    LEAD_FALSE = 0xc2,
    LEAD_TRUE = 0xc3,
    LEAD_FLOAT = 0xca,
    LEAD_DOUBLE = 0xcb,
    LEAD_INT_8 = 0xd0,
    LEAD_INT_64 = 0xd3,
    LEAD_STRING_8 = 0xd9,
    LEAD_STRING_32 = 0xdb,
    LEAD_ARRAY_16 = 0xdc,
    LEAD_MAP_16 = 0xde
};

struct reading {
    const unsigned char *at;
    const unsigned char *end;
    struct xylem_base__tree *tree;
    int code; /* MEMORY or LIMIT: the tree refused a node */
};

/* The big-endian number behind a lead: 1, 2, 4 or 8 bytes. */
static inline bool take(uint64_t *number, struct reading *reading, size_t bytes)
{
    if ((size_t)(reading->end - reading->at) < bytes) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < bytes; i++) {
        *number = *number << 8 | *reading->at++;
    }
    return true;
}

/* Looks at whole words. The last word begins inside of the word before, so a short string needs no loop over bytes. */
static inline bool is_ascii(const unsigned char *text, size_t bytes)
{
    uint64_t all = 0;
    uint64_t word;
    uint32_t first;
    uint32_t last;
    if (bytes >= 8) {
        for (size_t at = 0; at < bytes - 8; at += 8) {
            memcpy(&word, text + at, 8);
            all |= word;
        }
        memcpy(&word, text + bytes - 8, 8);
        all |= word;
    } else if (bytes >= 4) {
        memcpy(&first, text, 4);
        memcpy(&last, text + bytes - 4, 4);
        all = first | last;
    } else {
        for (size_t at = 0; at < bytes; at++) {
            all |= text[at];
        }
    }
    return !(all & UINT64_C(0x8080808080808080));
}

static inline bool take_string(struct xylem_value *node, struct reading *reading, uint64_t bytes)
{
    const unsigned char *text = reading->at;
    if ((size_t)(reading->end - text) < bytes ||
        (!is_ascii(text, bytes) && !xylem_base__wtf8_valid((const char *)text, bytes))) {
        return false;
    }
    node->type = XYLEM_VALUE_STRING;
    node->as.string = (struct xylem_view){(const char *)text, bytes};
    reading->at += bytes;
    return true;
}

/* Takes a number of a lead from LEAD_FLOAT to LEAD_INT_64. The lowest two bits of each such lead say how wide. */
static inline bool take_number(struct xylem_value *node, struct reading *reading, unsigned lead)
{
    size_t bytes = (size_t)1 << (lead & 3);
    uint64_t number;
    if (!take(&number, reading, bytes)) {
        return false;
    }
    if (lead == LEAD_FLOAT) {
        uint32_t bits = (uint32_t)number;
        float single;
        memcpy(&single, &bits, sizeof single);
        node->type = XYLEM_VALUE_DOUBLE;
        node->as.number = (double)single;
    } else if (lead == LEAD_DOUBLE) {
        node->type = XYLEM_VALUE_DOUBLE;
        memcpy(&node->as.number, &number, sizeof number);
    } else {
        uint64_t sign = lead >= LEAD_INT_8 ? UINT64_C(1) << (8 * bytes - 1) : 0;
        node->type = number > INT64_MAX && !sign ? XYLEM_VALUE_UINT : XYLEM_VALUE_INT;
        node->as.unsigned_integer = (number ^ sign) - sign; /* extends the sign */
    }
    return true;
}

static bool take_values(struct reading *reading, uint64_t count, bool keyed, unsigned level);

/* Growing moves the nodes, so the container is an index while its children are taken. */
static inline bool take_children(struct xylem_value *node, struct reading *reading, enum xylem_value_type type,
                                 uint64_t count, unsigned level)
{
    size_t at = (size_t)(node - reading->tree->nodes);
    bool keyed = type == XYLEM_VALUE_MAP;
    count = keyed ? count * 2 : count;
    /* Each child has a byte at least, so a count that promises more than there is takes no memory. */
    if (level == LEVELS_MAX || (size_t)(reading->end - reading->at) < count ||
        !take_values(reading, count, keyed, level + 1)) {
        return false;
    }
    node = &reading->tree->nodes[at];
    node->type = type;
    node->child_count = (uint32_t)count;
    node->node_count = (uint32_t)(reading->tree->node_count - at);
    return true;
}

/* Takes what stands behind the lead. */
static inline bool take_value(struct xylem_value *node, struct reading *reading, unsigned lead, unsigned level)
{
    uint64_t count;
    if (lead < 0x80) {
        node->type = XYLEM_VALUE_INT;
        node->as.integer = lead;
        return true;
    }
    if (lead < 0xa0) {
        return take_children(node, reading, lead < 0x90 ? XYLEM_VALUE_MAP : XYLEM_VALUE_ARRAY, lead & 0xf, level);
    }
    if (lead < 0xc0) {
        return take_string(node, reading, lead & 0x1f);
    }
    if (lead >= 0xe0) {
        node->type = XYLEM_VALUE_INT;
        node->as.integer = (int64_t)lead - 0x100;
        return true;
    }
    if (lead == LEAD_FALSE || lead == LEAD_TRUE) {
        node->type = XYLEM_VALUE_BOOL;
        node->as.boolean = lead == LEAD_TRUE;
        return true;
    }
    if (lead >= LEAD_FLOAT && lead <= LEAD_INT_64) {
        return take_number(node, reading, lead);
    }
    if (lead >= LEAD_STRING_8 && lead <= LEAD_STRING_32) {
        return take(&count, reading, (size_t)1 << (lead - LEAD_STRING_8)) && take_string(node, reading, count);
    }
    if (lead >= LEAD_ARRAY_16) {
        return take(&count, reading, (size_t)2 << (lead & 1)) &&
               take_children(node, reading, lead < LEAD_MAP_16 ? XYLEM_VALUE_ARRAY : XYLEM_VALUE_MAP, count, level);
    }
    return lead == LEAD_NIL; /* as which the node was added */
}

static inline bool begins_string(unsigned lead)
{
    return (lead >= 0xa0 && lead < 0xc0) || (lead >= LEAD_STRING_8 && lead <= LEAD_STRING_32);
}

/* Takes the root, or all children of a container; `keyed` if each second value, from the first on, is a key. */
static bool take_values(struct reading *reading, uint64_t count, bool keyed, unsigned level)
{
    for (uint64_t i = 0; i < count; i++) {
        if (reading->at == reading->end) {
            return false;
        }
        unsigned lead = *reading->at++;
        if (keyed && i % 2 == 0 && !begins_string(lead)) {
            return false;
        }
        struct xylem_value *node = xylem_base__tree_add(reading->tree, XYLEM_VALUE_NIL, (struct xylem_view){NULL, 0});
        if (!node) {
            reading->code = xylem_base__tree_refusal(reading->tree);
            return false;
        }
        if (!take_value(node, reading, lead, level)) {
            return false;
        }
    }
    return true;
}

int xylem_format__data_decode_common(struct xylem_base__tree *tree, struct xylem_view bytes)
{
    const unsigned char *begin = (const unsigned char *)bytes.data;
    struct reading reading = {begin, begin + bytes.bytes, tree, XYLEM_OK};
    xylem_base__tree_clear(tree);
    if (bytes.bytes > 0 && take_values(&reading, 1, false, 0) && reading.at == reading.end) {
        return 1;
    }
    xylem_base__tree_clear(tree);
    return reading.code == XYLEM_E_MEMORY ? reading.code : 0;
}
