#include "policy/environment.h"

#include "policy/options.h"

#define RULE "environment"

const struct xylem_policy__table_row xylem_policy__environment_table[] = {
    {"PATH ENV EXECIGNORE", RULE, "decides which programs run"},
    {"BASH_* BASHOPTS SHELLOPTS POSIXLY_CORRECT _POSIX2_VERSION POSIX_ME_HARDER", RULE,
     "changes how the shell and programs read their words"},
    {"PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND", RULE, "is evaluated by the shell"},
    {"RANDOM SECONDS LINENO SRANDOM HISTCMD OPTIND EPOCHSECONDS EPOCHREALTIME BASHPID UID EUID PPID", RULE,
     "is a number: a value is evaluated as arithmetic"},
    {"IFS GLOBIGNORE FIGNORE HOME PWD OLDPWD CDPATH DIRSTACK", RULE, "changes what words and directories mean"},
    {"SHELL EDITOR *_EDITOR FCEDIT VISUAL BROWSER *PAGER *_ASKPASS", RULE, "names a program that others run"},
    {"LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH GETCONF_DIR GLIBC_TUNABLES MALLOC_TRACE HOSTALIASES RES_OPTIONS "
     "LOCALDOMAIN "
     "TZDIR",
     RULE, "changes which libraries are loaded, or what they read"},
    {"OPENSSL_* GNUTLS_* GNUPGHOME KRB5_* SSLKEYLOGFILE", RULE, "has a library load modules, or write keys"},
    {"GIT_* XDG_*", RULE, "changes which configuration is read"},
    {"LESS* MORE MAN* GROFF* TERMINFO* TERMCAP TERMPATH", RULE, "has a pager or a page run programs"},
    {"RIPGREP_CONFIG_PATH FZF_* JQ_LIBRARY_PATH MAGIC INPUTRC HTOPRC LSOF*", RULE,
     "has a program read options, or write its own"},
    {"AWKPATH AWKLIBPATH AWKBUFSIZE GAWK_* PMA_*", RULE, "changes what awk loads or writes"},
    {"PYTHON* PERL* NODE_* RUBY* LUA_* JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS", RULE,
     "has an interpreter load code"},
    {"TEXTDOMAIN* LANGUAGE MUSL_LOCPATH PATH_LOCALE", RULE,
     "takes messages from a file, and the shell runs what stands in them"},
    {"TMPDIR", RULE, "decides where temporary files are written"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__table_row xylem_policy__environment_locales[] = {
    {"LANG LC_ALL LC_CTYPE", RULE,
     "decides where characters end: anything but C, POSIX, en_US and UTF-8 may hide a quote"},
    {NULL, NULL, NULL},
};

static bool ends_with(struct xylem_view name, const char *end, size_t bytes)
{
    return name.bytes >= bytes && memcmp(name.data + (name.bytes - bytes), end, bytes) == 0;
}

const char *xylem_policy__environment(struct xylem_view name)
{
    const struct xylem_policy__table_row *row = xylem_policy__find_row(xylem_policy__environment_table, name);

    return row == NULL ? NULL : row->what;
}

/* Encodings in which no byte of ASCII is part of another character, in all places where the names are known. */
static bool plain_locale(struct xylem_view value)
{
    static const char *const ends[] = {".UTF-8", ".utf8", ".utf-8", ".UTF8"};

    if (value.bytes == 0 || xylem_policy__listed("C POSIX en_US", value)) {
        return true;
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (ends_with(value, ends[i], strlen(ends[i]))) {
            return true;
        }
    }
    return false;
}

const char *xylem_policy__environment_value(struct xylem_view name, const struct xylem_policy__word *value)
{
    const struct xylem_policy__table_row *row = xylem_policy__environment_locales;

    if (!xylem_policy__listed(row->names, name) || (value != NULL && value->literal && plain_locale(value->text))) {
        return NULL;
    }
    return row->what;
}
