/* Keeps the state of a judgement for the rules, and refuses. */
#include "judge/policy/engine/verdict.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "judge/policy/engine/engine.h"
#include "judge/policy/words/words.h"

/* Words that may be a command are judged so often at most. Each guess may hold other guesses. */
#define GUESSES_MAX 16u

void xylem_policy__forget_grants(struct xylem_verdict *verdict)
{
    while (verdict->grant_count > 0) {
        xylem_buffer_release(&verdict->grants[--verdict->grant_count]);
    }
}

void xylem_policy__verdict_clear(struct xylem_verdict *verdict)
{
    for (size_t i = 0; i < verdict->judged_count; i++) {
        xylem_buffer_release(&verdict->judged[i].name);
    }
    for (size_t i = 0; i < verdict->git_directory_count; i++) {
        xylem_buffer_release(&verdict->git_directories[i]);
    }
    xylem_policy__forget_grants(verdict);
    xylem_base__buffer_clear(&verdict->reason);
    verdict->judged_count = 0;
    verdict->unlisted = false;
    verdict->git_directory_count = 0;
    verdict->git_directory_unknown = false;
    verdict->offset = 0;
    verdict->bytes = 0;
    verdict->decision = XYLEM_DENY;
    verdict->rule = "failed";
}

void xylem_verdict_release(struct xylem_verdict *verdict)
{
    if (!verdict) {
        return;
    }
    xylem_policy__verdict_clear(verdict);
    free(verdict->judged);
    free(verdict->git_directories);
    free(verdict->grants);
    xylem_buffer_release(&verdict->reason);
    *verdict = (struct xylem_verdict){0};
}

const struct xylem_policy *xylem_policy__of(const struct xylem_policy__judge *judge)
{
    return judge->policy;
}

bool xylem_policy__elsewhere(const struct xylem_policy__judge *judge)
{
    return judge->elsewhere;
}

struct xylem_shell__arena *xylem_policy__arena_of(struct xylem_policy__judge *judge)
{
    return &judge->arena;
}

const struct xylem_shell__word *const *xylem_policy__values(const struct xylem_policy__judge *judge, size_t *count)
{
    *count = judge->values.count;
    return judge->values.words;
}

size_t *xylem_policy__values_seen(struct xylem_policy__judge *judge, unsigned search)
{
    assert(search < XYLEM_POLICY__SEARCHES);
    return &judge->values.seen[search];
}

bool xylem_policy__value_set(const struct xylem_policy__judge *judge, struct xylem_shell__word *value)
{
    if (!judge->set.value) {
        return false;
    }
    *value = *judge->set.value;
    if (judge->set.behind_name) {
        (void)xylem_policy__view_behind(&value->text, value->text, '=');
    }
    return true;
}

bool xylem_policy__value_partial(const struct xylem_policy__judge *judge)
{
    return judge->set.partial;
}

bool xylem_policy__may_guess(struct xylem_policy__judge *judge)
{
    return judge->guess_count++ < GUESSES_MAX;
}

static bool lies_in(struct xylem_view inner, struct xylem_view outer)
{
    uintptr_t at = (uintptr_t)inner.data;
    uintptr_t begin = (uintptr_t)outer.data;
    return inner.data && outer.data && at >= begin && at <= begin + outer.bytes;
}

/* Finds the unescaped part of the frame's text whose copy holds `at`, by binary search; NULL: none. */
static const struct xylem_shell__text *unescaped_around(const struct xylem_policy__frame *frame, struct xylem_view at)
{
    size_t low = 0;
    size_t high = frame->unescaped_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xylem_shell__text *text = frame->unescaped[middle];
        if (lies_in(at, text->copy)) {
            return text;
        }
        if ((uintptr_t)at.data < (uintptr_t)text->copy.data) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/*
 * Finds the offset and the length of `at` in the command itself, frame by frame outwards. An unescaped copy counts as
 * the place of its source, and an inner text as the word around the text. 0 and 0 if `at` lies in no text.
 */
static void locate(const struct xylem_policy__judge *judge, struct xylem_view at, size_t *offset, size_t *bytes)
{
    const struct xylem_policy__frame *frame = judge->frame;
    assert(frame);
    *offset = 0;
    *bytes = 0;
    while (frame) {
        if (!lies_in(at, frame->text)) {
            const struct xylem_shell__text *text = unescaped_around(frame, at);
            at = text ? text->at : at;
            frame = text ? frame : frame->outer;
        } else if (frame->outer) {
            at = frame->at;
            frame = frame->outer;
        } else {
            *offset = (size_t)(at.data - frame->text.data);
            *bytes = at.bytes;
            return;
        }
    }
}

/* The decision of the taught rule that refuses now, else of the policy. */
static enum xylem_decision refusal_of(const struct xylem_policy__judge *judge)
{
    return judge->refusing ? judge->refusing->decision : judge->policy->rules->refusal;
}

void xylem_policy__refuse_record(struct xylem_policy__judge *judge, size_t record, const char *rule)
{
    assert(record > 0 && record <= judge->verdict->judged_count);
    struct xylem_judged *judged = &judge->verdict->judged[record - 1];
    if (judged->decision == XYLEM_ALLOW) {
        judged->decision = refusal_of(judge);
        judged->rule = rule;
    } else if (strcmp(judged->rule, rule) != 0) {
        judge->verdict->unlisted = true;
    }
}

bool xylem_policy__is_lifted(const struct xylem_policy__judge *judge)
{
    return judge->lifted.record > 0 && judge->lifted.record == judge->current;
}

/* Notes that only the taught rule lets the command pass. */
static void note_lifted(struct xylem_policy__judge *judge)
{
    struct xylem_judged *judged = &judge->verdict->judged[judge->current - 1];
    judged->rule = judged->decision == XYLEM_ALLOW ? "taught" : judged->rule;
    judge->allowed_by = judge->allowed_by ? judge->allowed_by : judge->lifted.rule->text;
}

bool xylem_policy__refuse(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *format,
                          ...)
{
    struct xylem_verdict *verdict = judge->verdict;
    enum xylem_decision decision = refusal_of(judge);
    struct xylem_error line;
    va_list arguments;
    if (xylem_policy__is_lifted(judge)) {
        note_lifted(judge);
        return false;
    }
    if (judge->current > 0) {
        xylem_policy__refuse_record(judge, judge->current, rule);
    } else {
        judge->refused_outside = rule;
        verdict->unlisted = true;
    }
    if (judge->refusal_count++ > 0 && decision >= verdict->decision) {
        return false;
    }
    verdict->decision = decision;
    verdict->rule = rule;
    locate(judge, at, &verdict->offset, &verdict->bytes);
    char text[XYLEM_ERROR_TEXT_BYTES];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    xylem_base__fail(&line, XYLEM_OK, "%s", text); /* escapes words of the command */
    xylem_base__buffer_clear(&verdict->reason);
    judge->failed |= xylem_base__buffer_add_text(&verdict->reason, line.text) < 0;
    return false;
}

bool xylem_policy__add_once(struct xylem_policy__judge *judge, struct xylem_buffer **list, size_t *count,
                            size_t *capacity, struct xylem_view text)
{
    for (size_t i = 0; i < *count; i++) {
        if (xylem_base__view_equal(xylem_base__buffer_view(&(*list)[i]), text)) {
            return true;
        }
    }
    struct xylem_buffer added = {0};
    void *moved = xylem_base__with_room(*list, capacity, *count, sizeof added);
    *list = moved ? moved : *list;
    if (!moved || xylem_buffer_add(&added, text.data, text.bytes) < 0) {
        judge->failed = true;
        return false;
    }
    (*list)[(*count)++] = added;
    return true;
}

bool xylem_policy__undecided(struct xylem_policy__judge *judge, struct xylem_view at, const char *rule, const char *why)
{
    bool passed = judge->policy->rules->undecided(judge, at, rule, why);
    judge->unread |= passed;
    return passed;
}

bool xylem_policy__add_record(struct xylem_policy__judge *judge, const struct xylem_policy__command *command)
{
    struct xylem_verdict *verdict = judge->verdict;
    void *moved = xylem_base__with_room(verdict->judged, &verdict->judged_capacity, verdict->judged_count,
                                        sizeof *verdict->judged);
    if (!moved) {
        judge->failed = true;
        return false;
    }
    verdict->judged = moved;
    struct xylem_judged *judged = &verdict->judged[verdict->judged_count];
    *judged = (struct xylem_judged){.decision = XYLEM_ALLOW, .rule = "allowed", .depth = judge->depth};
    locate(judge, command->raw, &judged->offset, &judged->bytes);
    if (command->name.bytes > 0 && xylem_buffer_add(&judged->name, command->name.data, command->name.bytes) < 0) {
        judge->failed = true;
        return false;
    }
    verdict->judged_count++;
    judge->current = verdict->judged_count;
    return true;
}
