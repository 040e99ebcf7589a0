/* The verbs of `xylem sequence`, and the functions that the verbs share. */
#ifndef XYLEM_CLI_SEQUENCE_H
#define XYLEM_CLI_SEQUENCE_H

#include "cli/cli.h"
#include "xylem/sequence.h"

/* Most bytes of a file with steps, of a catalogue, and of a line to `drive`. */
#define XYLEM_CLI__SEQUENCE_INPUT_BYTES_MAX ((size_t)16 * 1024 * 1024)

/* --- Steps (sequence_steps.c) ------------------------------------------------------------------------------------- */

/* The steps that a verb works on, and their place. Start zeroed, and release. */
struct xylem_cli__steps {
    const struct xylem_view *list;
    size_t count;
    struct xylem_session session;    /* of the snapshot; zeroed for steps of a file */
    struct xylem_state state;        /* with the snapshot */
    struct xylem_cli__text file;     /* the bytes of a file */
    struct xylem_document *document; /* of the file */
    struct xylem_view *made;         /* the list, if it was made here */
};

/* Reads the snapshot that counts at SESSION[:ENTRY]. NOT_FOUND without a snapshot. The store must be open. */
int xylem_cli__steps_stored(struct xylem_cli *cli, struct xylem_cli__steps *steps, const char *spec);
/* The same at the leaf of a session. */
int xylem_cli__steps_of(struct xylem_cli *cli, struct xylem_cli__steps *steps, const struct xylem_session *session);
/* Reads a JSON array of strings; `-` is standard input. */
int xylem_cli__steps_file(struct xylem_cli *cli, struct xylem_cli__steps *steps, const char *path);
/* Takes the strings of an array that lives as long; `what` names the array in errors. */
int xylem_cli__steps_array(struct xylem_cli *cli, struct xylem_cli__steps *steps, const struct xylem_value *array,
                           const char *what);
void xylem_cli__steps_release(struct xylem_cli__steps *steps);

/* Reads a whole file; `-` is standard input. */
int xylem_cli__sequence_input(struct xylem_cli *cli, struct xylem_cli__text *text, const char *path);

/* Standard input can be read once: refuses `-` for the steps and for the catalogue. Both may be NULL. */
int xylem_cli__check_inputs(struct xylem_cli *cli, const char *file, const char *commands);

/* Appends the text behind `used` cells, with further lines indented by `used`; a terminal breaks lines between words. */
void xylem_cli__add_indented(const struct xylem_cli *cli, struct xylem_cli__text *text, size_t used,
                             struct xylem_view words);
/* Appends a name in the column of names, which has XYLEM_CLI__FACT_CELLS. */
#define XYLEM_CLI__FACT_CELLS 12u
void xylem_cli__add_fact(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *name);

/* --- Catalogue and problems (sequence_validate.c) ----------------------------------------------------------------- */

/* Reads a catalogue of commands from a file. */
int xylem_cli__catalogue_read(struct xylem_cli *cli, struct xylem_catalogue **catalogue, const char *path);
/* Appends the member `warnings`: the words of the step's warnings. */
void xylem_cli__member_warnings(struct xylem_cli__text *text, const struct xylem_step *step);
/* Appends a line for each step with a problem or a warning, and a line about the sequence. */
void xylem_cli__add_problems(const struct xylem_cli *cli, struct xylem_cli__text *text,
                             const struct xylem_resolution *resolution);

/* --- Runs (sequence_run.c) ---------------------------------------------------------------------------------------- */

/* Finds a run by its id, by a unique beginning of the id, or by the id of its ledger. The store must be open. */
int xylem_cli__run_find(struct xylem_cli *cli, char run_id[XYLEM_UUID_TEXT_BYTES], const char *spec);
/* The same, and reads the state. Release in any case. */
int xylem_cli__run_read(struct xylem_cli *cli, struct xylem_run_state *state, const char *spec);
/* MALFORMED, for the run of a damaged ledger: the store is whole. The text names a command that shows the ledger. */
int xylem_cli__run_damaged(struct xylem_cli *cli, const struct xylem_run_state *state);
/* True for a run that is done, failed or stopped. */
bool xylem_cli__run_ended(const struct xylem_run_state *state);
/* `step 2 of 3 in run 1 of 5`: the present step, or the step that comes next. */
void xylem_cli__add_place(struct xylem_cli__text *text, const struct xylem_run_state *state);

/* --- The verbs ---------------------------------------------------------------------------------------------------- */

#define VERB(name) extern const struct xylem_cli__command xylem_cli__sequence_##name;
#include "cli/sequence_verbs.h"
#undef VERB

#endif
