/*
 * shell/ parses a shell command into a tree: words, quotes, expansions, lists, compounds, here-documents.
 * shell/ does not judge, and expands nothing.
 * Begin reading at syntax.h (the tree), then command.c (lists and pipelines) and word.c; parser.h lists the files.
 * Other rooms may include: arena.h parse.h syntax.h
 */
#ifndef XYLEM_SHELL_SHELL_H
#define XYLEM_SHELL_SHELL_H

#endif
