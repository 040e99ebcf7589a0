#include "tests/lib/shell_text.h"

#include "tests/lib/shell_grammar.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 9
#define BYTES_TO_END 1200 /* longer texts come to their end */
#define CANARY_NAMES 100
#define CANARIES_MADE 60 /* those above have their places in the grammar */
#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

static const char *const program_names[] = {
    "[",      "ag",       "arch",     "awk",       "b2sum",     "base64",    "basename",  "bash",     "busybox",
    "cal",    "cat",      "chmod",    "chown",     "cksum",     "cmp",       "code",      "column",   "comm",
    "cp",     "csh",      "csplit",   "curl",      "cut",       "dash",      "date",      "dd",       "df",
    "diff",   "dirname",  "doas",     "du",        "echo",      "ed",        "egrep",     "emacs",    "env",
    "ex",     "expand",   "expr",     "factor",    "false",     "fd",        "fdfind",    "fgrep",    "file",
    "find",   "fish",     "flock",    "fmt",       "fold",      "free",      "gawk",      "git",      "grep",
    "groups", "gzip",     "head",     "hexdump",   "hostname",  "htop",      "id",        "install",  "ionice",
    "join",   "jq",       "kill",     "killall",   "ksh",       "last",      "ldd",       "less",     "ln",
    "locate", "logname",  "ls",       "lsblk",     "lscpu",     "lsof",      "lua",       "make",     "man",
    "mawk",   "mc",       "md5sum",   "mkdir",     "mkfifo",    "mknod",     "mktemp",    "more",     "mount",
    "mv",     "namei",    "nano",     "nice",      "nl",        "node",      "nohup",     "npm",      "nproc",
    "numfmt", "od",       "pager",    "parallel",  "paste",     "pathchk",   "perl",      "pgrep",    "pkill",
    "pr",     "printenv", "printf",   "ps",        "pwd",       "python",    "python3",   "readlink", "realpath",
    "rev",    "rg",       "rm",       "rmdir",     "rsync",     "ruby",      "script",    "sed",      "seq",
    "setsid", "sh",       "sha1sum",  "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shred",    "shuf",
    "sleep",  "sort",     "split",    "ssh",       "stat",      "stdbuf",    "strace",    "strings",  "su",
    "sudo",   "sum",      "sync",     "tac",       "tail",      "tar",       "taskset",   "tee",      "test",
    "time",   "timeout",  "top",      "touch",     "tr",        "tree",      "true",      "truncate", "tsort",
    "tty",    "uname",    "unexpand", "uniq",      "unlink",    "uptime",    "users",     "vi",       "vim",
    "vmstat", "w",        "watch",    "wc",        "wget",      "whereis",   "which",     "who",      "whoami",
    "xargs",  "xxd",      "yes",      "yq",        "zcat",      "zsh",
};

static char canary_names[CANARY_NAMES][16];

const char *const *shell_text_programs(size_t *count)
{
    static const char *all[COUNT_OF(program_names) + CANARY_NAMES];
    if (!all[0]) {
        for (size_t i = 0; i < CANARY_NAMES; i++) {
            snprintf(canary_names[i], sizeof canary_names[i], "canary%u", (unsigned)i);
            all[COUNT_OF(program_names) + i] = canary_names[i];
        }
        memcpy(all, program_names, sizeof program_names);
    }
    *count = COUNT_OF(all);
    return all;
}

bool shell_text_is_canary(const char *name)
{
    return strncmp(name, "canary", 6) == 0;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static void put_bytes(struct shell_text *text, const char *data, size_t bytes)
{
    size_t left = SHELL_TEXT_BYTES_MAX - text->bytes;
    size_t taken = bytes < left ? bytes : left;
    memcpy(text->data + text->bytes, data, taken);
    text->bytes += taken;
    text->data[text->bytes] = '\0';
}

static void put(struct shell_text *text, const char *string)
{
    put_bytes(text, string, strlen(string));
}

static int below(struct shell_text *text, size_t bound)
{
    return chance_below(text->chance, (int)bound);
}

static void expand(struct shell_text *text, const char *pattern, size_t bytes);

static void expand_rule(struct shell_text *text, char letter)
{
    const struct shell_rule *rule = shell_rules;
    for (size_t i = 0; i < shell_rule_count; i++) {
        rule = shell_rules[i].letter == letter ? &shell_rules[i] : rule;
    }
    bool calm = text->style == SHELL_TEXT_CALM && rule->calm_entries;
    const char *const *entries = calm ? rule->calm_entries : rule->entries;
    size_t count = calm ? rule->calm_ends : rule->ends;
    if (text->depth < DEPTH_MAX && text->bytes < BYTES_TO_END) {
        for (count = 0; entries[count]; count++) {
        }
    }
    const char *entry = entries[below(text, count)];
    if (text->in_backticks && strchr(entry, '`')) {
        entry = entries[0];
    }
    text->depth++;
    if (text->depth < 4 * DEPTH_MAX) {
        expand(text, entry, strlen(entry));
    } else {
        put(text, "x");
    }
    text->depth--;
}

/* --- Here-documents ----------------------------------------------------------------------------------------------- */

static void put_here_document(struct shell_text *text)
{
    static const struct {
        const char *spelt;
        const char *delimiter;
        bool quoted;
    } kinds[] = {
        {"EOF", "EOF", false},  {"EOF", "EOF", false},     {"'EOF'", "EOF", true}, {"\"EOF\"", "EOF", true},
        {"\\EOF", "EOF", true}, {"E'O'F", "EOF", true},    {"E", "E", false},      {"'a b'", "a b", true},
        {"$x", "$x", false},    {"E\\\nOF", "EOF", false}, {"''", "", true},       {"-", "-", false},
        {"}", "}", false},      {"$'EOF'", "EOF", true},   {"\"$x\"", "$x", true},
    };
    if (text->pending_count == SHELL_HERE_DOCUMENTS_MAX) {
        put(text, "<a");
        return;
    }
    int kind = below(text, COUNT_OF(kinds));
    bool indented = below(text, 4) == 0;
    put(text, below(text, 8) == 0 ? "3<<" : "<<");
    put(text, indented ? "-" : "");
    put(text, below(text, 3) == 0 ? " " : "");
    put(text, kinds[kind].spelt);
    text->pending[text->pending_count++] =
        (struct shell_here_document){kinds[kind].delimiter, kinds[kind].quoted, indented};
}

static void put_body(struct shell_text *text, struct shell_here_document document)
{
    for (int lines = below(text, 4); lines > 0; lines--) {
        put(text, document.indented && below(text, 2) == 0 ? "\t" : "");
        expand_rule(text, document.quoted ? 'z' : 'y');
        put(text, "\n");
    }
    put(text, document.indented ? "\t\t" : "");
    put(text, document.delimiter);
}

/* A line's end, and the bodies that are due there. */
static void end_line(struct shell_text *text)
{
    size_t first = text->pending_base;
    size_t end = text->pending_count;
    put(text, "\n");
    /* Documents that stand in a body have their own bodies there. */
    text->pending_base = end;
    for (size_t i = first; i < end; i++) {
        put_body(text, text->pending[i]);
        put(text, "\n");
    }
    text->pending_base = first;
    text->pending_count = first;
}

static void put_substituted_list(struct shell_text *text)
{
    size_t base = text->pending_base;
    text->pending_base = text->pending_count;
    expand_rule(text, 'L');
    if (text->pending_count > text->pending_base) {
        end_line(text);
    }
    text->pending_base = base;
}

static void put_canary(struct shell_text *text)
{
    char name[16];
    if (text->style == SHELL_TEXT_CALM && below(text, 10) != 0) {
        expand_rule(text, 'p');
        return;
    }
    snprintf(name, sizeof name, "canary%d", text->canaries++ % CANARIES_MADE);
    put(text, name);
}

/* --- The grammar's patterns --------------------------------------------------------------------------------------- */

/* Where the alternative ends that begins at `at`: at its %| or %>. */
static size_t alternative_end(const char *pattern, size_t bytes, size_t at)
{
    while (at + 1 < bytes && !(pattern[at] == '%' && (pattern[at + 1] == '|' || pattern[at + 1] == '>'))) {
        at += pattern[at] == '%' ? 2 : 1;
    }
    return at;
}

/* Expands one of the alternatives that begin at `at`, and gives where they end. */
static size_t expand_one_of(struct shell_text *text, const char *pattern, size_t bytes, size_t at)
{
    size_t chosen = at;
    size_t chosen_end = at;
    for (int seen = 1;; seen++) {
        size_t end = alternative_end(pattern, bytes, at);
        if (below(text, (size_t)seen) == 0) {
            chosen = at;
            chosen_end = end;
        }
        if (end + 1 >= bytes || pattern[end + 1] == '>') {
            expand(text, pattern + chosen, chosen_end - chosen);
            return end + 2;
        }
        at = end + 2;
    }
}

static void expand_escape(struct shell_text *text, char letter)
{
    bool in_backticks = text->in_backticks;
    switch (letter) {
    case '%':
        put(text, "%");
        break;
    case 'n':
        end_line(text);
        break;
    case 'm':
        put_substituted_list(text);
        break;
    case 'D':
        put_here_document(text);
        break;
    case 'k':
        put_canary(text);
        break;
    default:
        expand_rule(text, letter);
        break;
    }
    text->in_backticks = in_backticks;
}

static void expand(struct shell_text *text, const char *pattern, size_t bytes)
{
    bool in_backticks = text->in_backticks;
    for (size_t i = 0; i < bytes;) {
        if (pattern[i] != '%' || i + 1 == bytes) {
            text->in_backticks ^= pattern[i] == '`' && !in_backticks;
            put_bytes(text, pattern + i, 1);
            i++;
        } else if (pattern[i + 1] == '<') {
            i = expand_one_of(text, pattern, bytes, i + 2);
        } else {
            expand_escape(text, pattern[i + 1]);
            i += 2;
        }
    }
    text->in_backticks = in_backticks;
}

static void begin(struct shell_text *text, struct chance *chance, enum shell_text_style style)
{
    text->bytes = 0;
    text->data[0] = '\0';
    text->chance = chance;
    text->style = style;
    text->depth = 0;
    text->canaries = 0;
    text->in_backticks = false;
    text->pending_count = text->pending_base = 0;
}

void shell_text_make(struct shell_text *text, struct chance *chance, enum shell_text_style style)
{
    begin(text, chance, style);
    text->depth = below(text, DEPTH_MAX - 2); /* short ones as often as long ones */
    expand(text, "%L", 2);
    if (text->pending_count > 0) {
        end_line(text);
    }
}

void shell_text_set(struct shell_text *text, struct chance *chance, const char *command, size_t bytes)
{
    begin(text, chance, SHELL_TEXT_EVERY);
    put_bytes(text, command, bytes);
}

/* --- Damage ------------------------------------------------------------------------------------------------------- */

static void replace(struct shell_text *text, size_t at, size_t bytes, const char *with, size_t with_bytes)
{
    if (text->bytes - bytes + with_bytes > SHELL_TEXT_BYTES_MAX) {
        return;
    }
    char copy[SHELL_TEXT_BYTES_MAX];
    memcpy(copy, with, with_bytes);
    memmove(text->data + at + with_bytes, text->data + at + bytes, text->bytes - at - bytes);
    memcpy(text->data + at, copy, with_bytes);
    text->bytes += with_bytes - bytes;
    text->data[text->bytes] = '\0';
}

/* The word that holds `at`: blanks and line ends bound it. */
static size_t word_at(const struct shell_text *text, size_t *at)
{
    size_t end = *at;
    while (*at > 0 && !strchr(" \t\n", text->data[*at - 1])) {
        (*at)--;
    }
    while (end < text->bytes && !strchr(" \t\n", text->data[end])) {
        end++;
    }
    return end - *at;
}

static const char *const splinters[] = {
    "\\\n",
    "\\\n",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "(",
    "${",
    "}",
    "{",
    "$((",
    "))",
    "((",
    "[[",
    "]]",
    "\\",
    "\\\\",
    "#",
    " #",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "\n",
    "\t",
    " ",
    "<",
    ">",
    ">>",
    "<<",
    "<<<",
    "<<-",
    "<(",
    ">(",
    ">&",
    "&>",
    "<&",
    "<>",
    "2>",
    "{fd}>",
    "$",
    "$'",
    "$\"",
    "''",
    "\"\"",
    "!",
    "! ",
    "time ",
    "~",
    "=",
    "+=",
    "[",
    "]",
    "*",
    "?",
    "@",
    "+(",
    "@(",
    "$[",
    "a[",
    "%",
    "/",
    "-",
    "--",
    "if ",
    "then ",
    "fi",
    "do ",
    "done",
    "case ",
    "esac",
    "in ",
    "function ",
    "coproc ",
    "select ",
    "until ",
    "; canary60",
    "&canary61 ",
    "\ncanary62\n",
    "$(canary63)",
    "`canary64`",
    "<(canary65)",
    "|canary66",
    "{ ",
    "; }",
    "()",
    "() ",
    "EOF",
    "<<EOF\n",
    "\nEOF\n",
    "<<'E'\n",
    "\nE\n",
    "1",
    "x",
    ",",
    ":",
    "${x:-",
    "${x@P}",
    "${!",
    "${#",
    "\\`",
    "\\$",
    "\\\"",
    "\\'",
    "\xc2\xa0",
    "\xe2\x80\x8b",
    "\r",
    "\v",
    "\f",
    "\x01",
    "\xff",
    "\x7f",
    "-o",
    " -delete",
    "canary67",
    "eval ",
    "command ",
    "exec ",
    "env ",
    "/",
    "..",
};

static void damage_once(struct shell_text *text)
{
    size_t at = (size_t)below(text, text->bytes + 1);
    size_t other = (size_t)below(text, text->bytes + 1);
    size_t bytes = 0;
    size_t other_bytes = 0;
    const char *splinter = splinters[below(text, COUNT_OF(splinters))];
    switch (below(text, 9)) {
    case 0: /* a byte is lost */
        replace(text, at, at < text->bytes, "", 0);
        break;
    case 1: /* a byte is doubled */
        replace(text, at, 0, text->data + at, at < text->bytes);
        break;
    case 2: /* a word is lost */
        bytes = word_at(text, &at);
        replace(text, at, bytes, "", 0);
        break;
    case 3: /* a word comes again elsewhere */
        other_bytes = word_at(text, &other);
        word_at(text, &at);
        replace(text, at, 0, " ", 1);
        replace(text, at, 0, text->data + other + (other >= at), other_bytes);
        break;
    case 4: /* a word takes the place of another */
        other_bytes = word_at(text, &other);
        bytes = word_at(text, &at);
        replace(text, at, bytes, text->data + other, other_bytes);
        break;
    case 5: /* the end is lost */
        replace(text, at, text->bytes - at, "", 0);
        break;
    default:
        replace(text, at, 0, splinter, strlen(splinter));
        break;
    }
}

void shell_text_damage(struct shell_text *text)
{
    do {
        damage_once(text);
    } while (below(text, 2) == 0);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

const char *shell_text_escape(char *room, size_t room_bytes, const char *command, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < bytes && used + 5 < room_bytes; i++) {
        unsigned char byte = (unsigned char)command[i];
        if (byte == '\n' || byte == '\\' || byte == '\'') {
            room[used++] = '\\';
            room[used++] = byte == '\n' ? 'n' : (char)byte;
        } else if (byte < 32 || byte >= 127) {
            used += (size_t)snprintf(room + used, 5, "\\x%02x", byte);
        } else {
            room[used++] = (char)byte;
        }
    }
    room[used] = '\0';
    return room;
}

/* --- Fixtures ----------------------------------------------------------------------------------------------------- */

/* Four hexadecimal digits as UTF-8; the fixtures write halves of pairs nowhere. */
static size_t put_code_point(char *to, const char *digits)
{
    char number[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    unsigned long code = strtoul(number, NULL, 16);
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    to[0] = (char)(0xe0 | code >> 12);
    to[1] = (char)(0x80 | (code >> 6 & 0x3f));
    to[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

/* The string of a JSON text that begins behind a quote; NULL if it does not end or there is no memory. */
static char *json_string(const char *at)
{
    static const char escapes[] = "n\nt\tr\rb\bf\f\"\"\\\\//";
    char *string = malloc(strlen(at) + 1);
    size_t used = 0;
    for (; string && *at != '"'; at++) {
        if (*at == '\0' || (*at == '\\' && at[1] == '\0')) {
            free(string);
            return NULL;
        }
        if (*at != '\\') {
            string[used++] = *at;
        } else if (*++at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4) {
            used += put_code_point(string + used, at + 1);
            at += 4;
        } else {
            const char *escape = strchr(escapes, *at);
            string[used++] = escape ? escape[1] : *at;
        }
    }
    if (string) {
        string[used] = '\0';
    }
    return string;
}

/* Takes the command over. */
static void add_command(struct shell_fixtures *fixtures, char *command)
{
    char **grown = command ? reallocarray(fixtures->commands, fixtures->count + 1, sizeof *grown) : NULL;
    if (!grown) {
        free(command);
        return;
    }
    fixtures->commands = grown;
    fixtures->commands[fixtures->count++] = command;
}

static void add_fixture(struct shell_fixtures *fixtures, const char *line)
{
    static const char key[] = "\"command\"";
    const char *at = strstr(line, key);
    at = at ? strchr(at + sizeof key - 1, '"') : NULL;
    add_command(fixtures, at ? json_string(at + 1) : NULL);
}

static void read_fixture_file(struct shell_fixtures *fixtures, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0) {
        add_fixture(fixtures, line);
    }
    free(line);
    if (file) {
        fclose(file);
    }
}

void shell_fixtures_read(struct shell_fixtures *fixtures, const char *folder)
{
    struct dirent **entries = NULL;
    char path[512];
    *fixtures = (struct shell_fixtures){NULL, 0};
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        size_t bytes = strlen(entries[i]->d_name);
        if (bytes > 6 && strcmp(entries[i]->d_name + bytes - 6, ".jsonl") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            read_fixture_file(fixtures, path);
        }
        free(entries[i]);
    }
    free(entries);
}

static bool has_nul(FILE *file)
{
    int byte = getc(file);
    while (byte > 0) {
        byte = getc(file);
    }
    rewind(file);
    return byte == 0;
}

bool shell_fixtures_read_corpus(struct shell_fixtures *fixtures, const char *path)
{
    FILE *file = fopen(path, "r");
    char *command = NULL;
    size_t room = 0;
    *fixtures = (struct shell_fixtures){NULL, 0};
    if (!file) {
        return false;
    }
    int delimiter = has_nul(file) ? '\0' : '\n';
    for (ssize_t bytes; (bytes = getdelim(&command, &room, delimiter, file)) > 0;) {
        if (command[bytes - 1] == delimiter) {
            command[--bytes] = '\0';
        }
        add_command(fixtures, bytes > 0 ? strdup(command) : NULL);
    }
    free(command);
    fclose(file);
    return true;
}

void shell_fixtures_free(struct shell_fixtures *fixtures)
{
    for (size_t i = 0; i < fixtures->count; i++) {
        free(fixtures->commands[i]);
    }
    free(fixtures->commands);
    *fixtures = (struct shell_fixtures){NULL, 0};
}

void shell_text_next(struct shell_text *text, struct chance *chance, const struct shell_fixtures *fixtures)
{
    int draw = chance_below(chance, 100);
    if (draw < 25 && fixtures->count > 0) {
        const char *command = fixtures->commands[chance_below(chance, (int)fixtures->count)];
        shell_text_set(text, chance, command, strlen(command));
        if (draw >= 5) {
            shell_text_damage(text);
        }
        return;
    }
    shell_text_make(text, chance, draw < 65 ? SHELL_TEXT_CALM : SHELL_TEXT_EVERY);
    if (chance_below(chance, 4) == 0) {
        shell_text_damage(text);
    }
}
