/* Prints bytes, times and sizes for people. Columns are counted in cells of the terminal, not in bytes. */
#include "cli/term/term.h"
#include "xylem/files.h"
#include "base/time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* A character of the input, or a byte that belongs to no character. */
struct character {
    uint32_t code_point;
    size_t bytes;
    bool valid; /* UTF-8; a lone surrogate of three bytes (WTF-8) counts too */
};

static struct character decode(const char *at, size_t left)
{
    uint32_t code_point = 0;
    size_t bytes = xylem_base__wtf8_decode(&code_point, at, left);
    return bytes > 0 ? (struct character){code_point, bytes, true} : (struct character){(unsigned char)*at, 1, false};
}

/* The cells that the character fills unescaped, or -1 if the character must be escaped. */
static int plain_cells(const struct xylem_cli *cli, struct character character)
{
    if (!character.valid || !xylem_base__is_shown(character.code_point)) {
        return -1;
    }
    return character.bytes == 1 ? 1 : xylem_cli__utf8(cli) ? wcwidth((wchar_t)character.code_point) : -1;
}

/* Writes the escape of a character. */
static int escape(char out[16], struct character character)
{
    static const char letters[] = "tnvfr"; /* 9 to 13 */
    uint32_t code_point = character.code_point;
    if (character.valid && code_point >= 9 && code_point <= 13) {
        return snprintf(out, 16, "\\%c", letters[code_point - 9]);
    }
    if (!character.valid || code_point < 0x80) {
        return snprintf(out, 16, "\\x%02x", code_point);
    }
    return code_point > 0xffff ? snprintf(out, 16, "\\U%08x", code_point) : snprintf(out, 16, "\\u%04x", code_point);
}

/* Cuts the text back until an ellipsis fits, and appends the ellipsis. */
static size_t cut(const struct xylem_cli *cli, struct xylem_cli__text *text, size_t length, size_t cells,
                  size_t cells_max)
{
    xylem_cli__text_cut(text, length);
    if (cells_max == 0) {
        return 0;
    }
    xylem_cli__add(text, xylem_cli__utf8(cli) ? "\u2026" : "~");
    return cells + 1;
}

/*
 * Counts the leading bytes that are shown as they are, at most `most`. Most shown text is printable ASCII: a cell for a
 * byte, and nothing to escape. In one line, white space that is at an end or that is more than a space is left to the
 * caller.
 */
static size_t plain_bytes(const char *data, size_t bytes, enum xylem_cli__shape shape, size_t most)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    size_t at = 0;
    while (shape == XYLEM_CLI__EXACT && bytes - at >= 8 && most - at >= 8) {
        uint64_t word; /* eight bytes: is any below 0x20, or above 0x7e? */
        memcpy(&word, data + at, sizeof word);
        if ((((word - 0x20 * ones) & ~word) | word | (word + ones)) & 0x80 * ones) {
            break;
        }
        at += 8;
    }
    while (at < bytes && at < most && data[at] >= 0x20 && data[at] < 0x7f &&
           (shape == XYLEM_CLI__EXACT || data[at] != ' ' ||
            (at > 0 && at + 1 < bytes && !xylem_base__is_blank(data[at + 1])))) {
        at++;
    }
    return at;
}

static bool is_plain(struct xylem_view bytes)
{
    return plain_bytes(bytes.data, bytes.bytes, XYLEM_CLI__EXACT, SIZE_MAX) == bytes.bytes;
}

/* Adds the bytes character by character. */
static size_t add_characters(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                             enum xylem_cli__shape shape, size_t cells_max)
{
    const char *data = bytes.data;
    size_t cells = 0;
    size_t fitting_cells = 0; /* an ellipsis still fits behind these cells */
    size_t fitting_bytes = text->bytes.bytes;
    char escaped[16];
    for (size_t at = 0; at < bytes.bytes;) {
        const char *shown = data + at;
        size_t plain = cells_max > cells ? plain_bytes(data + at, bytes.bytes - at, shape, cells_max - cells - 1) : 0;
        if (plain > 0) {
            xylem_cli__add_bytes(text, shown, plain);
            at += plain;
            cells += plain;
            fitting_cells = cells;
            fitting_bytes = text->bytes.bytes;
            continue;
        }
        struct character character = decode(data + at, bytes.bytes - at);
        size_t shown_bytes = character.bytes;
        int width = plain_cells(cli, character);
        if (shape == XYLEM_CLI__ONE_LINE && xylem_base__is_blank(data[at])) {
            at = xylem_base__skip(bytes, at, " \t\n\v\f\r");
            if (cells == 0 || at == bytes.bytes) {
                continue; /* no white space at the beginning or at the end */
            }
            character.bytes = 0;
            shown = " ";
            shown_bytes = 1;
            width = 1;
        } else if (width < 0) {
            width = escape(escaped, character);
            shown = escaped;
            shown_bytes = (size_t)width;
        }
        if (cells_max - cells < (size_t)width) {
            return cut(cli, text, fitting_bytes, fitting_cells, cells_max);
        }
        xylem_cli__add_bytes(text, shown, shown_bytes);
        cells += (size_t)width;
        if (cells < cells_max) {
            fitting_cells = cells;
            fitting_bytes = text->bytes.bytes;
        }
        at += character.bytes;
    }
    return cells;
}

struct xylem_view xylem_cli__leave_out(const struct xylem_cli *cli, struct xylem_buffer *left, struct xylem_view bytes)
{
    if (!cli->left_out || bytes.bytes == 0) {
        return bytes;
    }
    int found = xylem_patterns_redact_text(left, cli->left_out->patterns, bytes, NULL);
    if (found < 0) { /* what cannot be searched is not shown */
        return xylem_view_of("[redacted]");
    }
    cli->left_out->count += (uint64_t)found;
    return (struct xylem_view){left->data, left->bytes};
}

bool xylem_cli__is_left_out(const struct xylem_cli *cli, struct xylem_view bytes)
{
    return cli->left_out && xylem_patterns_match(cli->left_out->patterns, bytes, NULL) != 0;
}

size_t xylem_cli__add_shown(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                            enum xylem_cli__shape shape, size_t cells_max)
{
    struct xylem_buffer left = {0};
    size_t cells;
    bytes = xylem_cli__leave_out(cli, &left, bytes); /* before a cut, which would show a part */
    if (shape == XYLEM_CLI__EXACT && bytes.bytes <= cells_max && is_plain(bytes)) {
        xylem_cli__add_bytes(text, bytes.data, bytes.bytes);
        cells = bytes.bytes;
    } else {
        cells = add_characters(cli, text, bytes, shape, cells_max);
    }
    xylem_buffer_release(&left);
    return cells;
}

/*
 * The bytes of the character or the colour sequence here, as xylem_cli__color_on() writes it; 0: a terminal would act
 * on the character. JSON has no tabs and no colours.
 */
static size_t tame_bytes(const struct xylem_cli *cli, const char *at, size_t left, bool json)
{
    if (*at == '\n' || (*at == '\t' && !json)) {
        return 1;
    }
    if (*at == '\033' && !json) {
        size_t digits_end = xylem_base__skip((struct xylem_view){at, left}, 2, XYLEM_BASE__DIGITS);
        bool is_color = cli->colored && digits_end < left && at[1] == '[' && at[digits_end] == 'm';
        return is_color ? digits_end + 1 : 0;
    }
    struct character character = decode(at, left);
    return plain_cells(cli, character) < 0 ? 0 : character.bytes;
}

/*
 * In JSON the characters to escape stand only in strings, and control bytes and invalid UTF-8 stand nowhere. But stored
 * bytes need not be JSON.
 */
void xylem_cli__add_tame(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes, bool json)
{
    size_t done = 0;
    char escaped[16];
    for (size_t at = 0; at < bytes.bytes;) {
        size_t tame = plain_bytes(bytes.data + at, bytes.bytes - at, XYLEM_CLI__EXACT, SIZE_MAX);
        tame = tame > 0 ? tame : tame_bytes(cli, bytes.data + at, bytes.bytes - at, json);
        if (tame > 0) {
            at += tame;
            continue;
        }
        struct character character = decode(bytes.data + at, bytes.bytes - at);
        uint32_t code_point = character.code_point;
        xylem_cli__add_bytes(text, bytes.data + done, at - done);
        if (!json || !character.valid || code_point < 0x20) {
            escape(escaped, character);
            xylem_cli__add(text, escaped);
        } else if (code_point > 0xffff) {
            xylem_cli__addf(text, "\\u%04x\\u%04x", 0xd7c0u + (code_point >> 10), 0xdc00u | (code_point & 0x3ffu));
        } else {
            xylem_cli__addf(text, "\\u%04x", code_point);
        }
        at += character.bytes;
        done = at;
    }
    xylem_cli__add_bytes(text, bytes.data + done, bytes.bytes - done);
}

void xylem_cli__add_path(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *beginning,
                         struct xylem_view path, size_t bytes_max)
{
    struct xylem_cli__text shown = {0};
    xylem_cli__add_shown(cli, &shown, path, XYLEM_CLI__EXACT, SIZE_MAX);
    path = xylem_cli__text_view(&shown);
    while (path.bytes > bytes_max) {
        const char *slash = memchr(path.data + 1, '/', path.bytes - 1);
        if (!slash) {
            break;
        }
        beginning = xylem_cli__utf8(cli) ? "\u2026" : "...";
        path = (struct xylem_view){slash, path.bytes - (size_t)(slash - path.data)};
    }
    xylem_cli__add(text, beginning);
    xylem_cli__add_bytes(text, path.data, path.bytes);
    xylem_cli__part_end(text, &shown);
}

size_t xylem_cli__cells(const struct xylem_cli *cli, struct xylem_view bytes, size_t cells_max)
{
    struct xylem_cli__text text = {0};
    uint64_t left_out_count = cli->left_out ? cli->left_out->count : 0;
    if (!cli->left_out && bytes.bytes <= cells_max && is_plain(bytes)) {
        return bytes.bytes;
    }
    size_t cells = xylem_cli__add_shown(cli, &text, bytes, XYLEM_CLI__EXACT, cells_max);
    if (cli->left_out) {
        cli->left_out->count = left_out_count; /* nothing is shown */
    }
    xylem_cli__text_release(&text);
    return cells;
}

void xylem_cli__color_on(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color)
{
    if (cli->colored && color) {
        xylem_cli__addf(text, "\033[%sm", color);
    }
}

void xylem_cli__color_off(const struct xylem_cli *cli, struct xylem_cli__text *text, const char *color)
{
    if (cli->colored && color) {
        xylem_cli__add(text, "\033[0m");
    }
}

size_t xylem_cli__add_colored(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                              const char *color)
{
    xylem_cli__color_on(cli, text, color);
    size_t cells = xylem_cli__add_shown(cli, text, bytes, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__color_off(cli, text, color);
    return cells;
}

void xylem_cli__add_change(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view from,
                           struct xylem_view to)
{
    const struct xylem_view none = xylem_view_of("none");
    xylem_cli__add_shown(cli, text, from.bytes > 0 ? from : none, XYLEM_CLI__EXACT, SIZE_MAX);
    xylem_cli__add(text, " -> ");
    xylem_cli__add_shown(cli, text, to.bytes > 0 ? to : none, XYLEM_CLI__EXACT, SIZE_MAX);
}

void xylem_cli__add_name_space(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view name_space)
{
    if (name_space.bytes > 0) {
        xylem_cli__add(text, " in the namespace ");
        xylem_cli__add_shown(cli, text, name_space, XYLEM_CLI__EXACT, SIZE_MAX);
    }
}

void xylem_cli__add_column(const struct xylem_cli *cli, struct xylem_cli__text *text, struct xylem_view bytes,
                           size_t width, const char *color)
{
    xylem_cli__color_on(cli, text, color);
    size_t cells = xylem_cli__add_shown(cli, text, bytes, XYLEM_CLI__EXACT, width);
    xylem_cli__color_off(cli, text, color);
    xylem_cli__add_repeated(text, " ", width - cells);
}

/* JavaScript's Date holds no later times, so a year has at most six digits. */
#define TIME_MS_MAX INT64_C(8640000000000000)

/* Adds a character, and a number of `count` digits. */
static void add_digits(struct xylem_cli__text *text, char before, int number, int count)
{
    char digits[8] = {before};
    for (int i = count; i > 0; i--, number /= 10) {
        digits[i] = (char)('0' + number % 10);
    }
    xylem_cli__add_bytes(text, before == 0 ? digits + 1 : digits, (size_t)count + (before == 0 ? 0 : 1));
}

/*
 * Adds the local time up to the minute, and gives the seconds. The year may have six digits and a sign. localtime_r()
 * need not load the time zone. Most commands show no local time, so the zone is loaded before the first local time only.
 */
static int add_to_minute(struct xylem_cli__text *text, int64_t time_ms)
{
    static bool zone_known;
    struct tm parts = {0};
    int64_t bounded = time_ms > TIME_MS_MAX ? TIME_MS_MAX : time_ms < -TIME_MS_MAX ? -TIME_MS_MAX : time_ms;
    time_t seconds = (time_t)((bounded < 0 ? bounded - 999 : bounded) / 1000);
    if (!zone_known) {
        tzset();
        zone_known = true;
    }
    localtime_r(&seconds, &parts);
    int year = parts.tm_year + 1900;
    if (year < 0 || year > 9999) {
        add_digits(text, year < 0 ? '-' : '+', year < 0 ? -year : year, 6);
    } else {
        add_digits(text, 0, year, 4);
    }
    add_digits(text, '-', parts.tm_mon + 1, 2);
    add_digits(text, '-', parts.tm_mday, 2);
    add_digits(text, ' ', parts.tm_hour, 2);
    add_digits(text, ':', parts.tm_min, 2);
    return parts.tm_sec;
}

void xylem_cli__add_minute(struct xylem_cli__text *text, int64_t time_ms)
{
    add_to_minute(text, time_ms);
}

void xylem_cli__add_time(struct xylem_cli__text *text, int64_t time_ms)
{
    add_digits(text, ':', add_to_minute(text, time_ms), 2);
}

void xylem_cli__add_iso(struct xylem_cli__text *text, int64_t time_ms)
{
    char iso[XYLEM_BASE__ISO_BYTES];
    xylem_cli__add_bytes(text, iso, xylem_base__time_write(iso, time_ms));
}

/* Commands that list print many numbers: printf() would take a good part of their time. */
static void add_decimal(struct xylem_cli__text *text, uint64_t number, bool grouped)
{
    char digits[32];
    size_t at = sizeof digits;
    for (int written = 0; written == 0 || number > 0; written++) {
        if (grouped && written > 0 && written % 3 == 0) {
            digits[--at] = ',';
        }
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    xylem_cli__add_bytes(text, digits + at, sizeof digits - at);
}

void xylem_cli__add_age(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {{365 * 86400, "y"}, {86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};
    int64_t age_ms;
    if (__builtin_sub_overflow(cli->now_ms, time_ms, &age_ms)) {
        age_ms = time_ms < 0 ? INT64_MAX : 0;
    }
    int64_t seconds = age_ms < 0 ? 0 : age_ms / 1000;
    size_t unit = seconds >= 2 * units[0].seconds ? 0 : 1;
    while (units[unit].seconds > 1 && seconds < units[unit].seconds) {
        unit++;
    }
    add_decimal(text, (uint64_t)(seconds / units[unit].seconds), false);
    xylem_cli__add(text, units[unit].unit);
}

void xylem_cli__add_when(const struct xylem_cli *cli, struct xylem_cli__text *text, int64_t time_ms)
{
    if (cli->width == 0) {
        xylem_cli__add_time(text, time_ms);
    } else {
        xylem_cli__add_age(cli, text, time_ms);
    }
}

void xylem_cli__add_count(struct xylem_cli__text *text, uint64_t count)
{
    add_decimal(text, count, true);
}

void xylem_cli__add_counted(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many)
{
    xylem_cli__add_count(text, count);
    xylem_cli__addf(text, " %s", count == 1 ? one : many);
}

void xylem_cli__add_next_counted(struct xylem_cli__text *text, uint64_t count, const char *one, const char *many)
{
    xylem_cli__add(text, ", ");
    xylem_cli__add_counted(text, count, one, many);
}

void xylem_cli__add_size(struct xylem_cli__text *text, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    size_t unit = 0;
    if (bytes < 1024) {
        xylem_cli__addf(text, "%llu B", (unsigned long long)bytes);
        return;
    }
    for (size /= 1024; size >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]; unit++) {
        size /= 1024;
    }
    xylem_cli__addf(text, "%.1f %s", size, units[unit]);
}
