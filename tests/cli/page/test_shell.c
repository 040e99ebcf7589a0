/* The parts of a page around its content are small, and hold no script but those whose hashes stand in the policy. */
#include "base/base64.h"
#include "cli/page/shell.h"
#include "tests/lib/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHELL_BYTES_MAX (60u << 10)

static char *made(const char *title, const struct xylem_cli__highlight *highlight, struct xylem_cli__html *html)
{
    xylem_cli__html_begin(html, xylem_view_of(title), "To the end", highlight);
    xylem_cli__html_end(html, highlight);
    assert_false(html->text.failed);
    return html->text.bytes.data;
}

/* `sha256-...` of the text, by sha256sum(1). */
static void hash_of(struct xylem_buffer *hash, struct xylem_view text)
{
    static const char digits[] = "0123456789abcdef";
    char path[] = "/tmp/xylem-shell-XXXXXX";
    char line[128];
    unsigned char bytes[32];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, text.data, text.bytes) == (ssize_t)text.bytes);
    snprintf(line, sizeof line, "sha256sum <%s", path);
    FILE *sum = popen(line, "re");
    assert_non_null(sum);
    assert_non_null(fgets(line, sizeof line, sum));
    assert_int_equal(pclose(sum), 0);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] =
            (unsigned char)((strchr(digits, line[2 * i]) - digits) << 4 | (strchr(digits, line[2 * i + 1]) - digits));
    }
    assert_int_equal(xylem_buffer_add(hash, "sha256-", 7), 0);
    assert_int_equal(xylem_base__base64_add(hash, (struct xylem_view){(const char *)bytes, sizeof bytes}), 0);
    close(fd);
    unlink(path);
}

/* Every element of the name has its hash in the policy, between quotes. Gives how many there are. */
static unsigned elements_with_hashes(const char *page, const char *begin, const char *end)
{
    const char *policy_end = strstr(page, "<meta name=\"viewport\"");
    unsigned count = 0;
    assert_non_null(policy_end);
    for (const char *at = page; (at = strstr(at, begin)); count++) {
        struct xylem_buffer hash = {0};
        at += strlen(begin);
        const char *to = strstr(at, end);
        assert_non_null(to);
        assert_int_equal(xylem_buffer_add(&hash, "'", 1), 0);
        hash_of(&hash, (struct xylem_view){at, (size_t)(to - at)});
        assert_int_equal(xylem_buffer_add(&hash, "'", 1), 0);
        const char *found = strstr(page, hash.data);
        assert_non_null(found);
        assert_true(found < policy_end);
        xylem_buffer_release(&hash);
        at = to;
    }
    return count;
}

TEST(an_empty_page_is_small_and_its_hashes_are_those_of_its_parts)
{
    struct xylem_cli__html html = {0};
    const char *page = made("a", NULL, &html);
    assert_true(html.text.bytes.bytes <= SHELL_BYTES_MAX);
    assert_int_equal(elements_with_hashes(page, "<style>", "</style>"), 1);
    assert_int_equal(elements_with_hashes(page, "<script>", "</script>"), 1);
    assert_non_null(strstr(page, "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "));
    xylem_cli__text_release(&html.text);
}

TEST(a_title_ends_nowhere_but_at_its_end)
{
    struct xylem_cli__html html = {0};
    const char *page = made("</title><script>\xe2\x80\xae", NULL, &html);
    assert_non_null(strstr(page, "<title>&lt;/title&gt;&lt;script&gt;\\u202e</title>"));
    xylem_cli__text_release(&html.text);
}

/* --- highlight.js ------------------------------------------------------------------------------------------------- */

static char script_path[PATH_MAX + 32];
static char hash_path[PATH_MAX + 32];

/* The program of the tests looks beside itself, as the command does. */
static int find_paths(void **state)
{
    char self[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)state;
    assert_true(bytes > 0);
    self[bytes] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(script_path, sizeof script_path, "%s/highlight.js", self);
    snprintf(hash_path, sizeof hash_path, "%s/highlight.js.hash", self);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(script_path);
    unlink(hash_path);
    return 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define ABC_POLICY "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
#define ABC_XXH3 "06b05ab6733a618578af5f94892f3950"

static bool has_script(const char *script, const char *hash)
{
    struct xylem_cli cli = {0};
    struct xylem_cli__highlight highlight = {0};
    write_file(script_path, script);
    write_file(hash_path, hash);
    xylem_cli__highlight_read(&cli, &highlight);
    bool has = highlight.script.bytes.bytes > 0;
    xylem_cli__text_release(&highlight.script);
    return has;
}

TEST_WITH(a_script_with_its_hash_is_in_the_page, find_paths, remove_files)
{
    struct xylem_cli cli = {0};
    struct xylem_cli__highlight highlight = {0};
    struct xylem_cli__html html = {0};
    write_file(script_path, "abc");
    write_file(hash_path, ABC_POLICY " " ABC_XXH3 "\n");
    xylem_cli__highlight_read(&cli, &highlight);
    assert_int_equal(elements_with_hashes(made("a", &highlight, &html), "<script>", "</script>"), 2);
    assert_non_null(strstr(html.text.bytes.data, "<script>abc</script>"));
    xylem_cli__text_release(&highlight.script);
    xylem_cli__text_release(&html.text);
}

TEST_WITH(a_script_that_changed_is_in_no_page, find_paths, remove_files)
{
    struct xylem_cli cli = {0};
    struct xylem_cli__highlight highlight = {0};
    struct xylem_cli__html html = {0};
    xylem_cli__highlight_read(&cli, &highlight); /* there is none */
    write_file(script_path, "abc");
    xylem_cli__highlight_read(&cli, &highlight); /* without a hash */
    assert_int_equal(elements_with_hashes(made("a", &highlight, &html), "<script>", "</script>"), 1);
    assert_true(has_script("abc", ABC_POLICY " " ABC_XXH3 "\n"));
    assert_false(has_script("abd", ABC_POLICY " " ABC_XXH3 "\n"));
    assert_false(has_script("abc", ABC_POLICY "\n"));
    assert_false(has_script("abc", "sha256-\"> " ABC_XXH3 "\n"));
    assert_false(has_script("abc", ""));
    xylem_cli__text_release(&html.text);
}
