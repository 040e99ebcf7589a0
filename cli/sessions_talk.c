/* Reads the messages that show what a session is about. */
#include "cli/sessions.h"

int xylem_cli__talk_read(struct xylem_cli *cli, struct xylem_cli__talk *talk, struct xylem_cli__listing *listing,
                         const struct xylem_session *session)
{
    *talk = (struct xylem_cli__talk){0};
    int first = xylem_cli__spoken_first(cli, &talk->first, session);
    first = xylem_cli__listing_damage(cli, listing, session->id, first);
    int last = first < 0 ? 0 : xylem_cli__spoken_last(cli, &talk->last, session);
    last = xylem_cli__listing_damage(cli, listing, session->id, last);
    if (first < 0 || last < 0) {
        xylem_cli__talk_release(talk);
    }
    return first < 0 ? first : last;
}

void xylem_cli__talk_release(struct xylem_cli__talk *talk)
{
    xylem_cli__spoken_release(&talk->first);
    xylem_cli__spoken_release(&talk->last);
}
