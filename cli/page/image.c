/* Paints images: data: URLs of four formats, of which a browser runs nothing. */
#include "cli/page/passage.h"

#define IMAGE_BYTES_MAX 2097152u
#define PAGE_BYTES_MAX 8388608u
#define HEAD_CHARACTERS 16u /* of base64: 12 bytes */

/* The format by the first bytes of base64, never by what the entry says of it; NULL: another one, or no base64. */
static const char *format_of(struct xylem_view data)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" XYLEM_BASE__DIGITS "+/";
    static const char *const rows[][3] = {{"iVBORw0KGgo", "", "png"},  /* \x89PNG\r\n\x1a\n */
                                          {"/9j/", "", "jpeg"},        /* \xff\xd8\xff */
                                          {"R0lGODdh", "", "gif"},     /* GIF87a */
                                          {"R0lGODlh", "", "gif"},     /* GIF89a */
                                          {"UklGR", "XRUJQ", "webp"}}; /* RIFF; WEBP behind 8 bytes */
    size_t end = xylem_base__skip(data, 0, alphabet);
    if (data.bytes < HEAD_CHARACTERS || data.bytes % 4 != 0 || data.bytes - end > 2 ||
        xylem_base__skip(data, end, "=") != data.bytes) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (xylem_base__view_begins(data, xylem_view_of(rows[i][0])) &&
            xylem_base__view_begins((struct xylem_view){data.data + 11, 5}, xylem_view_of(rows[i][1]))) {
            return rows[i][2];
        }
    }
    return NULL;
}

void xylem_cli__paint_image(struct xylem_cli__painting *painting, const struct xylem_cli__passage *image)
{
    struct xylem_cli__html *html = painting->html;
    struct xylem_view data = xylem_cli__string_of(image->value, "data");
    struct xylem_view type = image->words.bytes > 0 ? image->words : xylem_view_of("image");
    const char *format = format_of(data);
    struct xylem_cli__text size = {0};
    xylem_cli__add_size(&size, image->bytes);
    if (!format || image->bytes > IMAGE_BYTES_MAX || html->image_bytes + image->bytes > PAGE_BYTES_MAX) {
        painting->cuts->image_count++;
        painting->cuts->image_bytes += image->bytes;
        xylem_cli__paint_text(painting, "<p class=\"note\">", type, ", ");
        xylem_cli__html_put(html, "", &size,
                            format ? ": too large to be shown here</p>\n"
                                   : ": no PNG, JPEG, GIF or WebP, so not shown</p>\n");
        return;
    }
    html->image_bytes += image->bytes;
    xylem_cli__html_add(html, "<figure class=\"image\"><img alt=\"");
    xylem_cli__html_attribute(html, type);
    xylem_cli__html_put(html, ", ", &size, "\" src=\"data:image/");
    xylem_cli__html_add(html, format);
    xylem_cli__html_add(html, ";base64,");
    xylem_cli__html_attribute(html, data);
    xylem_cli__html_add(html, "\" loading=\"lazy\"></figure>\n");
}
