/* Lists the programs that the confirm policy asks about. All others pass. */
#include "policy/words/tables.h"

const struct xylem_policy__table_row xylem_policy__confirm_patterns[] = {
    {"rm", "recursive-rm", "with -r, -R or --recursive removes whole trees"},
    {"sudo", "sudo", "runs with another user's rights"},
    {"chmod chown", "mode-777", "with 777 lets everybody write"},
    {"dd", "dd", "with if= or of= may overwrite files or devices"},
    {"mkfs mkfs.*", "mkfs", "overwrites a device with a file system"},
    {"git", "force-push", "push with -f, --force, --force-with-lease or +ref overwrites the history of a remote"},
    {"tee", "device-write", "writes to a device"},
    {"truncate", "truncate-to-zero", "with a size of 0 empties files"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__confirm_devices[] = {
    {"null", "device-write", "keeps nothing"},
    {"stdout stderr tty fd/*", "device-write", "is open already, or is the terminal"},
    {NULL, NULL, NULL},
};
