/* A state as one JSON document. */
#include "replay/pieces.h"

static void write_skipped(struct xylem_replay__writer *writer, const struct xylem_reduction *reduction)
{
    for (size_t i = 0; i < reduction->skipped_count; i++) {
        xylem_replay__write(writer, i ? ",{\"entry\":" : "{\"entry\":");
        xylem_replay__write_string(writer, reduction->skipped[i].entry_id);
        xylem_replay__write(writer, ",\"kind\":");
        xylem_replay__write_string(writer, reduction->skipped[i].kind);
        xylem_replay__write(writer, ",\"reason\":");
        xylem_replay__write_string(writer, xylem_view_of(reduction->skipped[i].reason));
        xylem_replay__write(writer, "}");
    }
}

int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state, struct xylem_view session_id)
{
    struct xylem_replay__writer writer = {buffer, XYLEM_OK};
    size_t before = buffer->bytes;
    xylem_replay__write(&writer, "{\"schema\":1,\"session\":");
    xylem_replay__write_string(&writer, session_id);
    xylem_replay__write(&writer, ",\"at\":{\"entry\":");
    xylem_replay__write_maybe(&writer, state->at_entry_id);
    xylem_replay__write(&writer, ",\"depth\":");
    xylem_replay__write_count(&writer, state->at.depth);
    xylem_replay__write(&writer, "}");
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        xylem_replay__write(&writer, ",\"");
        xylem_replay__write(&writer, xylem_replay__piece_names[i]);
        xylem_replay__write(&writer, "\":");
        xylem_replay__pieces[i]->json(&writer, state, XYLEM_DETAIL_WHOLE);
    }
    xylem_replay__write(&writer, ",\"skipped\":[");
    write_skipped(&writer, &state->reduction);
    xylem_replay__write(&writer, "],\"looked_at\":");
    xylem_replay__write_count(&writer, state->reduction.looked_at);
    xylem_replay__write(&writer, ",\"decoded_count\":");
    xylem_replay__write_count(&writer, state->reduction.decoded_count);
    xylem_replay__write(&writer, ",\"decoded_bytes\":");
    xylem_replay__write_count(&writer, state->reduction.decoded_bytes);
    xylem_replay__write(&writer, "}");
    return xylem_replay__write_end(&writer, before);
}
