/* Fills the error of a call: a code, and a text of one line. */
#ifndef XYLEM_BASE_ERROR_H
#define XYLEM_BASE_ERROR_H

#include "xylem/base.h"

/*
 * Fills `err` (may be NULL) with the code and a formatted line, and returns the code, so that a function can end in
 * `return xylem_base__fail(...)`. Control characters, and bytes that are not UTF-8, become \xNN.
 */
__attribute__((format(printf, 3, 4))) int xylem_base__fail(struct xylem_error *err, int code, const char *format, ...);

/*
 * 0, or ARGUMENT if `abi`, the number of the caller's header, is not XYLEM_ABI. Public functions that take structs and
 * need no handle ask first: a struct of another layout would let the library write beyond the caller's memory.
 */
int xylem_base__check_abi(uint32_t abi, struct xylem_error *err);

/* The usual text for a failed allocation. */
int xylem_base__fail_memory(struct xylem_error *err);

/*
 * The English text of an errno value, also for a value without a text. The text lives until the thread's next call.
 * Unlike strerror(), this function is safe with threads and ignores the locale.
 */
const char *xylem_base__errno_text(int errnum);

/*
 * For a failed system call: "<what> <path>: <text of errnum>". The code is NO_SPACE for ENOSPC, EDQUOT and EFBIG,
 * MEMORY for ENOMEM, else IO.
 */
int xylem_base__fail_errno(struct xylem_error *err, int errnum, const char *what, const char *path);

/* The arguments for "%.*s" of a view: the length, 200 at most, and the bytes (never NULL). */
int xylem_base__shown_bytes(struct xylem_view view);
const char *xylem_base__shown(struct xylem_view view);
#define XYLEM_BASE__SHOWN(view) xylem_base__shown_bytes(view), xylem_base__shown(view)

#endif
