/* What xylem log prints of entries that no host writes. */
#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/lib/store_builder.h"
#include "tests/lib/test.h"

/* What no host writes: a payload that was taken out, one that is no JSON, and one whose bytes were changed. */
TEST_WITH(what_cannot_be_read_is_said_so, command_set_up, command_tear_down)
{
    struct command *command = *state;
    struct store_builder builder;
    store_builder_open(&builder);
    uint64_t session = store_builder_session(&builder, "s");
    struct xylem_position first =
        store_builder_add(&builder, session, "first", "message", "{\"role\":\"user\",\"content\":\"x\"}");
    struct xylem_position redacted = store_builder_add(&builder, session, "redacted", "note", "{\"a\":1}");
    struct xylem_position torn = store_builder_add(&builder, session, "torn", "note", "{\"a\":1}");
    store_builder_redact(&builder, redacted);
    struct xylem_format__record record = store_builder_record(&builder, torn);
    record.payload = xylem_view_of("{\"a\":\x1b");
    record.payload_hash = xylem_format__hash(record.payload);
    store_builder_rewrite(&builder, torn, &record);
    store_builder_commit(&builder);
    snprintf(command->store, sizeof command->store, "%.100s", builder.path);
    command_line(command, "log s");
    assert_exit(command, 0);
    assert_contains(command->out, "(redacted)\n1  first");
    assert_contains(command->out, "<leaf> (");
    assert_null(strchr(command->out, '\x1b'));
    command_line(command, "log s --full");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (redacted)\n");
    command_line(command, "show s:redacted");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (redacted)\n");
    command_line(command, "show s:torn");
    assert_exit(command, 0);
    assert_contains(command->out, "\n\n    (");
    store_builder_damage(&builder, first);
    store_builder_commit(&builder);
    const char *const lines[] = {"log s", "log s --full", "log s --json", "diff s s:first", "show s:first"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        command_line(command, lines[i]);
        assert_exit(command, 5);
        assert_contains(command->err, "xylem: ");
    }
    store_builder_close(&builder);
}
