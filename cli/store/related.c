/* Finds which listed sessions were forked from which, for a list that draws families together. */
#include "cli/store/family.h"
#include "cli/store/listing.h"

#include <stdlib.h>

int xylem_cli__listing_relate(struct xylem_cli *cli, struct xylem_cli__listing *listing)
{
    struct xylem_cli__family family;
    int code = xylem_cli__family_read(cli, &family, NULL);
    size_t *places = calloc(family.count + 1, sizeof *places); /* of each session of the store: its index in the list */
    listing->sources = calloc(listing->count + 1, sizeof *listing->sources);
    code = code < 0 || (places && listing->sources) ? code : xylem_cli__fail_memory(cli);
    for (size_t i = 0; code == 0 && i < family.count; i++) {
        places[i] = XYLEM_CLI__NO_KIN;
    }
    for (size_t i = 0; code == 0 && i < listing->count; i++) {
        size_t kin = xylem_cli__family_find(&family, listing->list[i].number);
        listing->sources[i].above = SIZE_MAX;
        if (kin != XYLEM_CLI__NO_KIN) {
            places[kin] = i;
        }
    }
    for (size_t kin = 0; code == 0 && kin < family.count; kin++) {
        size_t source = family.kin[kin].parent;
        if (places[kin] == XYLEM_CLI__NO_KIN || source == XYLEM_CLI__NO_KIN) {
            continue;
        }
        struct xylem_cli__source *found = &listing->sources[places[kin]];
        found->id = xylem_cli__family_source(&family, &family.kin[kin]);
        while (source != XYLEM_CLI__NO_KIN && places[source] == XYLEM_CLI__NO_KIN) {
            source = family.kin[source].parent;
        }
        found->above = source == XYLEM_CLI__NO_KIN ? SIZE_MAX : places[source];
    }
    free(places);
    xylem_cli__family_release(&family);
    return code;
}
