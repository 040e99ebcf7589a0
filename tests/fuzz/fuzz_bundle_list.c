/*
 * Any bytes are refused as the first part of a bundle, or read as a list that is written again as the same bytes, and in
 * which each session is found by its id.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_list(struct xylem_cli__bundle_list *list, struct xylem_view part)
{
    struct xylem_buffer again = {0};
    struct xylem_error err;
    check(xylem_cli__bundle_list_write(&again, list, &err) == 0);
    check(again.bytes == part.bytes && memcmp(again.data, part.data, part.bytes) == 0);
    xylem_buffer_release(&again);
    for (size_t i = 0; i < list->count; i++) {
        const struct xylem_cli__bundle_session *session = &list->sessions[i];
        check(session->id.bytes >= 1 && session->id.bytes <= XYLEM_SESSION_ID_BYTES_MAX);
        check(session->from <= session->to);
        check(xylem_cli__bundle_list_find(list, session->id) == session);
    }
    check(!xylem_cli__bundle_list_find(list, (struct xylem_view){NULL, 0}));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_cli__bundle_list list = {.count = 0};
    struct xylem_error err = {0};
    const struct xylem_view part = {(const char *)data, size};
    int code = xylem_cli__bundle_list_read(&list, part, &err);
    if (code == 0) {
        check_list(&list, part);
    } else {
        check(err.code == code && err.text[0] != '\0');
    }
    xylem_cli__bundle_list_release(&list);
    return 0;
}
