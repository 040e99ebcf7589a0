#include "judge/policy/engine/environment.h"

#include "judge/policy/words/options.h"

#define RULE "environment"

const struct xylem_policy__table_row xylem_policy__environment_table[] = {
    {"PATH ENV EXECIGNORE", RULE, "decides which programs run"},
    {"BASH_* BASHOPTS SHELLOPTS POSIXLY_CORRECT _POSIX2_VERSION POSIX_ME_HARDER", RULE,
     "changes how the shell and programs read their words"},
    {"PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND", RULE, "is evaluated by the shell"},
    {"RANDOM SECONDS LINENO SRANDOM HISTCMD OPTIND EPOCHSECONDS EPOCHREALTIME BASHPID UID EUID PPID", RULE,
     "is a number: a value is evaluated as arithmetic"},
    {"IFS GLOBIGNORE FIGNORE HOME PWD OLDPWD CDPATH DIRSTACK", RULE, "changes what words and directories mean"},
    {"SHELL EDITOR *_EDITOR FCEDIT VISUAL BROWSER *_ASKPASS", RULE, "names a program that others run"},
    {"LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH GETCONF_DIR GLIBC_TUNABLES MALLOC_TRACE HOSTALIASES RES_OPTIONS "
     "LOCALDOMAIN TZDIR",
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
     "takes messages from a file, and the shell runs substitutions in them"},
    {"HIST* histchars HOSTFILE", RULE, "makes the shell cut or write the history file"},
    {"MAIL*", RULE, "has the shell expand a message"},
    {"NULLCMD READNULLCMD path cdpath manpath fpath FPATH module_path MODULE_PATH", RULE,
     "decides in zsh which programs run"},
    {"TMPDIR TMPPREFIX", RULE, "decides where temporary files are written"},
    {NULL, NULL, NULL},
};

const struct xylem_policy__allowed_variable xylem_policy__environment_allowed[] = {
    {"LANG LC_*", XYLEM_POLICY__VALUE_LOCALE,
     "decides where characters end: a locale other than C, POSIX, en_US and UTF-8 may hide a quote"},
    {"TZ", XYLEM_POLICY__VALUE_ZONE,
     "may name a file: only names such as UTC and Europe/Paris are known to be harmless"},
    {"TERM", XYLEM_POLICY__VALUE_NAME,
     "may name a file: only names such as dumb and xterm-256color are known to be harmless"},
    {"COLUMNS LINES", XYLEM_POLICY__VALUE_NUMBER, "is known to be harmless only as a number"},
    {"NO_COLOR FORCE_COLOR CI", XYLEM_POLICY__VALUE_ANY, "only says whether there is a terminal"},
    {"*PAGER", XYLEM_POLICY__VALUE_CAT, "names a program that others run: only cat is known to be harmless"},
    {NULL, XYLEM_POLICY__VALUE_ANY, NULL},
};

/* True for letters and digits; behind the first character also the characters of `others`. */
static bool made_of(struct xylem_view value, const char *others)
{
    for (size_t i = 0; i < value.bytes; i++) {
        char c = value.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (i == 0 || c == '\0' || !strchr(others, c))) {
            return false;
        }
    }
    return true;
}

static bool value_allowed(enum xylem_policy__allowed_value allowed, const struct xylem_shell__word *value)
{
    if (allowed == XYLEM_POLICY__VALUE_ANY) {
        return true;
    }
    if (!value || !value->literal) {
        return false;
    }
    switch (allowed) {
    case XYLEM_POLICY__VALUE_LOCALE:
        return value->text.bytes == 0 || xylem_policy__listed("C POSIX en_US", value->text) ||
               (!xylem_policy__view_has(value->text, '/') &&
                xylem_policy__listed("*.UTF-8 *.utf8 *.utf-8 *.UTF8", value->text));
    case XYLEM_POLICY__VALUE_ZONE:
        return made_of(value->text, "/_+-"); /* no dot: a name leads to no other directory */
    case XYLEM_POLICY__VALUE_NAME:
        return made_of(value->text, "-+_.");
    case XYLEM_POLICY__VALUE_NUMBER:
        return value->text.bytes == 0 || (value->text.bytes < 6 && xylem_shell__all_digits(value->text));
    default:
        return xylem_base__view_is(value->text, "cat");
    }
}

const char *xylem_policy__environment(struct xylem_view name, const struct xylem_shell__word *value, bool exported)
{
    const struct xylem_policy__allowed_variable *allowed = xylem_policy__environment_allowed;
    while (allowed->names && !xylem_policy__listed(allowed->names, name)) {
        allowed++;
    }
    if (allowed->names) {
        return value_allowed(allowed->value, value) ? NULL : allowed->what;
    }
    const struct xylem_policy__table_row *row = xylem_policy__find_row(xylem_policy__environment_table, name);
    if (row) {
        return row->what;
    }
    return exported ? "is not among the variables that are known to be harmless" : NULL;
}
