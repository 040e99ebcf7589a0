#include "fleet/news.h"

const char *fleet_news_word(enum fleet_news_type type)
{
    static const char *const words[] = {
        [FLEET_NEWS_SHIPPED] = "shipped", [FLEET_NEWS_REWRITTEN] = "rewritten",
        [FLEET_NEWS_FREED] = "freed",     [FLEET_NEWS_FENCED] = "fenced",
        [FLEET_NEWS_FORKED] = "forked",   [FLEET_NEWS_FOREIGN] = "foreign",
        [FLEET_NEWS_HELD] = "held",       [FLEET_NEWS_IN_USE] = "in-use",
        [FLEET_NEWS_PULLED] = "pulled",   [FLEET_NEWS_BEHIND] = "behind",
        [FLEET_NEWS_DAMAGED] = "damaged", [FLEET_NEWS_MISSING] = "missing",
        [FLEET_NEWS_OWNED] = "owned",     [FLEET_NEWS_PAUSED] = "paused",
        [FLEET_NEWS_RESUMED] = "resumed", [FLEET_NEWS_BEGUN_ANEW] = "begun-anew",
    };
    return (unsigned)type < FLEET_NEWS_TYPE_COUNT ? words[type] : "unknown news";
}
