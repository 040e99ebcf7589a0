/* What xylem_repair() tells its caller. */
#include "store/repair.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

int xylem_store__repair_found(struct xylem_store__repair *repair, const struct xylem_problem *where, const char *format,
                              ...)
{
    char text[XYLEM_ERROR_TEXT_BYTES];
    struct xylem_error escaped;
    struct xylem_problem problem = *where;
    va_list arguments;
    if (!repair->found) {
        return XYLEM_OK;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    xylem_base__fail(&escaped, XYLEM_E_CORRUPT, "%s", text);
    problem.text = escaped.text;
    return repair->found(repair->context, &problem) == 0
               ? XYLEM_OK
               : xylem_base__fail(repair->err, XYLEM_E_STOPPED, "the repair was stopped by the caller");
}
