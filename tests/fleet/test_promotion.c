/* Who may be promoted, and what a list of standbys says. */
#include <string.h>

#include "fleet/promotion.h"
#include "tests/lib/test.h"

static struct fleet_quorum quorum;
static struct fleet_node nodes[5];
static size_t chosen;

static struct fleet_node node(const char *name, enum fleet_node_role role, uint64_t timeline, uint64_t place)
{
    struct fleet_node made = {.role = role, .timeline = timeline, .place = place, .cut_off = true, .still = true};
    strcpy(made.name, name);
    return made;
}

/* The primary n1 is gone, n3 is ahead of n2. */
static void lose_primary(const char *list)
{
    assert_true(fleet_quorum_parse(&quorum, list));
    nodes[0] = node("n1", FLEET_NODE_UNREACHABLE, 0, 0);
    nodes[1] = node("n2", FLEET_NODE_STANDBY, 4, 100);
    nodes[2] = node("n3", FLEET_NODE_STANDBY, 4, 120);
}

static void expect(enum fleet_promotion found, size_t at)
{
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, NULL), found);
    assert_int_equal(chosen, at);
}

static void parse(const char *text, unsigned wanted, size_t names)
{
    assert_true(fleet_quorum_parse(&quorum, text));
    assert_int_equal(quorum.wanted, wanted);
    assert_int_equal(quorum.name_count, names);
}

TEST(lists_are_read_as_postgresql_reads_them)
{
    parse("", 0, 0);
    parse("ANY 1 (n1,n2,n3)", 1, 3);
    parse("any 2(n1 , n2)", 2, 2);
    parse("FIRST 1 (n2)", 1, 1);
    parse("2 (a,b,c)", 2, 3);
    parse(" a, b", 1, 2);
    parse("1", 1, 1);
    parse("7, b", 1, 2);
    parse("\"any\",\"a \"\"b\"\"\"", 1, 2);
    assert_string_equal(quorum.names[0], "any");
    assert_string_equal(quorum.names[1], "a \"b\"");
    assert_false(quorum.star);
    parse("*", 1, 1);
    assert_true(quorum.star);
    parse("ANY 1 (n1, \"*\")", 1, 2);
    assert_true(quorum.star);
}

TEST(lists_that_postgresql_refuses_are_refused)
{
    static const char *const wrong[] = {"ANY 1 n1", "ANY (n1)",    "ANY 0 (n1)",    "0 (n1)",      "ANY 1 (n1",
                                        "ANY 1 ()", "ANY 1 (n1,)", "n1 n2",         "n1,",         ",",
                                        "(n1)",     "\"n1",        "ANY 1 (n1) n2", "a;b",         " ",
                                        "any",      "FIRST",       "a-b",           "ANY -1 (n1)", "ANY 1 (any)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (fleet_quorum_parse(&quorum, wrong[i])) {
            fail_msg("taken: %s", wrong[i]);
        }
    }
    char many[300] = "ANY 1 (";
    for (unsigned i = 0; i < FLEET_NODES_MAX + 1; i++) {
        strcat(many, i > 0 ? ",n" : "n");
    }
    strcat(many, ")");
    assert_false(fleet_quorum_parse(&quorum, many));
    char longer[200] = "";
    memset(longer, 'n', FLEET_NODE_NAME_MAX);
    assert_false(fleet_quorum_parse(&quorum, longer));
    longer[FLEET_NODE_NAME_MAX - 1] = '\0';
    assert_true(fleet_quorum_parse(&quorum, longer));
    memset(longer, '9', 100);
    assert_false(fleet_quorum_parse(&quorum, longer));
}

TEST(the_farther_of_both_standbys_is_promoted)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    expect(FLEET_PROMOTE, 2);
    nodes[1].place = 121;
    expect(FLEET_PROMOTE, 1);
}

TEST(a_standby_that_cannot_be_reached_is_named)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[1].role = FLEET_NODE_UNREACHABLE;
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, "n1"), FLEET_PROMOTE_TOO_FEW);
    assert_int_equal(chosen, 1);
}

TEST(one_standby_is_enough_where_all_of_them_acknowledge)
{
    lose_primary("ANY 2 (n1,n2,n3)");
    nodes[1].role = FLEET_NODE_UNREACHABLE;
    expect(FLEET_PROMOTE, 2);
}

TEST(standbys_are_cut_off_before_their_places_are_compared)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[1].cut_off = nodes[2].cut_off = false;
    expect(FLEET_PROMOTE_CUT_FIRST, 1);
    nodes[1].cut_off = true;
    expect(FLEET_PROMOTE_CUT_FIRST, 2);
    nodes[2].cut_off = true;
    nodes[1].still = false;
    expect(FLEET_PROMOTE_WAIT, 1);
}

TEST(nothing_is_cut_off_before_it_is_known_that_enough_are_there)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[1].role = FLEET_NODE_UNREACHABLE;
    nodes[2].cut_off = false;
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, NULL), FLEET_PROMOTE_TOO_FEW);
}

TEST(a_standby_of_an_older_timeline_is_not_seen)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[2].timeline = 3;
    nodes[2].place = 1000;
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, "n1"), FLEET_PROMOTE_TOO_FEW);
    assert_int_equal(chosen, 2);
}

TEST(a_primary_of_the_highest_timeline_lives_unless_a_person_declares_it_dead)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[0] = node("n1", FLEET_NODE_PRIMARY, 4, 130);
    expect(FLEET_PROMOTE_PRIMARY_LIVES, 0);
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, "N1"), FLEET_PROMOTE);
    assert_int_equal(chosen, 2);
    nodes[0].timeline = 3; /* an old primary that came back */
    expect(FLEET_PROMOTE, 2);
}

TEST(a_list_without_the_primary_has_as_many_standbys_as_names)
{
    lose_primary("FIRST 1 (n2,n3)");
    expect(FLEET_PROMOTE, 2);
    nodes[1].role = FLEET_NODE_UNREACHABLE;
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, NULL), FLEET_PROMOTE_TOO_FEW);
}

TEST(a_standby_that_the_list_does_not_name_is_not_seen)
{
    lose_primary("ANY 1 (n1,n2,n4)");
    expect(FLEET_PROMOTE_TOO_FEW, 0);
    lose_primary("ANY 2 (n1,n2)");
    expect(FLEET_PROMOTE, 1);
}

TEST(a_node_that_a_url_names_twice_counts_once)
{
    lose_primary("ANY 1 (n1,n2,n3)");
    nodes[1] = nodes[2];
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, "n1"), FLEET_PROMOTE_TOO_FEW);
}

TEST(a_list_that_acknowledges_without_a_standby_chooses_nobody)
{
    lose_primary("");
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, NULL), FLEET_PROMOTE_NO_QUORUM);
    lose_primary("ANY 1 (*)");
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 3, &quorum, NULL), FLEET_PROMOTE_NO_QUORUM);
}

TEST(five_nodes_of_which_two_acknowledge_need_three)
{
    assert_true(fleet_quorum_parse(&quorum, "ANY 2 (n1,n2,n3,n4,n5)"));
    nodes[0] = node("n1", FLEET_NODE_UNREACHABLE, 0, 0);
    nodes[1] = node("n2", FLEET_NODE_STANDBY, 4, 100);
    nodes[2] = node("n3", FLEET_NODE_STANDBY, 4, 120);
    nodes[3] = node("n4", FLEET_NODE_STANDBY, 4, 110);
    nodes[4] = node("n5", FLEET_NODE_UNREACHABLE, 0, 0);
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 5, &quorum, NULL), FLEET_PROMOTE);
    assert_int_equal(chosen, 2);
    nodes[3].role = FLEET_NODE_UNREACHABLE;
    assert_int_equal(fleet_promotion_choose(&chosen, nodes, 5, &quorum, "n1"), FLEET_PROMOTE_TOO_FEW);
    assert_int_equal(chosen, 3);
}
