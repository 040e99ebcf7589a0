/*
 * Shell commands by chance: everyday ones and devious ones, in all of bash's forms, and damaged copies of both.
 * Programs named canary<n> stand in places of their own, so that each that runs tells which text ran it.
 */
#ifndef XYLEM_TESTS_LIB_SHELL_TEXT_H
#define XYLEM_TESTS_LIB_SHELL_TEXT_H

#include "tests/lib/chance.h"

#include <stdbool.h>
#include <stddef.h>

#define SHELL_TEXT_BYTES_MAX 6000u
#define SHELL_HERE_DOCUMENTS_MAX 8

enum shell_text_style {
    SHELL_TEXT_EVERY = 0, /* any form, any program */
    SHELL_TEXT_CALM,      /* programs that a strict judge may allow, with their options; little else */
};

/* A here-document whose body is still to come. */
struct shell_here_document {
    const char *delimiter;
    bool quoted;
    bool indented;
};

struct shell_text {
    char data[SHELL_TEXT_BYTES_MAX + 1];
    size_t bytes;
    struct chance *chance;
    enum shell_text_style style;
    int depth;
    int canaries;
    bool in_backticks;
    struct shell_here_document pending[SHELL_HERE_DOCUMENTS_MAX];
    size_t pending_count;
    size_t pending_base; /* those of the substitution that is being written begin here */
};

/* Overwrites `text` with a command that is valid bash, or nearly always. */
void shell_text_make(struct shell_text *text, struct chance *chance, enum shell_text_style style);
/* Overwrites `text` with that command. */
void shell_text_set(struct shell_text *text, struct chance *chance, const char *command, size_t bytes);
/* Changes it a little: bytes and words are lost, doubled, put in, swapped; NUL is never put in. */
void shell_text_damage(struct shell_text *text);

/* Every program that a generated command may name. */
const char *const *shell_text_programs(size_t *count);
/* Whether `name` is one that the generator's commands may run without anything to be noticed. */
bool shell_text_is_canary(const char *name);

/* The command as one printable line, into `room`; it can be pasted into bash as $'...'. */
const char *shell_text_escape(char *room, size_t room_bytes, const char *command, size_t bytes);

/*
 * The commands of fixtures/policy, of all its files, in the order of their names; none if there is no such folder.
 * The caller frees the list with shell_fixtures_free().
 */
struct shell_fixtures {
    char **commands;
    size_t count;
};
void shell_fixtures_read(struct shell_fixtures *fixtures, const char *folder);
/*
 * The commands of one file: what stands between NUL bytes, or, if it has none, its lines. False if it cannot be read.
 */
bool shell_fixtures_read_corpus(struct shell_fixtures *fixtures, const char *path);
void shell_fixtures_free(struct shell_fixtures *fixtures);

/*
 * One command for the round, by turns and by chance: generated, calm, damaged, or of the fixtures, damaged or as it is.
 */
void shell_text_next(struct shell_text *text, struct chance *chance, const struct shell_fixtures *fixtures);

#endif
