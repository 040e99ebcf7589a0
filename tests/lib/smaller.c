#include "tests/lib/smaller.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 1500

void smaller_make(char *text, size_t *bytes, bool (*shows)(const char *text, size_t bytes))
{
    char *attempt = malloc(*bytes + 1);
    int attempts = 0;
    if (!attempt) {
        return;
    }
    for (size_t part = *bytes / 2; part > 0;) {
        bool taken = false;
        for (size_t at = 0; at + part <= *bytes && attempts < ATTEMPTS_MAX;) {
            memcpy(attempt, text, at);
            memcpy(attempt + at, text + at + part, *bytes - at - part);
            attempt[*bytes - part] = '\0';
            attempts++;
            if (shows(attempt, *bytes - part)) {
                *bytes -= part;
                memcpy(text, attempt, *bytes + 1);
                taken = true;
            } else {
                at += part > 1 ? part / 2 : 1;
            }
        }
        part = taken && attempts < ATTEMPTS_MAX ? part : part / 2;
        part = part > *bytes ? *bytes : part;
    }
    free(attempt);
}
