/* Finds which listed sessions were forked from which, for a list that draws families together. */
#include "cli/store/family.h"
#include "cli/store/listing.h"

#include <stdlib.h>

/* Sets `source_id` and `above` of each session. `places` has the index in the list of each session of the store. */
static void relate(struct xylem_cli__listing *listing, const struct xylem_cli__family *family, size_t *places)
{
    for (size_t i = 0; i < family->count; i++) {
        places[i] = XYLEM_CLI__NO_KIN;
    }
    for (size_t i = 0; i < listing->count; i++) {
        size_t kin = xylem_cli__family_find(family, listing->list[i].session.number);
        if (kin != XYLEM_CLI__NO_KIN) {
            places[kin] = i;
        }
    }
    for (size_t kin = 0; kin < family->count; kin++) {
        size_t source = family->kin[kin].parent;
        if (places[kin] == XYLEM_CLI__NO_KIN || source == XYLEM_CLI__NO_KIN) {
            continue;
        }
        struct xylem_cli__listed *listed = &listing->list[places[kin]];
        listed->source_id = family->kin[source].session.id;
        while (source != XYLEM_CLI__NO_KIN && places[source] == XYLEM_CLI__NO_KIN) {
            source = family->kin[source].parent;
        }
        listed->above = source == XYLEM_CLI__NO_KIN ? SIZE_MAX : places[source];
    }
}

int xylem_cli__listing_relate(struct xylem_cli *cli, struct xylem_cli__listing *listing)
{
    struct xylem_cli__family family;
    size_t *places = NULL;
    for (size_t i = 0; i < listing->count; i++) {
        listing->list[i].above = SIZE_MAX;
    }
    int code = xylem_cli__family_read(cli, &family, NULL);
    if (code == 0 && family.count > 0) {
        places = calloc(family.count, sizeof *places);
        code = places ? 0 : xylem_cli__fail_memory(cli);
    }
    if (code == 0) {
        relate(listing, &family, places);
    }
    free(places);
    xylem_cli__family_release(&family);
    return code;
}
