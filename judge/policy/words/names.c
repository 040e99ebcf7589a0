#include "judge/policy/words/names.h"

#include "base/value.h"

bool xylem_policy__next_name(struct xylem_view *name, const char **list)
{
    const char *begin = *list ? *list : "";
    while (*begin == ' ') {
        begin++;
    }
    const char *end = begin; /* names are short: a call into libc takes longer than this */
    while (*end != ' ' && *end != '\0') {
        end++;
    }
    *list = end;
    *name = (struct xylem_view){begin, (size_t)(end - begin)};
    return end > begin;
}

bool xylem_policy__entry_meets(struct xylem_view entry, struct xylem_view name)
{
    const char *star = xylem_policy__view_find(entry, '*');
    if (!star) {
        return xylem_base__view_equal(entry, name);
    }
    size_t before = (size_t)(star - entry.data);
    size_t behind = entry.bytes - before - 1;
    return name.bytes >= before + behind && name.bytes > 0 && memcmp(name.data, entry.data, before) == 0 &&
           memcmp(name.data + (name.bytes - behind), star + 1, behind) == 0;
}

bool xylem_policy__spelt_in(const char *list, struct xylem_view name)
{
    struct xylem_view entry;
    while (xylem_policy__next_name(&entry, &list)) {
        if (entry.bytes == name.bytes && entry.data[0] == name.data[0] && xylem_base__view_equal(entry, name)) {
            return true;
        }
    }
    return false;
}

bool xylem_policy__begins_one_of(const char *list, struct xylem_view text)
{
    struct xylem_view entry;
    while (xylem_policy__next_name(&entry, &list)) {
        if (xylem_base__view_begins(entry, text)) {
            return true;
        }
    }
    return false;
}

struct xylem_view xylem_policy__program_of(struct xylem_view name)
{
    if (name.bytes > 2 && name.data[0] == 'g') {
        struct xylem_view program = {name.data + 1, name.bytes - 1};
        return xylem_policy__spelt_in(xylem_policy__gnu_programs, program) ? program : name;
    }
    if (name.bytes > 4 && (name.data[0] == 'o' || name.data[0] == 'b') &&
        (xylem_base__view_is(name, "original-awk") || xylem_base__view_is(name, "bwk-awk"))) {
        return (struct xylem_view){name.data + name.bytes - 3, 3};
    }
    return name;
}

bool xylem_policy__names_hold(const struct xylem_policy__names *names, struct xylem_view name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (xylem_base__view_is(name, names->names[i])) {
            return true;
        }
    }
    return false;
}
