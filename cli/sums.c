/*
 * Sums tokens and cost, or bytes, over entries. Hosts copy a conversation into each fork; in the store a shared entry
 * is one entry, and belongs to one session:
 *
 *     A   1--2--3--4        A: 1 2 3 4
 *               |
 *     B         +--5--6     B: 5 6, the entries behind its base
 *
 * An entry behind the base of its session was appended behind the base: its lsn is greater.
 *
 * A host may write a copy with another parent, as pi does behind an entry that a fork leaves out. The copy has a
 * history of its own, so the store cannot share it. The bytes are there twice, but nobody paid twice.
 */
#include "base/buffer.h"
#include "cli/sums.h"
#include "cli/show/entries.h"
#include "xylem/branch.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* --- Parts -------------------------------------------------------------------------------------------------------- */

static void release_part(struct xylem_cli__part *part)
{
    xylem_buffer_release(&part->word);
    xylem_buffer_release(&part->tool);
}

/* Finds the part, or adds it. NULL: no memory. */
static struct xylem_cli__part *part_of(struct xylem_cli *cli, struct xylem_cli__sums *sums, uint64_t number,
                                       struct xylem_view word, struct xylem_view tool)
{
    for (size_t i = 0; i <= sums->count; i++) {
        size_t at = i == 0 ? sums->last : i - 1;
        const struct xylem_cli__part *part = at < sums->count ? &sums->list[at] : NULL;
        if (part && part->number == number && xylem_base__view_equal(xylem_base__buffer_view(&part->word), word) &&
            xylem_base__view_equal(xylem_base__buffer_view(&part->tool), tool)) {
            sums->last = at;
            return &sums->list[at];
        }
    }
    struct xylem_cli__part part = {.number = number, .newest_ms = INT64_MIN, .order = sums->count};
    if (xylem_buffer_add(&part.word, word.data, word.bytes) < 0 ||
        xylem_buffer_add(&part.tool, tool.data, tool.bytes) < 0 ||
        xylem_cli__list_add(cli, &sums->list, &sums->count, &sums->capacity, &part, sizeof part) < 0) {
        release_part(&part);
        return NULL;
    }
    sums->last = sums->count - 1;
    return &sums->list[sums->last];
}

static void add_count(uint64_t *sum, uint64_t count)
{
    *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
}

static void add_sum(struct xylem_cli__sum *sum, const struct xylem_cli__sum *one)
{
    add_count(&sum->entry_count, one->entry_count);
    add_count(&sum->input, one->input);
    add_count(&sum->output, one->output);
    add_count(&sum->cache_read, one->cache_read);
    add_count(&sum->cache_write, one->cache_write);
    add_count(&sum->bytes, one->bytes);
    add_count(&sum->image_bytes, one->image_bytes);
    sum->cost = one->cost > DBL_MAX - sum->cost ? DBL_MAX : sum->cost + one->cost;
}

/* --- An entry ----------------------------------------------------------------------------------------------------- */

/* A number below 0 is no count of tokens. */
static uint64_t tokens_of(const struct xylem_value *usage, const char *key)
{
    int64_t number = 0;
    return xylem_value_integer(&number, xylem_value_get(usage, key)) && number > 0 ? (uint64_t)number : 0;
}

/* The object with the member `usage`: a message, or an entry of another kind; NULL: none. */
static const struct xylem_value *speaker_of(const struct xylem_cli__said *said)
{
    const struct xylem_value *speaker = said->message ? said->message : said->value;
    return xylem_value_type(xylem_value_get(speaker, "usage")) == XYLEM_VALUE_MAP ? speaker : NULL;
}

/* Appends `provider/model`; nothing for a tool or a summary that names no model. */
static void add_model(struct xylem_cli__text *text, const struct xylem_value *speaker)
{
    struct xylem_view provider = xylem_cli__string_of(speaker, "provider");
    struct xylem_view model = xylem_cli__string_of(speaker, "responseModel");
    model = model.bytes > 0 ? model : xylem_cli__string_of(speaker, "model");
    if (model.bytes > 0) {
        xylem_cli__add_bytes(text, provider.data, provider.bytes);
        xylem_cli__add(text, provider.bytes > 0 ? "/" : "");
        xylem_cli__add_bytes(text, model.data, model.bytes);
    }
}

/* The bytes of the images in the parts of a message. */
static uint64_t image_bytes_of(const struct xylem_cli__said *said)
{
    const struct xylem_value *content = xylem_value_get(said->message ? said->message : said->value, "content");
    uint64_t bytes = 0;
    bool is_list = xylem_value_type(content) == XYLEM_VALUE_ARRAY;
    for (const struct xylem_value *part = is_list ? xylem_value_first(content) : NULL; part;
         part = xylem_value_next(content, part)) {
        bytes += xylem_base__view_is(xylem_cli__string_of(part, "type"), "image")
                     ? xylem_cli__string_of(part, "data").bytes
                     : 0;
    }
    return bytes;
}

/* Adds the entry to the part of its day, model, and so on. */
static int add_entry(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *owner,
                     const struct xylem_entry *entry, const struct xylem_cli__said *said,
                     const struct xylem_cli__sum *sum)
{
    struct xylem_cli__text text = {0};
    struct xylem_view tool = {NULL, 0};
    uint64_t number = 0;
    if (sums->by == XYLEM_CLI__SUMS_DAY) {
        xylem_cli__add_time(&text, entry->time_ms);
        const char *space = text.failed ? NULL : strchr(text.bytes.data, ' ');
        xylem_cli__text_cut(&text, space ? (size_t)(space - text.bytes.data) : text.bytes.bytes);
    } else if (sums->by == XYLEM_CLI__SUMS_MODEL) {
        add_model(&text, speaker_of(said));
    } else if (sums->by == XYLEM_CLI__SUMS_DIRECTORY) {
        xylem_cli__add_bytes(&text, owner->cwd.data, owner->cwd.bytes);
    } else if (sums->by == XYLEM_CLI__SUMS_SESSION) {
        number = owner->number;
    } else if (sums->by == XYLEM_CLI__SUMS_BRANCH) {
        number = entry->position.branch;
    } else {
        xylem_cli__add_bytes(&text, said->role.data, said->role.bytes);
        text.failed = text.failed || (!said->message && xylem_kind_text(&text.bytes, entry->kind) < 0);
        tool = xylem_base__view_is(said->role, "toolResult") ? said->subject : tool;
    }
    struct xylem_cli__part *part = text.failed ? NULL : part_of(cli, sums, number, xylem_cli__text_view(&text), tool);
    xylem_cli__text_release(&text);
    if (!part) {
        return xylem_cli__fail_memory(cli);
    }
    part->newest = entry->position;
    part->newest_ms = entry->time_ms > part->newest_ms ? entry->time_ms : part->newest_ms;
    if (!sums->usage) {
        add_sum(&part->sum, sum);
        add_sum(&sums->total, sum);
        return 0;
    }
    struct xylem_cli__bill bill = {
        .id = entry->id, .time_ms = entry->time_ms, .sum = *sum, .part = sums->last, .order = sums->bill_count};
    return xylem_cli__list_add(cli, &sums->bills, &sums->bill_count, &sums->bill_capacity, &bill, sizeof bill);
}

/* 1 if the payload has the text, else 0: most payloads need no look at their values. */
static int has_text(struct xylem_cli *cli, const struct xylem_entry *entry, const char *text)
{
    struct xylem_view payload;
    int code = xylem_entry_payload(&payload, entry, &cli->err);
    bool is_gone = code == XYLEM_E_REDACTED || (code == 0 && payload.bytes == 0);
    return code < 0 && !is_gone ? code : !is_gone && memmem(payload.data, payload.bytes, text, strlen(text)) != NULL;
}

int xylem_cli__sums_add(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *owner,
                        const struct xylem_entry *entry)
{
    struct xylem_cli__said said = {0};
    struct xylem_cli__sum sum = {.entry_count = 1, .bytes = (uint64_t)entry->payload_bytes + entry->line_bytes};
    int found = has_text(cli, entry, sums->usage ? "usage" : "image");
    int code = found;
    if (found == 1 || (found == 0 && sums->by == XYLEM_CLI__SUMS_TOOL)) {
        code = xylem_cli__said_read_beginning(cli, &said, entry);
    }
    if (sums->usage && speaker_of(&said)) {
        const struct xylem_value *usage = xylem_value_get(speaker_of(&said), "usage");
        double cost = 0;
        bool given = xylem_value_number(&cost, xylem_value_get(xylem_value_get(usage, "cost"), "total"));
        sum.input = tokens_of(usage, "input");
        sum.output = tokens_of(usage, "output");
        sum.cache_read = tokens_of(usage, "cacheRead");
        sum.cache_write = tokens_of(usage, "cacheWrite");
        sum.cost = given && cost > 0 && cost <= DBL_MAX ? cost : 0;
    } else if (!sums->usage && found == 1) {
        sum.image_bytes = image_bytes_of(&said);
    }
    if (code == 0 && (!sums->usage || speaker_of(&said))) {
        code = add_entry(cli, sums, owner, entry, &said, &sum);
    }
    xylem_cli__said_release(&said);
    return code;
}

/* --- All entries -------------------------------------------------------------------------------------------------- */

int xylem_cli__sums_pardon(struct xylem_cli *cli, struct xylem_cli__sums *sums, int code)
{
    if (code != XYLEM_E_CORRUPT) {
        return code;
    }
    if (sums->unreadable++ == 0) {
        xylem_cli__note(cli, "%s", cli->err.text);
    }
    return 0;
}

/* Adds the entries of the session with a greater lsn. */
static int read_session(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session,
                        uint64_t lsn)
{
    struct xylem_scan *scan = NULL;
    struct xylem_entry entry;
    int code = xylem_scan_after(&scan, cli->txn, session->number, lsn, &cli->err);
    while (code == 0 && (code = xylem_scan_next(&entry, scan, &cli->err)) == 1) {
        bool fits = entry.time_ms >= sums->since_ms && entry.time_ms <= sums->until_ms;
        code = fits ? xylem_cli__sums_pardon(cli, sums, xylem_cli__sums_add(cli, sums, session, &entry)) : 0;
    }
    xylem_scan_free(scan);
    return xylem_cli__sums_pardon(cli, sums, code);
}

static int read_own(struct xylem_cli *cli, void *context, const struct xylem_session *session)
{
    struct xylem_cli__sums *sums = context;
    struct xylem_entry base = {.lsn = 0};
    int code = session->own_entry_count == 0 || xylem_cli__position_none(session->base)
                   ? 0
                   : xylem_cli__entry_read(cli, &base, session->base);
    if (code != 0 || session->own_entry_count == 0) {
        return xylem_cli__sums_pardon(cli, sums, code);
    }
    return read_session(cli, sums, session, base.lsn);
}

static int compare_counts(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* 0 for copies of one entry. */
static int compare_copies(const struct xylem_cli__bill *left, const struct xylem_cli__bill *right)
{
    int order = xylem_base__view_order(left->id, right->id);
    order = order != 0 ? order : (left->time_ms > right->time_ms) - (left->time_ms < right->time_ms);
    order = order != 0 ? order : (left->sum.cost > right->sum.cost) - (left->sum.cost < right->sum.cost);
    order = order != 0 ? order : compare_counts(left->sum.input, right->sum.input);
    order = order != 0 ? order : compare_counts(left->sum.output, right->sum.output);
    order = order != 0 ? order : compare_counts(left->sum.cache_read, right->sum.cache_read);
    return order != 0 ? order : compare_counts(left->sum.cache_write, right->sum.cache_write);
}

static int compare_bills(const void *a, const void *b)
{
    const struct xylem_cli__bill *left = a;
    const struct xylem_cli__bill *right = b;
    int order = compare_copies(left, right);
    return order != 0 ? order : compare_counts(left->order, right->order);
}

/* The newest first. */
static int compare_days(const void *a, const void *b)
{
    const struct xylem_cli__part *left = a;
    const struct xylem_cli__part *right = b;
    return (left->newest_ms < right->newest_ms) - (left->newest_ms > right->newest_ms);
}

/* The greatest sum first. */
static int compare_parts(const void *a, const void *b)
{
    const struct xylem_cli__part *left = a;
    const struct xylem_cli__part *right = b;
    if (left->sum.cost != right->sum.cost) {
        return left->sum.cost < right->sum.cost ? 1 : -1;
    }
    int order = compare_counts(right->sum.input, left->sum.input);
    order = order != 0 ? order : compare_counts(right->sum.bytes, left->sum.bytes);
    return order != 0 ? order : compare_counts(left->order, right->order);
}

void xylem_cli__sums_end(struct xylem_cli__sums *sums)
{
    size_t kept = 0;
    if (sums->bill_count > 0) {
        qsort(sums->bills, sums->bill_count, sizeof *sums->bills, compare_bills);
    }
    /* Adds each bill to the sum of its part, and of copies the first; drops parts that have only copies. */
    for (size_t i = 0; i < sums->bill_count; i++) {
        const struct xylem_cli__bill *bill = &sums->bills[i];
        if (i == 0 || compare_copies(bill - 1, bill) != 0) {
            add_sum(&sums->list[bill->part].sum, &bill->sum);
            add_sum(&sums->total, &bill->sum);
        }
    }
    for (size_t i = 0; i < sums->count; i++) {
        if (sums->list[i].sum.entry_count > 0) {
            sums->list[kept++] = sums->list[i];
        } else {
            release_part(&sums->list[i]);
        }
    }
    sums->count = kept;
    if (sums->count > 0) {
        qsort(sums->list, sums->count, sizeof *sums->list,
              sums->by == XYLEM_CLI__SUMS_DAY ? compare_days : compare_parts);
    }
}

int xylem_cli__sums_read(struct xylem_cli *cli, struct xylem_cli__sums *sums, const struct xylem_session *session)
{
    int code = session ? read_session(cli, sums, session, 0) : xylem_cli__each_session_of_store(cli, read_own, sums);
    xylem_cli__sums_end(sums);
    return code;
}

void xylem_cli__sums_release(struct xylem_cli__sums *sums)
{
    for (size_t i = 0; i < sums->count; i++) {
        release_part(&sums->list[i]);
    }
    free(sums->list);
    free(sums->bills);
    sums->list = NULL;
    sums->bills = NULL;
    sums->count = 0;
}
