/*
 * shell/ reads a shell command into a tree: words, quotes, expansions, lists, compounds, here-documents.
 * It does not judge, and it expands nothing.
 * Begin reading at syntax.h (the tree), then command.c (lists and pipelines) and word.c. The parser is recursive like
 * the grammar:
 *
 *     parse.c         a whole text, command by command
 *     command.c       lists, and-or lists, pipelines, simple commands
 *     compound.c      if, for, while, case, ( ), { }, functions, coprocesses
 *     condition.c     [[ ]]
 *     redirection.c   redirections; heredoc.c: the bodies of here-documents
 *     assignment.c    NAME=value, NAME[subscript]=value, NAME=(values)
 *     token.c         operators, words, newlines
 *     word.c          words; quote.c: quotes and backslashes; expansion.c: `$`; parameter.c: ${ };
 *                     substitution.c: $( ), backticks, <( ); arithmetic.c: $(( ))
 *     source.c        single characters, failures, doubts
 * Other rooms may include: arena.h parse.h syntax.h
 */
#ifndef XYLEM_SHELL_SHELL_H
#define XYLEM_SHELL_SHELL_H

#endif
