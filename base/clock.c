#include "base/clock.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

int64_t xylem_base__now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t xylem_base__steady_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int xylem_base__random(void *out, size_t bytes, struct xylem_error *err)
{
    unsigned char *at = out;
    while (bytes > 0) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return xylem_base__fail_errno(err, got < 0 ? errno : EIO, "cannot read", "random bytes");
        }
        at += got;
        bytes -= (size_t)got;
    }
    return XYLEM_OK;
}

/* The 122 free bits of a UUID of version 7. */
struct uuid_bits {
    uint64_t time_ms; /* 48 bits */
    uint32_t high;    /* 12 bits */
    uint64_t low;     /* 62 bits */
};

#define HIGH_MAX 0xFFFu
#define LOW_MAX 0x3FFFFFFFFFFFFFFFu

static pthread_mutex_t uuid_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t uuid_once = PTHREAD_ONCE_INIT;
static struct uuid_bits last_uuid;
static pid_t last_pid;

static void lock_uuid(void)
{
    pthread_mutex_lock(&uuid_lock);
}

static void unlock_uuid(void)
{
    pthread_mutex_unlock(&uuid_lock);
}

/* Holds the lock over a fork(2): else another thread of the parent could leave the lock held for ever in the child. */
static void guard_forks(void)
{
    pthread_atfork(lock_uuid, unlock_uuid, unlock_uuid);
}

/* Writes the lowest digits of a number. */
static void put_hex(char *out, uint64_t number, unsigned digit_count)
{
    while (digit_count > 0) {
        out[--digit_count] = "0123456789abcdef"[number & 0xF];
        number >>= 4;
    }
}

void xylem_base__uuid_write(char out[XYLEM_BASE__UUID_TEXT_BYTES], uint64_t high, uint64_t low)
{
    put_hex(out, high >> 32, 8);
    put_hex(out + 9, high >> 16, 4);
    put_hex(out + 14, high, 4);
    put_hex(out + 19, low >> 48, 4);
    put_hex(out + 24, low, 12);
    out[8] = out[13] = out[18] = out[23] = '-';
}

void xylem_base__uuid_show(char out[XYLEM_BASE__UUID_TEXT_BYTES + 1], const unsigned char uuid[16])
{
    uint64_t halves[2];
    memcpy(halves, uuid, sizeof halves);
    xylem_base__uuid_write(out, be64toh(halves[0]), be64toh(halves[1]));
    out[XYLEM_BASE__UUID_TEXT_BYTES] = '\0';
}

bool xylem_base__is_uuid(struct xylem_view text, const char *digits)
{
    bool is = text.bytes == XYLEM_BASE__UUID_TEXT_BYTES;
    for (size_t i = 0; is && i < text.bytes; i++) {
        char c = text.data[i];
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        is = dash ? c == '-' : c != '\0' && strchr(digits, c);
    }
    return is;
}

/*
 * The bits of the next UUID:
 *
 *     a new millisecond, or a child of fork(2)    random bits; a child must not go on from the parent's last UUID
 *     the same millisecond, or an earlier time    the last UUID, plus a random step: nobody can count or guess ids
 */
int xylem_base__uuid_v7(char out[XYLEM_BASE__UUID_TEXT_BYTES], struct xylem_error *err)
{
    uint64_t chance[2];
    int code = xylem_base__random(chance, sizeof chance, err);
    if (code < 0) {
        return code;
    }
    uint64_t now_ms = (uint64_t)xylem_base__now_ms();
    pid_t pid = getpid();
    pthread_once(&uuid_once, guard_forks);
    lock_uuid();
    if (now_ms > last_uuid.time_ms || pid != last_pid) {
        last_uuid.time_ms = now_ms;
        last_uuid.high = (uint32_t)(chance[0] & HIGH_MAX);
        last_uuid.low = chance[1] & LOW_MAX;
        last_pid = pid;
    } else {
        last_uuid.low += (chance[0] >> 32) + 1;
        last_uuid.high += last_uuid.low > LOW_MAX;
        last_uuid.low &= LOW_MAX;
        last_uuid.time_ms += last_uuid.high > HIGH_MAX;
        last_uuid.high &= HIGH_MAX;
    }
    struct uuid_bits bits = last_uuid;
    unlock_uuid();
    xylem_base__uuid_write(out, bits.time_ms << 16 | 0x7000 | bits.high, UINT64_C(2) << 62 | bits.low);
    return XYLEM_OK;
}
