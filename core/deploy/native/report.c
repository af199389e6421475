/* The variable, read once, and what is said on standard error. */
#define _GNU_SOURCE
#include "pool.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LINES_PER_SECOND = 5 };

/* ---- the variable, read once ------------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int state; /* 0 not read, 1 no pool, 2 a pool */

static void in_child(void) {
    start_anew();
    forget_callers_lock();
}

static void read_variable(void) {
    uint64_t pools[MAX_DEVICES];
    const char *text = getenv(POOL_VARIABLE);
    bool given = text && *text, good = given && parse_pools(text, pools);
    if (given && !good)
        say(POOL_VARIABLE " is no size: \"%.40s\"; the pool is NOT enforced; write for example 10GiB", text);
    if (good) {
        set_pools(pools);
        pthread_atfork(NULL, NULL, in_child);
    }
    atomic_store_explicit(&state, good ? 2 : 1, memory_order_release);
}

bool pool_is_set(void) {
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (__builtin_expect(now == 0, 0)) {
        pthread_once(&once, read_variable);
        now = atomic_load_explicit(&state, memory_order_acquire);
    }
    return now == 2;
}

static __attribute__((constructor)) void start(void) { pool_is_set(); }

/* ---- what is said ------------------------------------------------------------------------------------------------ */

/* One write, so that lines of threads and processes do not mix. */
void say(const char *format, ...) {
    char line[512];
    int size = snprintf(line, sizeof line, "vramtuner: ");
    va_list arguments;
    va_start(arguments, format);
    size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    if (size > (int)sizeof line - 2)
        size = (int)sizeof line - 2;
    line[size++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)size) < 0)
        return; /* nobody to tell */
}

static _Atomic uint64_t this_second, unsaid;

/* At most LINES_PER_SECOND: an engine that tries smaller sizes until one fits must not fill a disk. */
bool may_say(uint64_t *left_out) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    uint64_t seen = atomic_load(&this_second), next;
    do {
        bool same = seen >> 8 == (uint64_t)now.tv_sec + 1;
        if (same && (seen & 0xff) >= LINES_PER_SECOND) {
            atomic_fetch_add(&unsaid, 1);
            return false;
        }
        next = same ? seen + 1 : (((uint64_t)now.tv_sec + 1) << 8 | 1);
    } while (!atomic_compare_exchange_weak(&this_second, &seen, next));
    *left_out = atomic_exchange(&unsaid, 0);
    return true;
}

void say_refused(const char *function, int device, uint64_t asked, uint64_t held) {
    uint64_t pool = device_pool(device), left_out;
    char more[64] = "";
    if (!may_say(&left_out))
        return;
    if (left_out)
        snprintf(more, sizeof more, " (%llu more refusals not shown)", (unsigned long long)left_out);
    say("%s refused on device %d: asked %llu bytes (%llu MiB), held %llu (%llu MiB), pool %llu (%llu MiB), "
        "by " POOL_VARIABLE "%s",
        function, device, (unsigned long long)asked, (unsigned long long)(asked >> 20), (unsigned long long)held,
        (unsigned long long)(held >> 20), (unsigned long long)pool, (unsigned long long)(pool >> 20), more);
}
