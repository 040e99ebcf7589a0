/* Matches a key of git's configuration with the list of keys that are data. */
#include <string.h>

#include "base/utf8.h"
#include "judge/policy/git/forms.h"
#include "judge/policy/git/tables.h"
#include "judge/policy/words/names.h"

/* git ignores case in sections and in names of keys. */
static bool same(const char *entry, const char *key, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (entry[i] != xylem_base__lower(key[i])) {
            return false;
        }
    }
    return true;
}

/* The entries: `section.name`, `section.*` (the whole section), `section.*.name` (in any subsection). */
static bool matches(const char *entry, size_t bytes, struct xylem_view key)
{
    const char *first = memchr(entry, '.', bytes);
    const char *last = memrchr(entry, '.', bytes);
    const char *key_first = memchr(key.data, '.', key.bytes);
    const char *key_last = memrchr(key.data, '.', key.bytes);
    size_t section = (size_t)(first - entry);
    size_t name = (size_t)(entry + bytes - last);
    if ((size_t)(key_first - key.data) != section || !same(entry, key.data, section)) {
        return false;
    }
    if (first == last && first[1] == '*') {
        return true;
    }
    return (first == last) == (key_first == key_last) && (size_t)(key.data + key.bytes - key_last) == name &&
           same(last, key_last, name);
}

bool xylem_policy__git_key_harmless(struct xylem_view key)
{
    if (!xylem_policy__view_has(key, '.')) {
        return false;
    }
    const char *keys = xylem_policy__git_harmless_keys;
    for (struct xylem_view entry; xylem_policy__next_name(&entry, &keys);) {
        if (matches(entry.data, entry.bytes, key)) {
            return true;
        }
    }
    return false;
}
