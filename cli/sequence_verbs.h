/* The verbs of `xylem sequence`, in the order of help. */
/* clang-format off */
VERB(list)
VERB(show)
