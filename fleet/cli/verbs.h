/* The verbs of `xylem fleet`, in the order of help. */
/* clang-format off */
VERB(sessions)
VERB(ship)
VERB(pull)
VERB(resume)
VERB(claim)
VERB(release)
VERB(status)
VERB(init)
VERB(promote)
VERB(redact)
VERB(archive)
VERB(restore)
