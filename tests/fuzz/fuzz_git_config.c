/*
 * Any bytes as a file of git's configuration: read, or refused. What is read keeps its meaning when it is written anew
 * in git's plainest spelling; and any bytes as an index of submodules.
 */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/value.h"
#include "judge/hook/git_config.h"
#include "judge/hook/git_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void add(struct xylem_buffer *text, const char *string)
{
    check(xylem_base__buffer_add_text(text, string) == 0);
}

static void add_view(struct xylem_buffer *text, struct xylem_view view)
{
    check(xylem_buffer_add(text, view.data, view.bytes) == 0);
}

/* Between quotes; a line's end has its own escape in a value, and none in a subsection. */
static void add_quoted(struct xylem_buffer *text, struct xylem_view view)
{
    add(text, "\"");
    for (size_t i = 0; i < view.bytes; i++) {
        char c[2] = {view.data[i], '\0'};
        check(c[0] != '\0');
        add(text, c[0] == '"' || c[0] == '\\' ? "\\" : "");
        add(text, c[0] == '\n' ? "\\n" : c);
    }
    add(text, "\"");
}

static bool write_setting(void *context, const struct xylem_hook__git_setting *setting)
{
    struct xylem_buffer *text = context;
    check(setting->section.bytes > 0 && !memchr(setting->section.data, '.', setting->section.bytes));
    check(setting->key.bytes > 0 && !memchr(setting->key.data, '.', setting->key.bytes));
    check(setting->has_value || setting->value.bytes == 0);
    add(text, "[");
    add_view(text, setting->section);
    if (setting->subsection.bytes > 0) {
        add(text, " ");
        add_quoted(text, setting->subsection);
    }
    add(text, "]\n\t");
    add_view(text, setting->key);
    if (setting->has_value) {
        add(text, " = ");
        add_quoted(text, setting->value);
    }
    add(text, "\n");
    return true;
}

static bool see_submodule(void *context, const char *submodule)
{
    size_t *count = context;
    ++*count;
    return strlen(submodule) <= 65536;
}

static void run_index(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    const char *why = NULL;
    size_t count = 0;
    if (fd < 0) {
        fd = memfd_create("index", MFD_CLOEXEC);
        check(fd >= 0 && snprintf(path, sizeof path, "/proc/self/fd/%d", fd) > 0);
    }
    check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    int code = xylem_hook__git_index(path, 20, see_submodule, &count, &why);
    check(code == 0 || (code == XYLEM_E_MALFORMED && why));
    check(count <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xylem_view text = {(const char *)data, size};
    struct xylem_buffer first = {0};
    struct xylem_buffer second = {0};
    int code = xylem_hook__git_config(text, write_setting, &first);
    check(code == 0 || code == XYLEM_E_MALFORMED);
    check(xylem_hook__git_config(xylem_base__buffer_view(&first), write_setting, &second) == 0);
    check(xylem_base__view_equal(xylem_base__buffer_view(&first), xylem_base__buffer_view(&second)));
    xylem_buffer_release(&first);
    xylem_buffer_release(&second);
    run_index(data, size);
    return 0;
}
