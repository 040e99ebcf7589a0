#include "fleet/promotion.h"

#include <string.h>
#include <strings.h>

/* --- The list: the grammar of synchronous_standby_names in PostgreSQL ----------------------------------------------- */

enum token_type { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_ANY, TOKEN_FIRST, TOKEN_OTHER, TOKEN_WRONG };

struct token {
    enum token_type type;
    char text[FLEET_NODE_NAME_MAX]; /* of OTHER: the character */
};

static bool is_name(char character)
{
    return strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", character) ||
           (unsigned char)character >= 0x80;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Adds a character; false: the token is too long. */
static bool add(struct token *token, size_t *bytes, char character)
{
    token->text[*bytes] = character;
    (*bytes)++;
    return *bytes < sizeof token->text;
}

/* A name in quotes, in which two quotes are one. */
static const char *read_quoted(struct token *token, const char *at)
{
    size_t bytes = 0;
    token->type = TOKEN_NAME;
    for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        if (!add(token, &bytes, *at)) {
            token->type = TOKEN_WRONG;
            return at;
        }
    }
    if (!*at) {
        token->type = TOKEN_WRONG;
        return at;
    }
    return at + 1;
}

static const char *read_bare(struct token *token, const char *at)
{
    size_t bytes = 0;
    bool is_number = is_digit(*at);
    while (*at && (is_digit(*at) || (!is_number && (is_name(*at) || *at == '$')))) {
        if (!add(token, &bytes, *at)) {
            token->type = TOKEN_WRONG;
            return at;
        }
        at++;
    }
    token->type = is_number                               ? TOKEN_NUMBER
                  : strcasecmp(token->text, "any") == 0   ? TOKEN_ANY
                  : strcasecmp(token->text, "first") == 0 ? TOKEN_FIRST
                                                          : TOKEN_NAME;
    return at;
}

static const char *read_token(struct token *token, const char *at)
{
    at += strspn(at, " \t\n\r\f\v");
    memset(token, 0, sizeof *token);
    if (!*at) {
        token->type = TOKEN_END;
        return at;
    }
    if (*at == '"') {
        return read_quoted(token, at);
    }
    if (is_digit(*at) || is_name(*at)) {
        return read_bare(token, at);
    }
    token->type = *at == '*' ? TOKEN_NAME : strchr("(),", *at) ? TOKEN_OTHER : TOKEN_WRONG;
    token->text[0] = *at;
    return at + 1;
}

static bool is_other(const struct token *token, char character)
{
    return token->type == TOKEN_OTHER && token->text[0] == character;
}

/* The number of standbys; false beyond what a list can name, and for 0, which PostgreSQL refuses. */
static bool read_wanted(struct fleet_quorum *quorum, const char *digits)
{
    for (quorum->wanted = 0; *digits && quorum->wanted < 1000; digits++) {
        quorum->wanted = quorum->wanted * 10 + (unsigned)(*digits - '0');
    }
    return !*digits && quorum->wanted > 0;
}

static bool add_name(struct fleet_quorum *quorum, const struct token *token)
{
    if ((token->type != TOKEN_NAME && token->type != TOKEN_NUMBER) || quorum->name_count == FLEET_NODES_MAX) {
        return false;
    }
    quorum->star = quorum->star || strcmp(token->text, "*") == 0;
    memcpy(quorum->names[quorum->name_count], token->text, sizeof token->text);
    quorum->name_count++;
    return true;
}

/* Names up to `close`, or up to the end if `close` is 0; `token` is the first name. */
static bool read_names(struct fleet_quorum *quorum, struct token *token, const char *at, char close)
{
    while (add_name(quorum, token)) {
        at = read_token(token, at);
        if (close ? is_other(token, close) : token->type == TOKEN_END) {
            read_token(token, at);
            return token->type == TOKEN_END;
        }
        if (!is_other(token, ',')) {
            return false;
        }
        at = read_token(token, at);
    }
    return false;
}

bool fleet_quorum_parse(struct fleet_quorum *quorum, const char *text)
{
    struct token token;
    struct token behind;
    memset(quorum, 0, sizeof *quorum);
    if (!*text) {
        return true;
    }
    const char *at = read_token(&token, text);
    bool has_way = token.type == TOKEN_ANY || token.type == TOKEN_FIRST;
    quorum->any = token.type == TOKEN_ANY;
    at = has_way ? read_token(&token, at) : at;
    const char *in = read_token(&behind, at);
    if (token.type == TOKEN_NUMBER && is_other(&behind, '(')) {
        in = read_token(&behind, in);
        return read_wanted(quorum, token.text) && read_names(quorum, &behind, in, ')');
    }
    quorum->wanted = 1;
    return !has_way && read_names(quorum, &token, at, 0);
}

/* --- Promotion ---------------------------------------------------------------------------------------------------- */

/* As PostgreSQL compares names of standbys. */
static bool is_same(const char *left, const char *right)
{
    return strcasecmp(left, right) == 0;
}

/* How many names a list has, each once, without `but`; and whether `but` is among them. */
static size_t count_names(const struct fleet_quorum *quorum, const char *but, bool *has)
{
    size_t count = 0;
    *has = false;
    for (size_t i = 0; i < quorum->name_count; i++) {
        bool is_again = false;
        for (size_t j = 0; j < i; j++) {
            is_again = is_again || is_same(quorum->names[i], quorum->names[j]);
        }
        bool is_but = but && is_same(quorum->names[i], but);
        *has = *has || is_but;
        count += is_again || is_but ? 0 : 1;
    }
    return count;
}

static bool is_listed(const struct fleet_quorum *quorum, const char *name)
{
    bool has;
    count_names(quorum, name, &has);
    return has;
}

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
        if (nodes[i].role == nodes[at].role && is_same(nodes[i].name, nodes[at].name)) {
            return true;
        }
    }
    return false;
}

/* The standbys that the primary had, at most. Who the primary was may be unknown; a list of all nodes names it too. */
static size_t count_standbys(const struct fleet_node *nodes, size_t count, const struct fleet_quorum *quorum)
{
    bool has;
    size_t named = count_names(quorum, NULL, &has);
    bool names_all = named >= count;
    for (size_t i = 0; i < count; i++) {
        names_all = names_all && (!nodes[i].name[0] || is_listed(quorum, nodes[i].name));
    }
    return names_all ? named - 1 : named;
}

static bool is_dead(const struct fleet_node *node, const char *force_dead)
{
    return force_dead && is_same(node->name, force_dead);
}

/* The node that a person should bring back first: one that does not answer, and is not known to be the dead primary. */
static size_t first_unseen(const struct fleet_node *nodes, size_t count, const struct fleet_quorum *quorum,
                           uint64_t timeline, const char *force_dead)
{
    size_t found = count;
    for (size_t i = count; i-- > 0;) {
        bool is_missing = nodes[i].role == FLEET_NODE_UNREACHABLE && !is_dead(&nodes[i], force_dead);
        bool is_older = !is_seen(&nodes[i], quorum, timeline) && !is_dead(&nodes[i], force_dead);
        if (is_missing || (is_older && (found == count || nodes[found].role != FLEET_NODE_UNREACHABLE))) {
            found = i;
        }
    }
    return found;
}

/* A primary of the highest timeline that answers, and that nobody declared dead; count: none. */
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
