/* What the samples say, as tables and as a JSON document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/frame.h"

enum { P99_SAMPLES = 100 /* of fewer it would be their greatest */ };

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of sorted values, the one that so large a part of them does not exceed. */
static double percentile(const double *sorted, size_t count, double part)
{
    size_t rank = (size_t)ceil(part * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double *room_for(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    bench_must(values != NULL, "figures", "out of memory");
    return values;
}

static void evaluate_line(const struct bench *bench, struct bench_line *line)
{
    double *sorted = room_for(bench->round_count);
    size_t count = 0;
    for (size_t i = 0; i < bench->round_count; i++) {
        if (line->samples[i] > 0) {
            sorted[count++] = line->samples[i];
        }
    }
    bench_must(count > 0, line->contestant.name, "it was too fast for the clock");
    line->sample_count = count;
    line->median_ns = bench_median(sorted, count);
    line->least_ns = sorted[0];
    line->p99_ns = count < P99_SAMPLES ? 0 : percentile(sorted, count, 0.99);
    line->noise = (percentile(sorted, count, 0.9) - percentile(sorted, count, 0.1)) / line->median_ns;
    free(sorted);
}

double bench_ratio(size_t *rounds, const struct bench *bench, const struct bench_line *line,
                   const struct bench_line *against)
{
    double *ratios = room_for(bench->round_count);
    size_t count = 0;
    for (size_t i = 0; i < bench->round_count; i++) {
        if (line->samples[i] > 0 && against->samples[i] > 0) {
            ratios[count++] = line->samples[i] / against->samples[i];
        }
    }
    double ratio = count > 0 ? bench_median(ratios, count) : 0;
    free(ratios);
    *rounds = count;
    return ratio;
}

static bool same_table(const struct bench_line *a, const struct bench_line *b)
{
    return strcmp(a->contestant.table, b->contestant.table) == 0;
}

/* What the ratios of the line's table are taken against. */
static const struct bench_line *floor_of(const struct bench *bench, const struct bench_line *line)
{
    const struct bench_line *first = NULL;
    for (size_t i = 0; i < bench->line_count; i++) {
        const struct bench_line *other = &bench->lines[i];
        if (same_table(other, line)) {
            if (other->contestant.floor) {
                return other;
            }
            first = first ? first : other;
        }
    }
    return first;
}

void bench_evaluate(struct bench *bench)
{
    for (size_t i = 0; i < bench->line_count; i++) {
        evaluate_line(bench, &bench->lines[i]);
    }
    for (size_t i = 0; i < bench->line_count; i++) {
        struct bench_line *line = &bench->lines[i];
        line->ratio = bench_ratio(&line->ratio_rounds, bench, line, floor_of(bench, line));
    }
}

/* Three significant digits and a unit: `1.23 us`, `45.6 ms`. */
static const char *time_text(char *text, size_t bytes, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    while (unit < 3 && ns >= 999.5) {
        ns /= 1000;
        unit++;
    }
    snprintf(text, bytes, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[unit]);
    return text;
}

static const char *rate_text(char *text, size_t bytes, const struct bench_line *line)
{
    static const char *const thousands[] = {"", " k", " M", " G"};
    double rate = line->contestant.items * 1e9 / line->median_ns;
    size_t power = 0;
    while (power < 3 && rate >= 999.5) {
        rate /= 1000;
        power++;
    }
    snprintf(text, bytes, "%.*f%s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, thousands[power]);
    return text;
}

/* Digits behind the point. */
static int ratio_digits(double ratio)
{
    return ratio < 0.095 ? 4 : ratio < 99.95 ? 2 : 0;
}

/* What the columns of a table depend on. */
struct layout {
    int name_width;
    const char *rate; /* heads the column of rates; NULL: there is none */
};

static void print_line(const struct bench_line *line, const struct layout *layout)
{
    char median_text[32];
    char p99_text[32] = "-";
    char rate[32] = "";
    time_text(median_text, sizeof median_text, line->median_ns);
    if (line->p99_ns > 0) {
        time_text(p99_text, sizeof p99_text, line->p99_ns);
    }
    if (line->contestant.items > 0) {
        rate_text(rate, sizeof rate, line);
    }
    printf("  %-*s %7s %7s %4.0f %% %7zu %6.*f %6zu", layout->name_width, line->contestant.name, median_text, p99_text,
           line->noise * 100, line->sample_count, ratio_digits(line->ratio), line->ratio, line->ratio_rounds);
    if (layout->rate) {
        printf(" %10s", rate);
    }
    printf("  %s\n", line->contestant.loses);
}

static struct layout layout_of(const struct bench *bench, const struct bench_line *head)
{
    struct layout layout = {.name_width = 0, .rate = NULL};
    for (size_t i = 0; i < bench->line_count; i++) {
        const struct bench_contestant *contestant = &bench->lines[i].contestant;
        if (!same_table(head, &bench->lines[i])) {
            continue;
        }
        int width = (int)strlen(contestant->name);
        layout.name_width = width > layout.name_width ? width : layout.name_width;
        layout.rate = contestant->items > 0 ? contestant->items_unit : layout.rate;
    }
    return layout;
}

/* The table that the line is the first of. */
static void print_table(const struct bench *bench, size_t first)
{
    const struct bench_line *head = &bench->lines[first];
    struct layout layout = layout_of(bench, head);
    printf("\n%s\n", head->contestant.table);
    printf("  %-*s %7s %7s  noise samples  ratio rounds", layout.name_width, "", "median", "p99");
    if (layout.rate) {
        printf(" %10s", layout.rate);
    }
    printf("  a power cut loses\n");
    for (size_t i = first; i < bench->line_count; i++) {
        if (same_table(head, &bench->lines[i])) {
            print_line(&bench->lines[i], &layout);
        }
    }
    printf("  ratio: to \"%s\", in the rounds in which both ran\n", floor_of(bench, head)->contestant.name);
}

void bench_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') {
            fprintf(file, "\\%c", byte);
        } else if (byte < 0x20) {
            fprintf(file, "\\u%04x", byte);
        } else {
            fputc(byte, file);
        }
    }
    fputc('"', file);
}

static void begin_figure(struct bench *bench, const char *type)
{
    fprintf(bench->figures, "%s\n    {\"type\": \"%s\"", ftell(bench->figures) > 0 ? "," : "", type);
}

static void add_string(struct bench *bench, const char *name, const char *text)
{
    fprintf(bench->figures, ", \"%s\": ", name);
    bench_json_string(bench->figures, text);
}

static void add_line(struct bench *bench, const struct bench_line *line)
{
    begin_figure(bench, "time");
    add_string(bench, "table", line->contestant.table);
    add_string(bench, "name", line->contestant.name);
    add_string(bench, "power_cut_loses", line->contestant.loses);
    add_string(bench, "ratio_to", floor_of(bench, line)->contestant.name);
    fprintf(bench->figures, ", \"least_ns\": %.1f, \"median_ns\": %.1f, \"p99_ns\": ", line->least_ns, line->median_ns);
    fprintf(bench->figures, line->p99_ns > 0 ? "%.1f" : "null", line->p99_ns);
    fprintf(bench->figures,
            ", \"noise\": %.3f, \"samples\": %zu, \"operations\": %llu, \"ratio\": %.6f, \"ratio_rounds\": %zu",
            line->noise, line->sample_count, (unsigned long long)line->count, line->ratio, line->ratio_rounds);
    if (line->contestant.items > 0) {
        fprintf(bench->figures, ", \"rate\": %.1f", line->contestant.items * 1e9 / line->median_ns);
        add_string(bench, "rate_unit", line->contestant.items_unit);
    }
    fputc('}', bench->figures);
}

void bench_report(struct bench *bench)
{
    for (size_t i = 0; i < bench->line_count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++) {
            first = first && !same_table(&bench->lines[k], &bench->lines[i]);
        }
        if (first && !bench->json) {
            print_table(bench, i);
        }
        add_line(bench, &bench->lines[i]);
    }
    fflush(stdout);
}

static const struct bench_line *find_line(const struct bench *bench, const char *table, const char *name)
{
    for (size_t i = 0; i < bench->line_count; i++) {
        const struct bench_contestant *contestant = &bench->lines[i].contestant;
        if (strcmp(contestant->table, table) == 0 && strcmp(contestant->name, name) == 0) {
            return &bench->lines[i];
        }
    }
    bench_must(false, name, "no contestant of that name and table was measured");
    return NULL;
}

void bench_flat(struct bench *bench, const char *name, const char *from, const char *to)
{
    size_t rounds = 0;
    double ratio = bench_ratio(&rounds, bench, find_line(bench, to, name), find_line(bench, from, name));
    if (!bench->json) {
        printf("%s: %.2f times as long, in %zu rounds\n    from \"%s\"\n    to \"%s\"\n", name, ratio, rounds, from,
               to);
    }
    begin_figure(bench, "flat");
    add_string(bench, "name", name);
    add_string(bench, "from", from);
    add_string(bench, "to", to);
    fprintf(bench->figures, ", \"ratio\": %.6f, \"ratio_rounds\": %zu}", ratio, rounds);
}

/* Two digits behind the point where the value is small. */
static int figure_digits(double value)
{
    return value < 100 && value != floor(value) ? 2 : 0;
}

static void print_grid(const struct bench_grid *grid)
{
    int width = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        int bytes = (int)strlen(grid->rows[row].name);
        width = bytes > width ? bytes : width;
    }
    printf("\n%s\n  %-*s", grid->table, width, "");
    for (size_t column = 0; column < grid->column_count; column++) {
        printf(" %10s", grid->columns[column]);
    }
    putchar('\n');
    for (size_t row = 0; row < grid->row_count; row++) {
        printf("  %-*s", width, grid->rows[row].name);
        for (size_t column = 0; column < grid->column_count; column++) {
            double value = grid->values[row * grid->column_count + column];
            if (value < 0) {
                printf(" %10s", "-");
            } else {
                printf(" %10.*f", figure_digits(value), value);
            }
        }
        printf("  %s\n", grid->rows[row].unit);
    }
}

void bench_grid(struct bench *bench, const struct bench_grid *grid)
{
    if (!bench->json) {
        print_grid(grid);
    }
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        const struct bench_grid_row *row = &grid->rows[i / grid->column_count];
        begin_figure(bench, "figure");
        add_string(bench, "table", grid->table);
        add_string(bench, "name", row->name);
        add_string(bench, "column", grid->columns[i % grid->column_count]);
        add_string(bench, "unit", row->unit);
        fprintf(bench->figures, grid->values[i] < 0 ? ", \"value\": null}" : ", \"value\": %.3f}", grid->values[i]);
    }
}

void bench_figure(struct bench *bench, const char *name, double value, const char *unit)
{
    if (!bench->json) {
        printf("%s: %.*f %s\n", name, figure_digits(value), value, unit);
    }
    begin_figure(bench, "figure");
    add_string(bench, "name", name);
    add_string(bench, "unit", unit);
    fprintf(bench->figures, ", \"value\": %.3f}", value);
}

void bench_note(struct bench *bench, const char *text)
{
    if (!bench->json) {
        printf("%s\n", text);
    }
    begin_figure(bench, "note");
    add_string(bench, "text", text);
    fputc('}', bench->figures);
}

void bench_document(FILE *file, struct bench *bench)
{
    fprintf(file, "{\n  \"schema\": 1,\n  \"question\": ");
    bench_json_string(file, bench->question);
    fprintf(file, ",\n");
    bench_machine_json(file, bench->directory);
    fprintf(file, ",\n  \"figures\": [%s\n  ]\n}\n", bench->figures_text);
}
