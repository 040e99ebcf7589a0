/*
 * Loaded into the command before the C library (LD_PRELOAD), where a test needs the end of the command's patience. The
 * command counts its naps: so many naps without a length are as good. Clocks stay as they are.
 */
#include <time.h>

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    return 0;
}
