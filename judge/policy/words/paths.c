#include "judge/policy/words/paths.h"

struct xylem_view xylem_policy__path_joined(struct xylem_shell__arena *arena, struct xylem_view from,
                                            struct xylem_view to)
{
    from.bytes = xylem_policy__view_begins(to, "/") ? 0 : from.bytes;
    size_t slash = from.bytes > 0 && to.bytes > 0;
    size_t bytes = from.bytes + slash + to.bytes;
    char *joined = bytes > XYLEM_POLICY__PATH_MAX ? NULL : xylem_shell__arena_take(arena, bytes + 1);
    if (!joined) {
        return (struct xylem_view){NULL, 0};
    }
    if (from.bytes > 0) {
        memcpy(joined, from.data, from.bytes);
        joined[from.bytes] = '/';
    }
    if (to.bytes > 0) {
        memcpy(joined + from.bytes + slash, to.data, to.bytes);
    }
    return (struct xylem_view){joined, bytes};
}

/* The next component of a path, without empty components and `.`; false at the end. */
static bool next_component(struct xylem_view *component, struct xylem_view path, size_t *at)
{
    while (*at < path.bytes) {
        size_t from = *at;
        while (*at < path.bytes && path.data[*at] != '/') {
            (*at)++;
        }
        *component = (struct xylem_view){path.data + from, *at - from};
        *at += *at < path.bytes;
        if (component->bytes > 0 && !xylem_base__view_is(*component, ".")) {
            return true;
        }
    }
    return false;
}

struct xylem_view xylem_policy__path_around(struct xylem_shell__arena *arena, struct xylem_view path)
{
    struct xylem_view step;
    size_t bytes = 0;
    size_t last = 0;
    char *made = xylem_policy__view_begins(path, "/") ? xylem_shell__arena_take(arena, path.bytes + 1) : NULL;
    for (size_t at = 0; made && next_component(&step, path, &at);) {
        if (xylem_base__view_is(step, "..")) {
            return (struct xylem_view){NULL, 0};
        }
        last = bytes;
        made[bytes++] = '/';
        memcpy(made + bytes, step.data, step.bytes);
        bytes += step.bytes;
    }
    return (struct xylem_view){last > 0 ? made : NULL, last};
}

bool xylem_policy__path_same(struct xylem_view path, struct xylem_view other)
{
    struct xylem_view step;
    struct xylem_view other_step;
    size_t at = 0;
    size_t other_at = 0;
    if (xylem_policy__view_begins(path, "/") != xylem_policy__view_begins(other, "/")) {
        return false;
    }
    while (next_component(&step, path, &at)) {
        if (!next_component(&other_step, other, &other_at) || !xylem_base__view_equal(step, other_step)) {
            return false;
        }
    }
    return !next_component(&other_step, other, &other_at);
}

bool xylem_policy__path_is_below(struct xylem_view path, struct xylem_view directory)
{
    struct xylem_view step;
    struct xylem_view above;
    size_t at = 0;
    size_t above_at = 0;
    bool below = false;
    if (!xylem_policy__view_begins(path, "/") || !xylem_policy__view_begins(directory, "/")) {
        return false;
    }
    while (next_component(&above, directory, &above_at)) {
        if (xylem_base__view_is(above, "..") || !next_component(&step, path, &at) || step.bytes != above.bytes ||
            memcmp(step.data, above.data, step.bytes) != 0) {
            return false;
        }
    }
    while (next_component(&step, path, &at)) {
        if (xylem_base__view_is(step, "..")) {
            return false;
        }
        below = true;
    }
    return below;
}

bool xylem_policy__path_of_device(struct xylem_view *device, struct xylem_shell__arena *arena, struct xylem_view path)
{
    struct xylem_view step;
    size_t at = 0;
    bool from_above = xylem_policy__view_begins(path, "/");
    *device = (struct xylem_view){"", 0};
    if (path.bytes == 0 || !memmem(path.data, path.bytes, "dev", 3)) {
        return false;
    }
    char *text = xylem_shell__arena_take(arena, path.bytes + 1);
    if (!text) {
        return true;
    }
    struct xylem_view resolved = {text, 0};
    while (next_component(&step, path, &at)) {
        if (xylem_base__view_is(step, "..")) {
            from_above |= resolved.bytes == 0;
            const char *slash = memrchr(text, '/', resolved.bytes);
            resolved.bytes = slash ? (size_t)(slash - text) : 0;
            continue;
        }
        text[resolved.bytes] = '/';
        memcpy(text + resolved.bytes + 1, step.data, step.bytes);
        resolved.bytes += step.bytes + 1;
    }
    if (!from_above || !xylem_policy__view_begins(resolved, "/dev/")) {
        return false;
    }
    *device = (struct xylem_view){text + 5, resolved.bytes - 5};
    return true;
}
