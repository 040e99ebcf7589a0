#include "judge/policy/engine/network.h"

#include "judge/policy/engine/raw_text.h"

/*
 * True if "tcp" or "udp" occurs anywhere in the word: ${x#...} and ${x%...} can trim both ends of a value to leave
 * /dev/tcp/.
 */
static bool holds_protocol(struct xylem_view word)
{
    return memmem(word.data, word.bytes, "tcp", 3) || memmem(word.data, word.bytes, "udp", 3);
}

static const struct xylem_policy__raw_search protocols = {holds_protocol, NULL};

bool xylem_policy__begins_unknown(const struct xylem_shell__word *target)
{
    const struct xylem_shell__part *first = target->literal || target->text.bytes > 0 ? NULL : target->parts;
    return first && first->type != XYLEM_SHELL__PART_PROCESS && first->type != XYLEM_SHELL__PART_TILDE;
}

bool xylem_policy__may_be_network(struct xylem_policy__judge *judge, const struct xylem_shell__word *target,
                                  size_t certain, unsigned search)
{
    static const char *const paths[] = {"/dev/tcp/", "/dev/udp/"};
    struct xylem_view text = target->text;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        bool begun = !target->literal && text.bytes >= certain;
        if (xylem_policy__view_begins(text, paths[i]) || (begun && xylem_policy__may_begin(text, paths[i]))) {
            return true;
        }
    }
    return xylem_policy__begins_unknown(target) && xylem_policy__raw_values_have(judge, search, &protocols, NULL);
}
