#include "fleet/promotion.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/value.h"

/* --- The list: the grammar of synchronous_standby_names in PostgreSQL ----------------------------------------------- */

static bool is_of_word(char character)
{
    static const char ascii[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$" XYLEM_BASE__DIGITS;
    return (character && strchr(ascii, character)) || (unsigned char)character >= 0x80;
}

enum token {
    TOKEN_END = 0,
    TOKEN_NAME = 'n',
    TOKEN_NUMBER = '1',
    TOKEN_ANY = 'a',
    TOKEN_FIRST = 'f',
    TOKEN_WRONG = '?'
};

static enum token type_of(const char *word)
{
    if (!strchr("$" XYLEM_BASE__DIGITS, *word)) {
        return strcasecmp(word, "any") == 0 ? TOKEN_ANY : strcasecmp(word, "first") == 0 ? TOKEN_FIRST : TOKEN_NAME;
    }
    return word[strspn(word, XYLEM_BASE__DIGITS)] ? TOKEN_WRONG : TOKEN_NUMBER;
}

/* Reads one token: a word, a name in quotes (two quotes stand for one quote), or a single character. */
static enum token read_token(const char **text, char word[FLEET_NODE_NAME_MAX])
{
    const char *at = *text + strspn(*text, " \t\n\r\f\v");
    bool is_quoted = *at == '"';
    size_t bytes = 0;
    at += is_quoted;
    while (is_quoted ? *at && (*at != '"' || at[1] == '"') : is_of_word(*at)) {
        at += is_quoted && *at == '"';
        if (bytes == FLEET_NODE_NAME_MAX - 1) {
            return TOKEN_WRONG;
        }
        word[bytes++] = *at++;
    }
    word[bytes] = '\0';
    *text = at;
    if (bytes > 0 && !is_quoted) {
        return type_of(word);
    }
    *text += *at ? 1 : 0;
    if (*at == '*') {
        memcpy(word, "*", 2);
    }
    return *at == '*' || *at == '"' ? TOKEN_NAME : is_quoted ? TOKEN_WRONG : (enum token) * at;
}

static bool is_listed(const struct fleet_quorum *quorum, const char *name)
{
    size_t at = 0;
    while (at < quorum->name_count && strcasecmp(quorum->names[at], name) != 0) {
        at++;
    }
    return at < quorum->name_count;
}

/* Reads names up to `close`. The text must end behind `close`. `token` and `word` have the first name. */
static bool read_names(struct fleet_quorum *quorum, enum token token, char *word, const char *text, enum token close)
{
    for (unsigned count = 0; count < FLEET_NODES_MAX && (token == TOKEN_NAME || token == TOKEN_NUMBER); count++) {
        quorum->star = quorum->star || strcmp(word, "*") == 0;
        memcpy(quorum->names[quorum->name_count], word, FLEET_NODE_NAME_MAX);
        quorum->name_count += is_listed(quorum, word) ? 0 : 1;
        token = read_token(&text, word);
        if (token == close) {
            return close == TOKEN_END || read_token(&text, word) == TOKEN_END;
        }
        token = token == (enum token)',' ? read_token(&text, word) : TOKEN_WRONG;
    }
    return false;
}

bool fleet_quorum_parse(struct fleet_quorum *quorum, const char *text)
{
    char first[FLEET_NODE_NAME_MAX];
    char word[FLEET_NODE_NAME_MAX];
    memset(quorum, 0, sizeof *quorum);
    if (!*text) {
        return true;
    }
    enum token token = read_token(&text, first);
    bool has_way = token == TOKEN_ANY || token == TOKEN_FIRST;
    token = has_way ? read_token(&text, first) : token;
    const char *behind = text;
    if (token == TOKEN_NUMBER && read_token(&behind, word) == (enum token)'(') {
        unsigned long wanted = strtoul(first, NULL, 10);
        quorum->wanted = wanted < 1000 ? (unsigned)wanted : 0; /* a list cannot name so many standbys */
        token = read_token(&behind, word);
        return quorum->wanted > 0 && read_names(quorum, token, word, behind, (enum token)')');
    }
    quorum->wanted = 1;
    return !has_way && read_names(quorum, token, first, text, TOKEN_END);
}

/* --- Promotion ---------------------------------------------------------------------------------------------------- */

static uint64_t highest_timeline(const struct fleet_node *nodes, size_t count)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].role != FLEET_NODE_UNREACHABLE && nodes[i].timeline > highest) {
            highest = nodes[i].timeline;
        }
    }
    return highest;
}

static bool is_seen(const struct fleet_node *node, const struct fleet_quorum *quorum, uint64_t timeline)
{
    return node->role == FLEET_NODE_STANDBY && node->timeline == timeline && is_listed(quorum, node->name);
}

/* A URL may name a node twice. */
static bool is_again(const struct fleet_node *nodes, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (nodes[i].role == nodes[at].role && strcasecmp(nodes[i].name, nodes[at].name) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * The primary had at most so many standbys. A list that names all nodes also names the primary, even if nobody knows which
 * node was the primary.
 */
static size_t count_standbys(const struct fleet_node *nodes, size_t count, const struct fleet_quorum *quorum)
{
    bool names_all = quorum->name_count >= count;
    for (size_t i = 0; i < count; i++) {
        names_all = names_all && (!nodes[i].name[0] || is_listed(quorum, nodes[i].name));
    }
    return names_all ? quorum->name_count - 1 : quorum->name_count;
}

static bool is_dead(const struct fleet_node *node, const char *force_dead)
{
    return force_dead && strcasecmp(node->name, force_dead) == 0;
}

/*
 * The node to bring back first: an unreachable node, else a node that is not seen. Never the node that a person declared
 * dead. `count`: no such node.
 */
static size_t first_unseen(const struct fleet_node *nodes, size_t count, const struct fleet_quorum *quorum,
                           uint64_t timeline, const char *force_dead)
{
    size_t older = count;
    for (size_t i = 0; i < count; i++) {
        if (is_dead(&nodes[i], force_dead)) {
            continue;
        }
        if (nodes[i].role == FLEET_NODE_UNREACHABLE) {
            return i;
        }
        older = older == count && !is_seen(&nodes[i], quorum, timeline) ? i : older;
    }
    return older;
}

/* A primary of the highest timeline. A primary that a person declared dead does not count. `count`: no such primary. */
static size_t living_primary(const struct fleet_node *nodes, size_t count, uint64_t timeline, const char *force_dead)
{
    size_t at = 0;
    while (at < count && (nodes[at].role != FLEET_NODE_PRIMARY || nodes[at].timeline != timeline ||
                          is_dead(&nodes[at], force_dead))) {
        at++;
    }
    return at;
}

enum fleet_promotion fleet_promotion_choose(size_t *chosen, const struct fleet_node *nodes, size_t count,
                                            const struct fleet_quorum *quorum, const char *force_dead)
{
    uint64_t timeline = highest_timeline(nodes, count);
    size_t standby_count = count_standbys(nodes, count, quorum);
    size_t farthest = count;
    size_t receiving = count;
    size_t replaying = count;
    size_t seen = 0;
    *chosen = count;
    if (quorum->wanted == 0 || quorum->star) {
        return FLEET_PROMOTE_NO_QUORUM;
    }
    if ((*chosen = living_primary(nodes, count, timeline, force_dead)) < count) {
        return FLEET_PROMOTE_PRIMARY_LIVES;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_seen(&nodes[i], quorum, timeline) || is_dead(&nodes[i], force_dead)) {
            continue;
        }
        seen += is_again(nodes, i) ? 0 : 1;
        receiving = receiving == count && !nodes[i].cut_off ? i : receiving;
        replaying = replaying == count && !nodes[i].still ? i : replaying;
        farthest = farthest == count || nodes[i].place > nodes[farthest].place ? i : farthest;
    }
    if (seen == 0 || seen + quorum->wanted < standby_count + 1) { /* seen < n - k + 1 */
        *chosen = first_unseen(nodes, count, quorum, timeline, force_dead);
        return FLEET_PROMOTE_TOO_FEW;
    }
    *chosen = receiving < count ? receiving : replaying < count ? replaying : farthest;
    return receiving < count ? FLEET_PROMOTE_CUT_FIRST : replaying < count ? FLEET_PROMOTE_WAIT : FLEET_PROMOTE;
}
