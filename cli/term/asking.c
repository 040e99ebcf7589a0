/* Asks the user before a change that cannot be undone. */
#include "cli/term/term.h"

#include <stdio.h>
#include <unistd.h>

int xylem_cli__check_asking(struct xylem_cli *cli, bool asks, const char *to_what)
{
    return !asks || isatty(STDIN_FILENO) == 1
               ? 0
               : xylem_cli__usage(cli, "standard input is not a terminal: give --yes to %s", to_what);
}

bool xylem_cli__confirmed(const struct xylem_cli__text *question)
{
    char answer[16];
    if (question->failed) {
        return false;
    }
    fwrite(question->bytes.data, 1, question->bytes.bytes, stderr);
    fputs(" [y/N] ", stderr);
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}
