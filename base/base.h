/*
 * base/ holds code that any C program could use: errors, buffers, the checked byte cursor, decoded values, the reader
 * of JSON, base64, clocks, files, locks and memory.
 * base/ does not know entries, stores or commands.
 * Begin reading at error.h (how a call fails) and buffer.h (who owns bytes), then value.h (a decoded payload).
 * Other rooms may include: base64.h buffer.h bytes.h clock.h error.h holders.h json.h json_writer.h numbers.h os.h
 * space.h time.h utf8.h value.h
 */
#ifndef XYLEM_BASE_BASE_H
#define XYLEM_BASE_BASE_H

#endif
