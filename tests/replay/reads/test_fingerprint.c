/* Files of every kind, and the stamp that spares a second reading. */
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/replay/reads/place.h"
#include "xylem/reads.h"

#define ABC_HASH "xxh3-128:06b05ab6733a618578af5f94892f3950" /* xxhsum -H2 of `abc` */
#define EMPTY_HASH "xxh3-128:99aa06d3014798d86001c324468d497f"

static struct xylem_fingerprint fingerprint_of(const char *name)
{
    struct xylem_fingerprint found = {.bytes = 1234567};
    struct xylem_error err = {0};
    if (xylem_fingerprint_file(&found, place(name), &err) < 0) {
        fail_msg("%s: %s", name, err.text);
    }
    return found;
}

static struct xylem_fingerprint look_at(const char *name, const struct xylem_fingerprint *known)
{
    struct xylem_fingerprint found = {.bytes = 1234567};
    struct xylem_error err = {0};
    if (xylem_fingerprint_look(&found, place(name), known, &err) < 0) {
        fail_msg("%s: %s", name, err.text);
    }
    return found;
}

/* Both calls refuse, and leave the fingerprint unchanged. */
static void assert_refused(const char *path, int code, const char *text)
{
    struct xylem_fingerprint found = {.bytes = 7};
    struct xylem_error err = {0};
    assert_int_equal(xylem_fingerprint_file(&found, path, &err), code);
    assert_string_equal(err.text, text);
    assert_int_equal(xylem_fingerprint_look(&found, path, NULL, &err), code);
    assert_string_equal(err.text, text);
    assert_int_equal(found.bytes, 7);
}

IN_PLACE(a_hash_is_the_hash_of_xxhsum)
{
    place_text("f", "abc");
    struct xylem_fingerprint found = fingerprint_of("f");
    assert_string_equal(found.hash, ABC_HASH);
    assert_int_equal(found.bytes, 3);
    place_text("f", "");
    found = fingerprint_of("f");
    assert_string_equal(found.hash, EMPTY_HASH);
    assert_int_equal(found.bytes, 0);
}

IN_PLACE(a_file_of_many_pieces_is_hashed_whole)
{
    static char data[300000];
    memset(data, 'x', sizeof data);
    place_write("f", data, sizeof data);
    struct xylem_fingerprint one = fingerprint_of("f");
    assert_int_equal(one.bytes, sizeof data);
    data[sizeof data - 1] = 'y';
    place_write("f", data, sizeof data);
    struct xylem_fingerprint other = fingerprint_of("f");
    assert_string_not_equal(one.hash, other.hash);
    place_write("f", data, 65536);
    assert_int_equal(fingerprint_of("f").bytes, 65536);
}

IN_PLACE(a_missing_file_is_not_found)
{
    place_text("f", "");
    assert_refused(place("none"), XYLEM_E_NOT_FOUND, "No such file or directory");
    assert_refused(place("none/f"), XYLEM_E_NOT_FOUND, "No such file or directory");
    assert_refused(place("f/x"), XYLEM_E_NOT_FOUND, "Not a directory");
    assert_int_equal(symlink("none", place("lost")), 0);
    assert_refused(place("lost"), XYLEM_E_NOT_FOUND, "No such file or directory");
}

IN_PLACE(anything_but_a_regular_file_is_refused_without_a_wait)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char here[PATH_MAX];
    assert_int_equal(mkdir(place("d"), 0755), 0);
    assert_int_equal(mkfifo(place("fifo"), 0644), 0);
    assert_int_equal(symlink("fifo", place("link")), 0);
    assert_refused(place("d"), XYLEM_E_IO, "Is a directory");
    assert_refused(place("fifo"), XYLEM_E_IO, "not a regular file");
    assert_refused(place("link"), XYLEM_E_IO, "not a regular file");
    assert_refused("/dev/null", XYLEM_E_IO, "not a regular file");
    assert_refused("/dev/zero", XYLEM_E_IO, "not a regular file");
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(listening >= 0 && getcwd(here, sizeof here) && chdir(place_root) == 0);
    strcpy(address.sun_path, "socket");
    assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(chdir(here), 0);
    assert_refused(place("socket"), XYLEM_E_IO, "not a regular file");
    close(listening);
}

IN_PLACE(an_unreadable_file_has_the_text_of_the_system)
{
    place_text("f", "x");
    assert_int_equal(chmod(place("f"), 0), 0);
    place_lose_rights();
    assert_refused(place("f"), XYLEM_E_IO, "Permission denied");
    place_get_rights();
}

IN_PLACE(a_link_is_looked_through)
{
    place_text("f", "abc");
    assert_int_equal(symlink("f", place("l")), 0);
    assert_string_equal(fingerprint_of("l").hash, ABC_HASH);
    assert_int_equal(fingerprint_of("l").stamp.inode, fingerprint_of("f").stamp.inode);
}

/* A fingerprint that was taken three seconds later, as far as its stamp says. */
static struct xylem_fingerprint settled(const char *name)
{
    struct xylem_fingerprint known = fingerprint_of(name);
    known.stamp.looked_ns += INT64_C(3000000000);
    strcpy(known.hash, "noted:00"); /* another text shows whether the file was hashed again */
    return known;
}

IN_PLACE(an_old_file_with_the_same_stamp_is_not_read_again)
{
    place_text("f", "abc");
    struct xylem_fingerprint known = settled("f");
    assert_string_equal(look_at("f", &known).hash, "noted:00");
}

IN_PLACE(a_file_that_was_young_when_noted_is_read_again)
{
    place_text("f", "abc");
    struct xylem_fingerprint known = settled("f");
    known.stamp.looked_ns = known.stamp.changed_ns + INT64_C(1999999999);
    assert_string_equal(look_at("f", &known).hash, ABC_HASH);
    known.stamp.looked_ns = known.stamp.changed_ns + INT64_C(2000000000);
    assert_string_equal(look_at("f", &known).hash, "noted:00");
}

IN_PLACE(an_old_modification_time_alone_is_no_proof_of_age)
{
    place_text("f", "abc");
    place_date("f", 1000000000); /* as `touch -d` or `cp -p` do: the change of the time is new */
    struct xylem_fingerprint known = fingerprint_of("f");
    strcpy(known.hash, "noted:00");
    assert_string_equal(look_at("f", &known).hash, ABC_HASH);
}

IN_PLACE(each_part_of_the_stamp_counts)
{
    place_text("f", "abc");
    for (int part = 0; part < 5; part++) {
        struct xylem_fingerprint known = settled("f");
        known.stamp.device += part == 0;
        known.stamp.inode += part == 1;
        known.stamp.modified_ns -= part == 2;
        known.stamp.changed_ns -= part == 3;
        known.bytes += part == 4;
        assert_string_equal(look_at("f", &known).hash, ABC_HASH);
    }
}

IN_PLACE(a_zeroed_stamp_is_never_trusted)
{
    place_text("f", "abc");
    struct xylem_fingerprint known = {.hash = "noted:00", .bytes = 3};
    assert_string_equal(look_at("f", &known).hash, ABC_HASH);
}

IN_PLACE(a_look_at_a_file_that_is_not_noted_reads_nothing)
{
    place_text("f", "abc");
    struct xylem_fingerprint found = look_at("f", NULL);
    assert_string_equal(found.hash, "");
    assert_int_equal(found.bytes, 3);
}

TEST(a_fingerprint_needs_a_place_and_a_path)
{
    struct xylem_fingerprint found;
    assert_int_equal(xylem_fingerprint_file(NULL, "/", NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_fingerprint_file(&found, NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_fingerprint_look(NULL, "/", NULL, NULL), XYLEM_E_ARGUMENT);
    assert_int_equal(xylem_fingerprint_look(&found, NULL, NULL, NULL), XYLEM_E_ARGUMENT);
}
