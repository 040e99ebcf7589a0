/* The verbs of `xylem sequence`, in the order of help. */
/* clang-format off */
VERB(list)
VERB(show)
VERB(validate)
VERB(preview)
VERB(save)
VERB(runs)
VERB(status)
VERB(log)
VERB(retry)
VERB(skip)
VERB(stop)
VERB(drive)
