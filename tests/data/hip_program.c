/* Programs that use HIP in the ways the preloaded pool must hold in: `hip_program CASE ...`, linked with the stand-in.
 *
 * Each prints `ok`, or the line and the condition that does not hold.
 */
#define _GNU_SOURCE
#include "hip_standin.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static size_t left(void) {
    size_t size;
    HOLDS(hipMemGetInfo(&size, NULL) == hipSuccess);
    return size;
}

/* ---- many threads, random calls ---------------------------------------------------------------------------------- */

enum { KEPT = 64 };
static int calls, device_of_all = -1;
static long long refusals;
static int (*allocate)(void **, size_t) = hipMalloc;
static int (*release)(void *) = hipFree;

static uint64_t random_of(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void *work(void *seed) {
    uint64_t state = 0x9e3779b97f4a7c15u * ((uintptr_t)seed + 1);
    void *kept[KEPT] = {0};
    long long refused = 0;
    int device = device_of_all < 0 ? (int)((uintptr_t)seed % 2) : device_of_all;
    HOLDS(hipSetDevice(device) == hipSuccess);
    for (int i = 0; i < calls; i++) {
        void **slot = &kept[random_of(&state) % KEPT];
        if (*slot) {
            HOLDS(release(*slot) == hipSuccess);
            *slot = NULL;
            continue;
        }
        int error = allocate(slot, 4096 * (1 + random_of(&state) % 8));
        HOLDS(error == hipSuccess || error == hipErrorOutOfMemory);
        refused += error != hipSuccess;
    }
    for (int i = 0; i < KEPT; i++)
        HOLDS(release(kept[i]) == hipSuccess);
    __atomic_add_fetch(&refusals, refused, __ATOMIC_SEQ_CST);
    return NULL;
}

static void run_threads(int threads) {
    pthread_t all[64];
    for (int i = 0; i < threads; i++)
        HOLDS(pthread_create(&all[i], NULL, work, (void *)(uintptr_t)i) == 0);
    for (int i = 0; i < threads; i++)
        HOLDS(pthread_join(all[i], NULL) == 0);
}

/* random THREADS CALLS: calls of each; prints what the stand-in saw. */
static int case_random(char **arguments) {
    calls = atoi(arguments[1]);
    size_t before = left();
    run_threads(atoi(arguments[0]));
    HOLDS(left() == before);
    printf("peak %llu %llu used %llu %llu refused %lld\n", (unsigned long long)standin_peak(0),
           (unsigned long long)standin_peak(1), (unsigned long long)standin_used(0),
           (unsigned long long)standin_used(1), refusals);
    return 0;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* time THREADS CALLS: nanoseconds of processor time, and of wall time, per call. */
static int case_time(char **arguments) {
    int threads = atoi(arguments[0]);
    mallopt(M_TRIM_THRESHOLD,
            1 << 30); /* the stand-in's heap stays: no calls of the kernel among those that are timed */
    mallopt(M_TOP_PAD, 64 << 20);
    calls = 1000;
    run_threads(threads);
    calls = atoi(arguments[1]);
    double begun = seconds(CLOCK_MONOTONIC), worked = seconds(CLOCK_PROCESS_CPUTIME_ID);
    run_threads(threads);
    double calls_made = (double)calls * threads;
    printf("%.1f %.1f\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - worked) * 1e9 / calls_made,
           (seconds(CLOCK_MONOTONIC) - begun) * 1e9 / calls_made);
    return 0;
}

/* ---- one of everything, with pools of 8 MiB and 4 MiB ------------------------------------------------------------ */

static int case_kinds(char **arguments) {
    (void)arguments;
    void *memory = NULL, *other = NULL, *stream, *pool;
    size_t pitch, free_bytes, total;
    hipPitchedPtr cube;
    HOLDS(hipMemGetInfo(&free_bytes, &total) == hipSuccess && free_bytes == 8 * MIB && total == 8 * MIB);

    HOLDS(hipMalloc(&memory, 8 * MIB + 1) == hipErrorOutOfMemory && memory == NULL);
    HOLDS(hipGetLastError() == hipErrorOutOfMemory && hipGetLastError() == hipSuccess);
    HOLDS(standin_used(0) == 0 && standin_peak(0) == 0);
    HOLDS(hipMalloc(&memory, 8 * MIB) == hipSuccess && left() == 0);
    HOLDS(hipMalloc(&other, 1) == hipErrorOutOfMemory);
    HOLDS(hipFree(memory) == hipSuccess && left() == 8 * MIB);
    HOLDS(hipFree(NULL) == hipSuccess && hipMalloc(&memory, 0) == hipSuccess && memory == NULL);
    HOLDS(hipMalloc(NULL, 1) == hipErrorInvalidValue && left() == 8 * MIB);
    HOLDS(hipMalloc(&memory, SIZE_MAX) == hipErrorOutOfMemory && left() == 8 * MIB);

    HOLDS(hipMalloc(&memory, 1) == hipSuccess && left() == 8 * MIB - 4096); /* a page */
    HOLDS(hipFree(memory) == hipSuccess);
    HOLDS(hipExtMallocWithFlags(&memory, MIB, 1) == hipSuccess && left() == 7 * MIB);
    HOLDS(hipExtMallocWithFlags(&other, 8, 2) == hipSuccess && left() == 7 * MIB); /* signals are host memory */
    HOLDS(hipFree(other) == hipSuccess && hipFree(memory) == hipSuccess);
    HOLDS(hipMallocManaged(&memory, MIB, 1) == hipSuccess && left() == 7 * MIB && hipFree(memory) == hipSuccess);
    HOLDS(hipHostMalloc(&memory, 64 * MIB, 0) == hipSuccess && left() == 8 * MIB && hipHostFree(memory) == hipSuccess);

    HOLDS(hipMallocPitch(&memory, &pitch, 300, 4096) == hipSuccess && pitch == 512 && left() == 6 * MIB);
    HOLDS(hipFree(memory) == hipSuccess);
    memory = NULL; /* fits by what is guessed, not by what the driver pads to: 4 MiB + 1 MiB rows of 512 */
    HOLDS(hipMalloc(&other, 7 * MIB) == hipSuccess);
    HOLDS(hipMallocPitch(&memory, &pitch, 1, 4096) == hipErrorOutOfMemory && memory == NULL);
    HOLDS(left() == MIB && standin_used(0) == 7 * MIB && hipFree(other) == hipSuccess);
    HOLDS(hipMemAllocPitch(&memory, &pitch, 512, 2048, 4) == hipSuccess && left() == 7 * MIB);
    HOLDS(hipFree(memory) == hipSuccess);
    HOLDS(hipMalloc3D(&cube, (hipExtent){512, 64, 32}) == hipSuccess && left() == 7 * MIB &&
          hipFree(cube.ptr) == hipSuccess);
    HOLDS(hipMalloc3D(&cube, (hipExtent){SIZE_MAX, SIZE_MAX, 2}) == hipErrorOutOfMemory && left() == 8 * MIB);

    HOLDS(hipMallocAsync(&memory, MIB, NULL) == hipSuccess && left() == 7 * MIB);
    HOLDS(hipFreeAsync(memory, NULL) == hipSuccess && left() == 8 * MIB);
    HOLDS(hipMallocAsync(&memory, 9 * MIB, NULL) == hipErrorOutOfMemory);
    HOLDS(hipSetDevice(1) == hipSuccess && hipStreamCreate(&stream) == hipSuccess);
    HOLDS(hipMallocAsync(&other, 5 * MIB, stream) == hipErrorOutOfMemory && left() == 4 * MIB);
    HOLDS(hipSetDevice(0) == hipSuccess);
    HOLDS(hipMallocAsync(&memory, 3 * MIB, stream) == hipSuccess && left() == 8 * MIB && standin_used(1) == 3 * MIB);
    HOLDS(hipMallocAsync(&other, 2 * MIB, stream) == hipErrorOutOfMemory); /* the stream's device, not this thread's */
    HOLDS(hipFreeAsync(memory, stream) == hipSuccess && hipStreamDestroy(stream) == hipSuccess);
    HOLDS(hipDeviceGetDefaultMemPool(&pool, 1) == hipSuccess);
    HOLDS(hipMallocFromPoolAsync(&memory, 5 * MIB, pool, NULL) == hipErrorOutOfMemory);
    HOLDS(hipMallocFromPoolAsync(&memory, 4 * MIB, pool, NULL) == hipSuccess && left() == 8 * MIB);
    HOLDS(hipFree(memory) == hipSuccess);
    HOLDS(hipMemPoolCreate(&pool, &(hipMemAllocationProp){.type = 1, .location_type = 1, .location = 1}) == hipSuccess);
    HOLDS(hipMallocFromPoolAsync(&memory, 5 * MIB, pool, NULL) == hipErrorOutOfMemory);
    HOLDS(hipMemPoolDestroy(pool) == hipSuccess);

    /* What the driver refuses goes back to the pool, and what it does not free stays off it. */
    standin_fail(1);
    HOLDS(hipMalloc(&memory, MIB) == hipErrorOutOfMemory && left() == 8 * MIB);
    standin_fail(0);
    HOLDS(hipMalloc(&memory, MIB) == hipSuccess);
    standin_fail(1);
    HOLDS(hipFree(memory) == hipErrorInvalidValue && left() == 7 * MIB);
    standin_fail(0);
    HOLDS(hipFree(memory) == hipSuccess && left() == 8 * MIB);

    HOLDS(hipMalloc(&memory, MIB) == hipSuccess && hipSetDevice(1) == hipSuccess);
    for (int i = 0; i < 300; i++)
        HOLDS(hipMalloc(&other, 1 + (size_t)i) == hipSuccess);
    HOLDS(left() == 4 * MIB - 300 * 4096 && hipDeviceReset() == hipSuccess && left() == 4 * MIB);
    HOLDS(hipSetDevice(0) == hipSuccess && left() == 7 * MIB && hipFree(memory) == hipSuccess);
    puts("ok");
    return 0;
}

static int case_mappings(char **arguments) {
    (void)arguments;
    static char range[8 << 20];
    hipMemAllocationProp here = {.type = 1, .location_type = 1, .location = 0}, host = {.type = 1, .location_type = 2};
    void *handle = NULL, *other, *same;
    HOLDS(hipMemCreate(&handle, 9 * MIB, &here, 0) == hipErrorOutOfMemory);
    HOLDS(hipMemCreate(&handle, MIB, &host, 0) == hipErrorInvalidValue && left() == 8 * MIB);
    HOLDS(hipMemCreate(&handle, MIB, &here, 0) == hipSuccess && left() == 7 * MIB);
    HOLDS(hipMemMap(range, MIB, 0, handle, 0) == hipSuccess);
    HOLDS(hipMemUnmap(range, MIB) == hipSuccess && left() == 7 * MIB); /* the handle still holds it */
    HOLDS(hipMemRelease(handle) == hipSuccess && left() == 8 * MIB);

    HOLDS(hipMemCreate(&handle, MIB, &here, 0) == hipSuccess && hipMemMap(range, MIB, 0, handle, 0) == hipSuccess);
    HOLDS(hipMemCreate(&other, 2 * MIB, &here, 0) == hipSuccess &&
          hipMemMap(range + MIB, 2 * MIB, 0, other, 0) == hipSuccess);
    HOLDS(hipMemRelease(handle) == hipSuccess && hipMemRelease(other) == hipSuccess && left() == 5 * MIB);
    HOLDS(hipMemRetainAllocationHandle(&same, range) == hipSuccess && same == handle);
    HOLDS(hipMemRelease(same) == hipSuccess && left() == 5 * MIB);
    standin_fail(1);
    HOLDS(hipMemUnmap(range, 3 * MIB) == hipErrorInvalidValue && left() == 5 * MIB);
    HOLDS(hipMemMap(range, MIB, 0, other, 0) == hipErrorInvalidValue && left() == 5 * MIB);
    standin_fail(0);
    HOLDS(hipMemUnmap(range, 3 * MIB) == hipSuccess); /* both mappings at once */
    HOLDS(left() == 8 * MIB && standin_used(0) == 0);

    HOLDS(hipMemCreate(&handle, MIB, &here, 0) == hipSuccess);
    standin_fail(1);
    HOLDS(hipMemRelease(handle) == hipErrorInvalidValue && left() == 7 * MIB);
    standin_fail(0);
    HOLDS(hipMemRelease(handle) == hipSuccess && left() == 8 * MIB);
    puts("ok");
    return 0;
}

/* ---- what is told of the device, with a pool of 8 MiB ------------------------------------------------------------ */

static int case_totals(char **arguments) {
    (void)arguments;
    size_t total;
    int value;
    hipDeviceProp_tR0000 old, *old_expected = malloc(sizeof old);
    hipDeviceProp_tR0600 new, *new_expected = malloc(sizeof new);
    int (*by_name)(void *, int), (*allocate_by_name)(void **, size_t);
    void *memory;
    memset(old_expected, 0x5a, sizeof old);
    memset(new_expected, 0x5a, sizeof new);
    old_expected->totalGlobalMem = new_expected->totalGlobalMem = 8 * MIB;
    HOLDS(hipDeviceTotalMem(&total, 0) == hipSuccess && total == 8 * MIB);
    HOLDS(hipDeviceTotalMem(&total, 7) == hipErrorInvalidDevice);
    HOLDS(hipGetDeviceProperties(&old, 0) == hipSuccess && memcmp(&old, old_expected, sizeof old) == 0);
    HOLDS(hipGetDevicePropertiesR0600(&new, 0) == hipSuccess && memcmp(&new, new_expected, sizeof new) == 0);
    HOLDS(hipDeviceGetAttribute(&value, 84, 0) == hipSuccess && (size_t)value == 8 * MIB);
    HOLDS(hipDeviceGetAttribute(&value, 29, 0) == hipSuccess && value == INT32_MAX);
    HOLDS(hipGetProcAddress("hipGetDeviceProperties", (void **)&by_name, 600, 0, NULL) == hipSuccess);
    HOLDS(by_name(&new, 0) == hipSuccess && memcmp(&new, new_expected, sizeof new) == 0);
    HOLDS(hipGetProcAddress("hipMalloc", (void **)&allocate_by_name, 600, 0, NULL) == hipSuccess);
    HOLDS(allocate_by_name(&memory, 9 * MIB) == hipErrorOutOfMemory);
    HOLDS(hipGetProcAddress("hipNothing", (void **)&by_name, 600, 0, NULL) == hipErrorInvalidValue);
    free(old_expected);
    free(new_expected);
    puts("ok");
    return 0;
}

/* ---- forks: a child holds nothing of its parent's, whatever the parent's threads are doing ----------------------- */

static volatile int forking = 1;

static void *busy(void *unused) {
    void *memory;
    while (forking)
        if (hipMalloc(&memory, 4096) == hipSuccess)
            hipFree(memory);
    return unused;
}

/* fork TIMES */
static int case_fork(char **arguments) {
    pthread_t thread;
    void *memory, *own;
    HOLDS(hipMalloc(&memory, 6 * MIB) == hipSuccess && left() == 2 * MIB);
    HOLDS(pthread_create(&thread, NULL, busy, NULL) == 0);
    for (int i = 0; i < atoi(arguments[0]); i++) {
        pid_t child = fork();
        if (child == 0) {
            HOLDS(left() == 8 * MIB);
            HOLDS(hipFree(memory) == hipErrorInvalidValue && left() == 8 * MIB); /* the parent's */
            HOLDS(hipMalloc(&own, 8 * MIB) == hipSuccess && left() == 0);
            HOLDS(hipMalloc(&memory, 1) == hipErrorOutOfMemory);
            HOLDS(hipFree(own) == hipSuccess && left() == 8 * MIB);
            _exit(0);
        }
        int status;
        HOLDS(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    forking = 0;
    HOLDS(pthread_join(thread, NULL) == 0 && left() == 2 * MIB && hipFree(memory) == hipSuccess && left() == 8 * MIB);
    puts("ok");
    return 0;
}

/* plain: the sizes that a program sees where there is no pool. */
static int case_plain(char **arguments) {
    (void)arguments;
    size_t free_bytes, total;
    void *memory;
    HOLDS(hipMalloc(&memory, 64 * MIB) == hipSuccess && hipMemGetInfo(&free_bytes, &total) == hipSuccess);
    printf("%zu %zu\n", free_bytes, total);
    HOLDS(hipFree(memory) == hipSuccess);
    return 0;
}

/* flood: many refusals, for the lines that they leave. */
static int case_flood(char **arguments) {
    (void)arguments;
    void *memory;
    for (int i = 0; i < 1000; i++)
        HOLDS(hipMalloc(&memory, 9 * MIB) == hipErrorOutOfMemory);
    puts("ok");
    return 0;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(char **);
        int arguments;
    } cases[] = {
        {"random", case_random, 2}, {"time", case_time, 2}, {"kinds", case_kinds, 0}, {"mappings", case_mappings, 0},
        {"totals", case_totals, 0}, {"fork", case_fork, 1}, {"plain", case_plain, 0}, {"flood", case_flood, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count > 1 && strcmp(arguments[1], cases[i].name) == 0 && count == cases[i].arguments + 2)
            return cases[i].run(arguments + 2);
    fputs("hip_program CASE ...\n", stderr);
    return 2;
}
