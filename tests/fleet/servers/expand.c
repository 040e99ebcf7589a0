/*
 * Says in which files a text lies, as it is or inside of a frame of zstd: compressed segments hide a text from grep.
 *
 *     expand TEXT FILE...     prints a line for each file with the text; the exit code is 0 if there is one, like grep's
 *
 * A frame may lie anywhere, and may be cut at the end of a page or go on in another page: what can be expanded is searched.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#define PLAIN_MAX 4194304u /* of a frame */

static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
static unsigned char *plain;

static bool expands_to(ZSTD_DCtx *context, const unsigned char *frame, size_t bytes, const char *text)
{
    ZSTD_inBuffer in = {frame, bytes, 0};
    ZSTD_outBuffer out = {plain, PLAIN_MAX, 0};
    size_t left = 1;
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    while (left != 0 && !ZSTD_isError(left) && in.pos < in.size && out.pos < out.size) {
        left = ZSTD_decompressStream(context, &out, &in);
    }
    return memmem(plain, out.pos, text, strlen(text)) != NULL;
}

static bool holds(ZSTD_DCtx *context, const unsigned char *data, size_t bytes, const char *text)
{
    if (memmem(data, bytes, text, strlen(text))) {
        return true;
    }
    const unsigned char *at = data;
    const unsigned char *end = data + bytes;
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic))) {
        if (expands_to(context, at, (size_t)(end - at), text)) {
            return true;
        }
        at++;
    }
    return false;
}

static int look_into(ZSTD_DCtx *context, const char *path, const char *text)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) < 0) {
        perror(path);
        exit(2);
    }
    bool found = false;
    if (about.st_size > 0) {
        size_t bytes = (size_t)about.st_size;
        unsigned char *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            perror(path);
            exit(2);
        }
        found = holds(context, data, bytes, text);
        munmap(data, bytes);
    }
    close(fd);
    if (found) {
        puts(path);
    }
    return found;
}

int main(int argc, char **argv)
{
    int found = 0;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    plain = malloc(PLAIN_MAX);
    if (argc < 3 || !context || !plain) {
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        found += look_into(context, argv[i], argv[1]);
    }
    ZSTD_freeDCtx(context);
    free(plain);
    return found > 0 ? 0 : 1;
}
