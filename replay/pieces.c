/* The table of pieces, and the public calls that use the table. */
#include "replay/pieces.h"

#include "base/buffer.h"

#define POINTER_OF(name) &xylem_replay__##name##_piece,
#define NAME_OF(name) #name,

const struct xylem_replay__piece *const xylem_replay__pieces[XYLEM_REPLAY__PIECE_COUNT] = {
    XYLEM_REPLAY__PIECE_LIST(POINTER_OF)};

const char *const xylem_replay__piece_names[XYLEM_REPLAY__PIECE_COUNT + 1] = {XYLEM_REPLAY__PIECE_LIST(NAME_OF) NULL};

static_assert(XYLEM_PIECE_READONLY == 1u << XYLEM_REPLAY__AT_readonly &&
                  XYLEM_PIECE_NUDGE == 1u << XYLEM_REPLAY__AT_nudge &&
                  XYLEM_PIECE_SEQUENCE == 1u << XYLEM_REPLAY__AT_sequence &&
                  XYLEM_PIECE_TODO == 1u << XYLEM_REPLAY__AT_todo && XYLEM_PIECE_MARK == 1u << XYLEM_REPLAY__AT_mark &&
                  XYLEM_REPLAY__PIECE_COUNT < 32,
              "the place of a row is the bit of its piece");

const char *const *xylem_piece_names(void)
{
    return xylem_replay__piece_names;
}

/* The piece of a bit. NULL: another number than the bit of one piece. */
static const struct xylem_replay__piece *piece_of(unsigned bit)
{
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        if (bit == 1u << i) {
            return xylem_replay__pieces[i];
        }
    }
    return NULL;
}

const char *const *xylem_state_kinds(unsigned piece)
{
    const struct xylem_replay__piece *row = piece_of(piece);
    return row ? row->kinds : NULL;
}

int xylem_piece_json(struct xylem_buffer *buffer, const struct xylem_state *state, unsigned piece,
                     enum xylem_detail detail)
{
    const struct xylem_replay__piece *row = piece_of(piece);
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    size_t before = buffer->bytes;
    if (!row) {
        return XYLEM_E_ARGUMENT;
    }
    row->json(&writer, state, detail);
    return xylem_base__write_end(&writer, before);
}

size_t xylem_piece_words(struct xylem_word *list, const struct xylem_state *state, unsigned piece,
                         const struct xylem_words_options *options)
{
    static const struct xylem_words_options defaults;
    const struct xylem_replay__piece *row = piece_of(piece);
    struct xylem_replay__words words = {list, 0};
    if (row) {
        row->words(&words, state, options ? options : &defaults);
    }
    return words.count;
}

int xylem_piece_differs(const struct xylem_state *a, const struct xylem_state *b, unsigned piece)
{
    const struct xylem_replay__piece *row = piece_of(piece);
    struct xylem_buffer left = {0};
    struct xylem_buffer right = {0};
    if (row && row->differs) {
        return row->differs(a, b);
    }
    int code = xylem_piece_json(&left, a, piece, XYLEM_DETAIL_VALUE);
    if (code == XYLEM_OK && (code = xylem_piece_json(&right, b, piece, XYLEM_DETAIL_VALUE)) == XYLEM_OK) {
        code = !xylem_base__view_equal(xylem_base__buffer_view(&left), xylem_base__buffer_view(&right));
    }
    xylem_buffer_release(&left);
    xylem_buffer_release(&right);
    return code;
}

bool xylem_piece_part(struct xylem_part *part, const struct xylem_state *state, unsigned piece, size_t index)
{
    const struct xylem_replay__piece *row = piece_of(piece);
    return row && row->part && row->part(part, state, index);
}
