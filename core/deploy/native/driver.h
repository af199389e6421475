/* What the wrappers share: the driver's call, the device it means, and taking from the pool. */
#ifndef VRAMTUNER_DRIVER_H
#define VRAMTUNER_DRIVER_H

#define _GNU_SOURCE
#include "pool.h"

enum { PINNED_DEVICE = 1 }; /* hipMemLocationTypeDevice */

/* While above zero this thread is in a driver call, and what that calls is not a program's. */
extern __thread int depth __attribute__((tls_model("initial-exec")));

/* The driver's own function; what it calls on the way is not looked at. */
#define DRIVER(name, ...)                                                                                              \
    ({                                                                                                                 \
        depth++;                                                                                                       \
        int driver_result = ((name##_type *)runtime->real[FN_##name])(__VA_ARGS__);                                    \
        depth--;                                                                                                       \
        driver_result;                                                                                                 \
    })

#define WITH_RUNTIME(...) (const struct runtime *runtime __VA_OPT__(, ) __VA_ARGS__)
#define HANDLER(name, parameters, arguments) int on_##name WITH_RUNTIME parameters;
WRAPPED(HANDLER)

/* -1: no device; nothing is counted, and the driver says why. */
int current_device(const struct runtime *runtime);

/* The driver hands out whole pages: many small buffers take more than the sum of their sizes. */
static inline uint64_t in_pages(uint64_t size) {
    enum { PAGE = 4096 };
    return size > UINT64_MAX - PAGE ? size : (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* False: it would pass the pool; nothing was taken, and a line says so. */
bool take(const char *function, int device, uint64_t size);

/* hipErrorOutOfMemory, as the runtime itself would have it: its last error says so too. */
int out_of_memory(const struct runtime *runtime);

#endif
