/* Asks the user before a change that cannot be undone. */
#include "cli/term/term.h"

#include <stdio.h>
#include <unistd.h>

int xylem_cli__confirm(struct xylem_cli *cli, struct xylem_cli__text *question, const char *refused)
{
    char answer[16];
    int code = question->failed ? xylem_cli__fail_memory(cli) : 0;
    if (code == 0 && isatty(STDIN_FILENO) != 1) {
        code = xylem_cli__usage(cli, "standard input is not a terminal: give --yes (%s)", refused);
    } else if (code == 0) {
        fwrite(question->bytes.data, 1, question->bytes.bytes, stderr);
        fputs(" [y/N] ", stderr);
        fflush(stderr);
        if (!fgets(answer, sizeof answer, stdin) || (answer[0] != 'y' && answer[0] != 'Y')) {
            xylem_cli__note(cli, "%s", refused);
            code = XYLEM_CLI__PROBLEM;
        }
    }
    xylem_cli__text_release(question);
    return code;
}
