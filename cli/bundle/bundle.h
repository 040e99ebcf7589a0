/*
 * cli/bundle/ has the container of a bundle: the parts of one file, written and read from front to back.
 * cli/bundle/ does not know what is in a part, and knows no store, no session and no run.
 * Begin reading at container.h, which has the bytes, then xylem_cli__bundle_next().
 * Other rooms may include: container.h
 */
#ifndef XYLEM_CLI_BUNDLE_BUNDLE_H
#define XYLEM_CLI_BUNDLE_BUNDLE_H

#endif
