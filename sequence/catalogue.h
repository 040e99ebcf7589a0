/* The layout of a catalogue. */
#ifndef XYLEM_SEQUENCE_CATALOGUE_H
#define XYLEM_SEQUENCE_CATALOGUE_H

#include "xylem/sequence.h"

/* One block of memory: the arguments of all commands, and then the bytes of all views, lie behind the commands. */
struct xylem_catalogue {
    struct xylem_catalogue_options options;
    size_t command_count;
    struct xylem_command commands[];
};

#define XYLEM_SEQUENCE__SOURCE_COUNT (XYLEM_COMMAND_SKILL + 1)

#endif
