/* Notes the session file of a session whose lines come from memory. */
#include "base/error.h"
#include "store/store.h"
#include "travel/jsonl/lines.h"
#include "xylem/files.h"

int xylem_session_file_note(struct xylem_txn *txn, uint64_t session, const char *path, struct xylem_error *err)
{
    struct xylem_session row;
    struct xylem_jsonl__file file;
    int code;
    if (!txn || !path) {
        return xylem_base__fail(err, XYLEM_E_ARGUMENT, "a note of a session file needs a transaction and a path");
    }
    if ((code = xylem_store__session_for_write(&row, txn, session, err)) < 0 ||
        (code = xylem_jsonl__file_open(&file, path, err)) < 0) { /* names the file as an import does */
        return code;
    }
    code = xylem_store__source_note(txn, session, xylem_view_of(file.path), err);
    xylem_jsonl__file_close(&file);
    return code;
}
