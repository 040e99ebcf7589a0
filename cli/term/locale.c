/* Tells whether output is UTF-8, by the locale. */
#include "cli/term/term.h"

#include <langinfo.h>
#include <locale.h>
#include <strings.h>

bool xylem_cli__utf8(const struct xylem_cli *cli)
{
    if (!cli->locale->asked) {
        setlocale(LC_CTYPE, "");
        cli->locale->utf8 = strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
        cli->locale->asked = true;
    }
    return cli->locale->utf8;
}
