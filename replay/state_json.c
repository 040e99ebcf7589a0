/* A state as one JSON document. */
#include "base/buffer.h"
#include "base/json.h"
#include "xylem.h"

/* A document under construction: the first failure stays, and later calls do nothing. */
struct writer {
    struct xylem_buffer *buffer;
    int code;
};

static void text(struct writer *writer, const char *bytes)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_text(writer->buffer, bytes);
    }
}

static void string(struct writer *writer, struct xylem_view view)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_string(writer->buffer, view);
    }
}

static void string_or_null(struct writer *writer, struct xylem_view view)
{
    if (view.data) {
        string(writer, view);
    } else {
        text(writer, "null");
    }
}

static void boolean(struct writer *writer, bool truth)
{
    text(writer, truth ? "true" : "false");
}

static void count(struct writer *writer, uint64_t number)
{
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_base__buffer_add_format(writer->buffer, "%llu", (unsigned long long)number);
    }
}

static const char *from_word(enum xylem_from from)
{
    switch (from) {
    case XYLEM_FROM_FLAG:
        return "flag";
    case XYLEM_FROM_PATH:
        return "path";
    case XYLEM_FROM_DEFAULT:
        break;
    }
    return "default";
}

static const char *why_word(enum xylem_nudge_why why)
{
    switch (why) {
    case XYLEM_NUDGE_TOLD:
        return "told";
    case XYLEM_NUDGE_NOT_TOLD:
        return "not-told";
    case XYLEM_NUDGE_TOLD_OTHER:
        return "told-other";
    case XYLEM_NUDGE_OUTDATED:
        return "outdated";
    case XYLEM_NUDGE_CHANGED:
        return "changed";
    case XYLEM_NUDGE_NEVER_ON:
        break;
    }
    return "never-on";
}

static void nudge(struct writer *writer, const struct xylem_state *state)
{
    text(writer, "{\"due\":");
    boolean(writer, state->nudge.due);
    text(writer, ",\"direction\":\"");
    text(writer, state->nudge.direction_on ? "on" : "off");
    text(writer, "\",\"why\":\"");
    text(writer, why_word(state->nudge.why));
    text(writer, "\",\"told\":");
    if (!state->nudge.told_entry_id.data) {
        text(writer, "null}");
        return;
    }
    text(writer, "{\"direction\":\"");
    text(writer, state->nudge.told_on ? "on" : "off");
    text(writer, "\",\"entry\":");
    string(writer, state->nudge.told_entry_id);
    text(writer, "}}");
}

static void sequence(struct writer *writer, const struct xylem_state *state)
{
    if (!state->sequence.present) {
        text(writer, "null");
        return;
    }
    text(writer, "{\"sequenceId\":");
    string(writer, state->sequence.sequence_id);
    text(writer, ",\"steps\":[");
    for (size_t i = 0; i < state->sequence.step_count; i++) {
        text(writer, i ? "," : "");
        string(writer, state->sequence.steps[i]);
    }
    text(writer, "],\"updatedAt\":");
    if (writer->code == XYLEM_OK) {
        writer->code = xylem_buffer_add_json_number(writer->buffer, state->sequence.updated_at);
    }
    text(writer, ",\"entry\":");
    string_or_null(writer, state->sequence.entry_id);
    text(writer, "}");
}

static void skipped(struct writer *writer, const struct xylem_reduction *reduction)
{
    for (size_t i = 0; i < reduction->skipped_count; i++) {
        text(writer, i ? ",{\"entry\":" : "{\"entry\":");
        string(writer, reduction->skipped[i].entry_id);
        text(writer, ",\"kind\":");
        string(writer, reduction->skipped[i].kind);
        text(writer, ",\"reason\":");
        string(writer, xylem_view_of(reduction->skipped[i].reason));
        text(writer, "}");
    }
}

int xylem_state_json(struct xylem_buffer *buffer, const struct xylem_state *state, struct xylem_view session_id)
{
    struct writer writer = {buffer, XYLEM_OK};
    size_t before = buffer->bytes;
    text(&writer, "{\"schema\":1,\"session\":");
    string(&writer, session_id);
    text(&writer, ",\"at\":{\"entry\":");
    string_or_null(&writer, state->at_entry_id);
    text(&writer, ",\"depth\":");
    count(&writer, state->at.depth);
    text(&writer, "},\"readonly\":{\"enabled\":");
    boolean(&writer, state->readonly.enabled);
    text(&writer, ",\"from\":\"");
    text(&writer, from_word(state->readonly.from));
    text(&writer, "\",\"entry\":");
    string_or_null(&writer, state->readonly.entry_id);
    text(&writer, "},\"nudge\":");
    nudge(&writer, state);
    text(&writer, ",\"sequence\":");
    sequence(&writer, state);
    text(&writer, ",\"skipped\":[");
    skipped(&writer, &state->reduction);
    text(&writer, "],\"looked_at\":");
    count(&writer, state->reduction.looked_at);
    text(&writer, ",\"decoded_count\":");
    count(&writer, state->reduction.decoded_count);
    text(&writer, ",\"decoded_bytes\":");
    count(&writer, state->reduction.decoded_bytes);
    text(&writer, "}");
    if (writer.code < 0 && buffer->data) {
        buffer->bytes = before;
        buffer->data[before] = '\0';
    }
    return writer.code;
}
