#include "cli/page/shell.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "xylem/reads.h"

#define SCRIPT_BYTES_MAX (1u << 20)
#define HASH_DIGITS 32u

/* Made by tools/page.awk of page.css and page.js. */
extern const char xylem_cli__page_css[], xylem_cli__page_css_hash[], xylem_cli__page_js[], xylem_cli__page_js_hash[];

/* --- highlight.js ------------------------------------------------------------------------------------------------- */

/* Sets the path of the script, beside this program or in ../share/xylem/. False: there is no script. */
static bool find_script(struct xylem_cli__text *path)
{
    static const char *const places[] = {"highlight.js", "../share/xylem/highlight.js"};
    char self[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self);
    const char *slash = bytes < 0 ? NULL : memrchr(self, '/', (size_t)bytes);
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        xylem_cli__text_clear(path);
        xylem_cli__add_bytes(path, self, (size_t)(slash + 1 - self));
        xylem_cli__add(path, places[i]);
        if (!path->failed && access(path->bytes.data, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* False for an unreadable script, and for other bytes than the bytes behind the kept hash. */
static bool read_script(struct xylem_cli *cli, struct xylem_cli__highlight *highlight, struct xylem_cli__text *path)
{
    struct xylem_fingerprint print;
    char hash[HASH_DIGITS + 1];
    int fd = open(path->bytes.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_right = fd >= 0 &&
                    xylem_cli__read_all(cli, &highlight->script, fd, SCRIPT_BYTES_MAX, false, path->bytes.data) == 0 &&
                    xylem_fingerprint_file(&print, path->bytes.data, &cli->err) == 0;
    if (fd >= 0) {
        close(fd);
    }
    xylem_cli__add(path, ".hash");
    FILE *file = is_right && !path->failed ? fopen(path->bytes.data, "rbe") : NULL;
    is_right = file && fscanf(file, "%51[A-Za-z0-9+/=-] %32[0-9a-f]", highlight->policy, hash) == 2 &&
               strcmp(hash, strchr(print.hash, ':') + 1) == 0;
    if (file) {
        fclose(file);
    }
    return is_right;
}

void xylem_cli__highlight_read(struct xylem_cli *cli, struct xylem_cli__highlight *highlight)
{
    struct xylem_cli__text path = {0};
    if (find_script(&path) && !read_script(cli, highlight, &path)) {
        xylem_cli__note(cli, "highlight.js is not the file that was installed: the page goes without colours of code");
        xylem_cli__text_release(&highlight->script);
    }
    xylem_cli__text_release(&path);
}

/* --- The page ----------------------------------------------------------------------------------------------------- */

static bool has_script(const struct xylem_cli__highlight *highlight)
{
    return highlight && highlight->script.bytes.bytes > 0;
}

/* The page may run its own scripts, and may load nothing at all: a page is complete. */
static void add_policy(struct xylem_cli__html *html, const struct xylem_cli__highlight *highlight)
{
    xylem_cli__html_add(html, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src "
                              "data:; base-uri 'none'; form-action 'none'; style-src '");
    xylem_cli__html_add(html, xylem_cli__page_css_hash);
    xylem_cli__html_add(html, "'; script-src '");
    xylem_cli__html_add(html, xylem_cli__page_js_hash);
    if (has_script(highlight)) {
        xylem_cli__html_add(html, "' '");
        xylem_cli__html_attribute(html, xylem_view_of(highlight->policy));
    }
    xylem_cli__html_add(html, "'\">\n");
}

void xylem_cli__html_begin(struct xylem_cli__html *html, struct xylem_view title, const char *skip,
                           const struct xylem_cli__highlight *highlight)
{
    xylem_cli__html_add(html, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    add_policy(html, highlight);
    xylem_cli__html_add(html, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                              "<meta name=\"referrer\" content=\"no-referrer\">"
                              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    xylem_cli__html_attribute(html, title); /* no element may stand in a title */
    xylem_cli__html_add(html, "</title>\n<style>");
    xylem_cli__html_add(html, xylem_cli__page_css);
    xylem_cli__html_add(html, "</style></head>\n<body>\n<a class=\"skip\" href=\"#path\">");
    xylem_cli__html_add(html, skip);
    xylem_cli__html_add(html, "</a>\n");
}

void xylem_cli__html_end(struct xylem_cli__html *html, const struct xylem_cli__highlight *highlight)
{
    if (has_script(highlight)) {
        xylem_cli__html_add(html, "<script>");
        xylem_cli__html_made(html, &highlight->script);
        xylem_cli__html_add(html, "</script>\n");
    }
    xylem_cli__html_add(html, "<script>");
    xylem_cli__html_add(html, xylem_cli__page_js);
    xylem_cli__html_add(html, "</script>\n</body></html>\n");
}
