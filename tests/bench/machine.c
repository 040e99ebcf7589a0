/* What a figure depends on: the machine, and the versions of everything that runs in it. */
#include <lmdb.h>
#include <mntent.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/bench/frame.h"

struct fact {
    const char *group;
    const char *name;
    char text[256];
};

enum { FACTS = 10 };

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void read_cpu(char *text, size_t bytes)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, bytes, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, bytes, "%s", colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

/* The type of the file system that the directory lies on: that of the mount point that is the longest prefix of it. */
static void read_file_system(char *text, size_t bytes, const char *directory)
{
    size_t longest = 0;
    char *whole = realpath(directory, NULL);
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    snprintf(text, bytes, "unknown");
    for (struct mntent *mount = NULL; whole && mounts && (mount = getmntent(mounts)) != NULL;) {
        size_t prefix = strlen(mount->mnt_dir);
        bool below = strncmp(whole, mount->mnt_dir, prefix) == 0 && (prefix == 1 || whole[prefix] == '/');
        if (below && prefix >= longest) {
            longest = prefix;
            snprintf(text, bytes, "%s", mount->mnt_type);
        }
    }
    if (mounts) {
        endmntent(mounts);
    }
    free(whole);
}

static void read_load(char *text, size_t bytes)
{
    double load = 0;
    bool known = getloadavg(&load, 1) == 1;
    snprintf(text, bytes, known ? "%.2f" : "unknown", load);
}

static void read_facts(struct fact *facts, const char *directory)
{
    static const struct fact names[FACTS] = {
        {"machine", "cpu", ""},      {"machine", "cores", ""},         {"machine", "kernel", ""},
        {"machine", "store on", ""}, {"machine", "load at start", ""}, {"versions", "xylem", ""},
        {"versions", "LMDB", ""},    {"versions", "SQLite", ""},       {"versions", "compiler", ""},
        {"versions", "flags", ""},
    };
    struct utsname system;
    memcpy(facts, names, sizeof names);
    read_cpu(facts[0].text, sizeof facts[0].text);
    snprintf(facts[1].text, sizeof facts[1].text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        snprintf(facts[2].text, sizeof facts[2].text, "%s %s", system.sysname, system.release);
    }
    read_file_system(facts[3].text, sizeof facts[3].text, directory);
    read_load(facts[4].text, sizeof facts[4].text);
    snprintf(facts[5].text, sizeof facts[5].text, "%s", xylem_version());
    snprintf(facts[6].text, sizeof facts[6].text, "%d.%d.%d", MDB_VERSION_MAJOR, MDB_VERSION_MINOR, MDB_VERSION_PATCH);
    snprintf(facts[7].text, sizeof facts[7].text, "%s", sqlite3_libversion());
    snprintf(facts[8].text, sizeof facts[8].text, "%s", COMPILER);
    snprintf(facts[9].text, sizeof facts[9].text, "%s", BENCH_FLAGS);
}

void bench_machine_json(FILE *file, const char *directory)
{
    struct fact facts[FACTS];
    read_facts(facts, directory);
    for (size_t i = 0; i < FACTS; i++) {
        bool first = i == 0 || strcmp(facts[i].group, facts[i - 1].group) != 0;
        fprintf(file, "%s%s%s%s",
                i == 0  ? ""
                : first ? "},\n"
                        : ", ",
                first ? "  \"" : "", first ? facts[i].group : "", first ? "\": {" : "");
        bench_json_string(file, facts[i].name);
        fprintf(file, ": ");
        bench_json_string(file, facts[i].text);
    }
    fputc('}', file);
}

void bench_machine_text(FILE *file, const char *directory)
{
    struct fact facts[FACTS];
    read_facts(facts, directory);
    fprintf(file, "%s, %s cores, %s, store on %s, load %s\n", facts[0].text, facts[1].text, facts[2].text,
            facts[3].text, facts[4].text);
    fprintf(file, "xylem %s, LMDB %s, SQLite %s, compiler %s, %s\n", facts[5].text, facts[6].text, facts[7].text,
            facts[8].text, facts[9].text);
}
