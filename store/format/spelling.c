#include "store/format/spelling.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/time.h"

/* The words. `#` stands for the id, `@` for the time as rendering writes times. Spaces come around `:` and `,`. */
static const char template[] =
    "{\"type\":\"message\",\"id\":\"#\",\"parentId\":\"\",\"timestamp\":\"@\",\"type\":\"message\"}"
    "{\"type\":\"custom\",\"customType\":\"\",\"data\":{";
#define WORDS_BYTES_MAX (2u * sizeof template + XYLEM_ENTRY_ID_BYTES_MAX + XYLEM_BASE__ISO_BYTES)
#define SPACE_BEFORE 1u
#define SPACE_BEHIND 2u
#define SPACES 4u /* the ways to set spaces */

#define WINDOW 8u           /* bytes that find a copy: a piece takes at most 7 beside fewer than 128 new bytes */
#define COPY_BYTES_FAR 10u  /* a piece takes at most 10 beside more: so no line grows by its copies */
#define PLACES_BITS_MAX 18u /* a table of 1 MiB at most: in a longer source some copies are not found */

struct source {
    char words[WORDS_BYTES_MAX];
    size_t words_bytes;
    struct xylem_view payload;
};

static void source_of(struct source *source, const struct xylem_format__spelt *entry, unsigned spaces)
{
    char iso[XYLEM_BASE__ISO_BYTES];
    const struct xylem_view time = {iso, xylem_base__time_write(iso, entry->time_ms)};
    char *words = source->words;
    assert(entry->id.bytes <= XYLEM_ENTRY_ID_BYTES_MAX);
    for (const char *at = template; *at; at++) {
        bool spaced = *at == ':' || *at == ',';
        struct xylem_view part = *at == '#' ? entry->id : *at == '@' ? time : (struct xylem_view){at, 1};
        if (spaced && (spaces & SPACE_BEFORE)) {
            *words++ = ' ';
        }
        memcpy(words, part.data, part.bytes);
        words += part.bytes;
        if (spaced && (spaces & SPACE_BEHIND)) {
            *words++ = ' ';
        }
    }
    source->words_bytes = (size_t)(words - source->words);
    source->payload = entry->payload;
}

/* The bytes from a place of the source to the end of its part; none beyond the source. */
static struct xylem_view rest_of(const struct source *source, uint64_t place)
{
    if (place < source->words_bytes) {
        return (struct xylem_view){source->words + place, source->words_bytes - place};
    }
    place -= source->words_bytes;
    return place < source->payload.bytes
               ? (struct xylem_view){source->payload.data + place, source->payload.bytes - place}
               : (struct xylem_view){NULL, 0};
}

/* The bytes that two texts begin with alike. */
static size_t alike(struct xylem_view a, struct xylem_view b)
{
    size_t most = a.bytes < b.bytes ? a.bytes : b.bytes;
    size_t bytes = 0;
    while (bytes < most && a.data[bytes] == b.data[bytes]) {
        bytes++;
    }
    return bytes;
}

/* --- Encode ------------------------------------------------------------------------------------------------------ */

/* The first place of the source for each hash of a window, plus 1; 0: none. */
struct places {
    uint32_t *first;
    unsigned bits; /* of the number of hashes */
};

static uint32_t *place_of(const struct places *places, const char *window)
{
    uint64_t bytes;
    static_assert(sizeof bytes == WINDOW, "a window is a number");
    memcpy(&bytes, window, sizeof bytes);
    return &places->first[(bytes * UINT64_C(0x9e3779b97f4a7c15)) >> (64u - places->bits)];
}

static int note_places(struct places *places, const struct source *source)
{
    size_t end = source->words_bytes + source->payload.bytes;
    for (places->bits = 1; places->bits < PLACES_BITS_MAX && end >> (places->bits - 1); places->bits++) {
    }
    places->first = calloc((size_t)1 << places->bits, sizeof *places->first);
    for (size_t left = places->first ? end : 0; left > 0; left--) { /* backwards: the first place stays */
        struct xylem_view rest = rest_of(source, left - 1);
        if (rest.bytes >= WINDOW) {
            *place_of(places, rest.data) = (uint32_t)left;
        }
    }
    return places->first ? XYLEM_OK : XYLEM_E_MEMORY;
}

/* Adds new bytes and a copy; the copy is missing at the end of a line. */
static int add_piece(struct xylem_buffer *pieces, struct xylem_view fresh, int64_t step, size_t bytes)
{
    int code = xylem_base__add_varint(pieces, fresh.bytes);
    code = code < 0 ? code : xylem_buffer_add(pieces, fresh.data, fresh.bytes);
    if (code < 0 || bytes == 0) {
        return code;
    }
    code = xylem_base__add_varint(pieces, step < 0 ? (uint64_t)-step * 2 - 1 : (uint64_t)step * 2);
    return code < 0 ? code : xylem_base__add_varint(pieces, bytes);
}

/*
 * Greedy: at each place of the line the longer of two copies counts, of what follows the copy before, or from the first
 * equal window of the source on. A copy of enough bytes is taken at once, so hostile lines take linear time, too.
 */
static int add_pieces(struct xylem_buffer *pieces, const struct source *source, const struct places *places,
                      struct xylem_view line)
{
    size_t fresh = 0; /* the bytes before it are in pieces */
    size_t follows = 0;
    for (size_t at = 0; at < line.bytes;) {
        struct xylem_view left = {line.data + at, line.bytes - at};
        size_t place = follows;
        size_t bytes = alike(left, rest_of(source, place));
        uint32_t first = left.bytes < WINDOW ? 0 : *place_of(places, left.data);
        size_t other = first == 0 ? 0 : alike(left, rest_of(source, first - 1));
        if (other > bytes) {
            bytes = other;
            place = first - 1;
        }
        if (bytes < (at - fresh < 128 ? WINDOW : COPY_BYTES_FAR)) {
            at++;
            continue;
        }
        for (; at > fresh && place > 0 && place != source->words_bytes &&
               rest_of(source, place - 1).data[0] == line.data[at - 1];
             place--, at--, bytes++) {
        }
        int code =
            add_piece(pieces, (struct xylem_view){line.data + fresh, at - fresh}, (int64_t)(place - follows), bytes);
        if (code < 0) {
            return code;
        }
        fresh = at += bytes;
        follows = place + bytes;
    }
    return fresh == line.bytes ? XYLEM_OK
                               : add_piece(pieces, (struct xylem_view){line.data + fresh, line.bytes - fresh}, 0, 0);
}

/* Where the line has spaces around its first colon: the best guess, and any guess is right. */
static unsigned spaces_of(struct xylem_view line)
{
    const char *colon = memchr(line.data, ':', line.bytes);
    return !colon ? 0
                  : (colon > line.data && colon[-1] == ' ' ? SPACE_BEFORE : 0) |
                        (colon + 1 < line.data + line.bytes && colon[1] == ' ' ? SPACE_BEHIND : 0);
}

int xylem_format__spelling_encode(struct xylem_buffer *pieces, const struct xylem_format__spelt *entry,
                                  struct xylem_view line)
{
    struct source source;
    struct places places = {NULL, 0};
    unsigned spaces = spaces_of(line);
    source_of(&source, entry, spaces);
    int code = xylem_base__add_varint(pieces, line.bytes * SPACES + spaces);
    code = code < 0 ? code : note_places(&places, &source);
    code = code < 0 ? code : add_pieces(pieces, &source, &places, line);
    free(places.first);
    return code;
}

/* --- Decode ------------------------------------------------------------------------------------------------------ */

/* Gives the bytes that the pieces make, 0 for other bytes than pieces, and appends them to `line`, if given. */
static uint64_t read_pieces(struct xylem_buffer *line, const struct source *source, struct xylem_base__cursor cursor)
{
    uint64_t made = 0;
    uint64_t place = 0;
    while (cursor.left > 0 && !cursor.failed) {
        struct xylem_view fresh = xylem_base__read_bytes(&cursor, xylem_base__read_varint(&cursor));
        struct xylem_view copy = {NULL, 0};
        if (cursor.left > 0) {
            uint64_t step = xylem_base__read_varint(&cursor);
            uint64_t bytes = xylem_base__read_varint(&cursor);
            place += step % 2 ? -(step / 2 + 1) : step / 2; /* may wrap: rest_of() has nothing there */
            copy = rest_of(source, place);
            if (bytes == 0 || bytes > copy.bytes) {
                return 0;
            }
            copy.bytes = bytes;
            place += bytes;
        }
        made += fresh.bytes + copy.bytes;
        if (line) { /* has the room: nothing can fail */
            xylem_buffer_add(line, fresh.data, fresh.bytes);
            xylem_buffer_add(line, copy.data, copy.bytes);
        }
    }
    return cursor.failed ? 0 : made;
}

int xylem_format__spelling_decode(struct xylem_buffer *line, const struct xylem_format__spelt *entry,
                                  struct xylem_view pieces)
{
    struct source source;
    struct xylem_base__cursor cursor = xylem_base__cursor_of(pieces.data, pieces.bytes);
    uint64_t first = xylem_base__read_varint(&cursor);
    uint64_t bytes = first / SPACES;
    source_of(&source, entry, (unsigned)(first % SPACES));
    /* First without a line: no memory for a length that the pieces do not have. */
    if (bytes == 0 || bytes > XYLEM_LINE_BYTES_MAX || read_pieces(NULL, &source, cursor) != bytes) {
        return XYLEM_E_CORRUPT;
    }
    if (xylem_base__buffer_reserve(line, bytes) < 0) {
        return XYLEM_E_MEMORY;
    }
    read_pieces(line, &source, cursor);
    return XYLEM_OK;
}
