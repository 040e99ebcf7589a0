/* A state as one JSON document. */
#include "replay/pieces.h"

int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state, struct xylem_view session_id)
{
    const struct xylem_reduction *reduction = &state->reduction;
    struct xylem_base__writer writer = {buffer, XYLEM_OK};
    size_t before = buffer->bytes;
    xylem_base__write(&writer, "{\"schema\":1,\"session\":");
    xylem_base__write_string(&writer, session_id);
    xylem_base__write_member(&writer, ",\"at\":{\"entry\":", state->at_entry_id);
    xylem_base__write_counted(&writer, ",\"depth\":", state->at.depth);
    xylem_base__write(&writer, "}");
    for (size_t i = 0; i < XYLEM_REPLAY__PIECE_COUNT; i++) {
        xylem_base__write(&writer, ",");
        xylem_replay__pieces[i]->json(&writer, state, XYLEM_DETAIL_WHOLE);
    }
    xylem_base__write(&writer, ",\"skipped\":[");
    for (size_t i = 0; i < reduction->skipped_count; i++) {
        xylem_base__write_member(&writer, i ? ",{\"entry\":" : "{\"entry\":", reduction->skipped[i].entry_id);
        xylem_base__write_member(&writer, ",\"kind\":", reduction->skipped[i].kind);
        xylem_base__write_member(&writer, ",\"reason\":", xylem_view_of(reduction->skipped[i].reason));
        xylem_base__write(&writer, "}");
    }
    xylem_base__write_counted(&writer, "],\"looked_at\":", reduction->looked_at);
    xylem_base__write_counted(&writer, ",\"decoded_count\":", reduction->decoded_count);
    xylem_base__write_counted(&writer, ",\"decoded_bytes\":", reduction->decoded_bytes);
    xylem_base__write(&writer, "}");
    return xylem_base__write_end(&writer, before);
}
