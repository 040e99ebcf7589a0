/*
 * A caller that was compiled against headers with another XYLEM_ABI is refused before a struct of the caller is
 * touched.
 */

#include <stdio.h>
#include <string.h>

#include "xylem/care.h"
#include "xylem/inspect.h"
#include "xylem/policy.h"
#include "xylem.h"
#include "tests/lib/test.h"

/* A path that nothing has, and the bytes of structs that the library must not look at. */
#define NOWHERE "/nowhere/xylem"
static unsigned char caller[4096];

static const uint32_t others[] = {0, XYLEM_ABI + 1, UINT32_MAX};
#define OTHER_COUNT (sizeof others / sizeof others[0])

static void fill(void)
{
    memset(caller, 0xa5, sizeof caller);
}

static void assert_untouched(void)
{
    for (size_t i = 0; i < sizeof caller; i++) {
        assert_int_equal(caller[i], 0xa5);
    }
}

static int call_open(uint32_t abi, struct xylem_error *err)
{
    return xylem_open_abi(abi, (void *)caller, NOWHERE, (const void *)caller, err);
}

static int call_policy_new(uint32_t abi, struct xylem_error *err)
{
    return xylem_policy_new_abi(abi, (void *)caller, (const void *)caller, err);
}

static int call_policy_new_json(uint32_t abi, struct xylem_error *err)
{
    return xylem_policy_new_json_abi(abi, (void *)caller, XYLEM_POLICY_STRICT, xylem_view_of(""), err);
}

static int call_compact(uint32_t abi, struct xylem_error *err)
{
    return xylem_compact_abi(abi, (void *)caller, NOWHERE, (const void *)caller, err);
}

static int call_repair(uint32_t abi, struct xylem_error *err)
{
    return xylem_repair_abi(abi, (void *)caller, NOWHERE, NOWHERE, (const void *)caller, NULL, NULL, err);
}

static int (*const calls[])(uint32_t abi, struct xylem_error *err) = {call_open, call_policy_new, call_policy_new_json,
                                                                      call_compact, call_repair};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

TEST(another_number_is_refused_and_the_error_names_both_numbers_and_the_cure)
{
    fill();
    for (size_t i = 0; i < CALL_COUNT; i++) {
        for (size_t j = 0; j < OTHER_COUNT; j++) {
            char theirs[64];
            char ours[64];
            struct xylem_error err = {0, ""};
            snprintf(theirs, sizeof theirs, "the caller has binary interface %u,", (unsigned)others[j]);
            snprintf(ours, sizeof ours, "libxylem %s has %d:", xylem_version(), XYLEM_ABI);
            assert_int_equal(calls[i](others[j], &err), XYLEM_E_ARGUMENT);
            assert_int_equal(err.code, XYLEM_E_ARGUMENT);
            assert_non_null(strstr(err.text, theirs));
            assert_non_null(strstr(err.text, ours));
            assert_non_null(strstr(err.text, "compile the caller with the headers of the installed library"));
            assert_true(strlen(err.text) < 256);
            assert_int_equal(calls[i](others[j], NULL), XYLEM_E_ARGUMENT);
        }
    }
    assert_untouched();
}

TEST(the_refusal_writes_256_bytes_of_an_error_at_most)
{
    struct xylem_error err;
    for (size_t i = 0; i < CALL_COUNT; i++) {
        memset(&err, 0x5a, sizeof err);
        assert_int_equal(calls[i](UINT32_MAX, &err), XYLEM_E_ARGUMENT);
        for (size_t at = 256; at < sizeof err.text; at++) {
            assert_int_equal(err.text[at], 0x5a);
        }
    }
}

TEST(the_number_of_the_header_is_taken)
{
    struct xylem_policy *policy = NULL;
    struct xylem_error err;
    assert_int_equal(xylem_policy_new_abi(XYLEM_ABI, &policy, NULL, &err), 0);
    xylem_policy_free(policy);
    assert_int_equal(xylem_policy_new(&policy, NULL, &err), 0);
    xylem_policy_free(policy);
}
