/* The functions that programs call in place of HIP's.
 *
 * An allocation is taken off the pool first, then asked of the driver, then remembered by its address; when the driver
 * refuses, the pool has it back.  What is freed is forgotten first, because the driver may hand the address to another
 * thread before it returns.  No lock is held while the driver works.
 *
 * Counted: hipMalloc, hipExtMallocWithFlags, hipMallocManaged, hipMallocPitch, hipMemAllocPitch, hipMalloc3D,
 * hipMallocAsync, hipMallocFromPoolAsync, hipMemCreate.  Not counted: host memory (hipHostMalloc), arrays and textures,
 * memory of other processes (hipIpcOpenMemHandle), what a HIP memory pool keeps after a free, nodes of graphs that
 * allocate, code objects, and what ROCr takes for itself (scratch, queues).
 */
#include "driver.h"

__thread int depth __attribute__((tls_model("initial-exec")));

/* ---- the way in -------------------------------------------------------------------------------------------------- */

static __attribute__((noinline, cold)) int not_there(const char *name) {
    uint64_t left_out;
    if (may_say(&left_out))
        say("%s was called, and no HIP runtime that has it is loaded", name);
    return HIP_SYMBOL_NOT_FOUND;
}

#define AND_RUNTIME(...) (runtime __VA_OPT__(, ) __VA_ARGS__)

/* Without a pool, and within a driver call, a function is just the driver's. */
#define FORWARD(name, arguments)                                                                                       \
    if (depth || !pool_is_set())                                                                                       \
        return ((name##_type *)runtime->real[FN_##name])arguments;                                                     \
    return on_##name AND_RUNTIME arguments;

#define EXPORT(name, parameters, arguments)                                                                            \
    __attribute__((visibility("default"))) int name parameters;                                                        \
    int name parameters {                                                                                              \
        const struct runtime *runtime = runtime_of(__builtin_return_address(0), FN_##name);                            \
        if (__builtin_expect(runtime == NULL || runtime->real[FN_##name] == NULL, 0))                                  \
            return not_there(#name);                                                                                   \
        FORWARD(name, arguments)                                                                                       \
    }
WRAPPED(EXPORT)

/* For who asked for the functions of one library, whoever calls them. */
#define BIND(slot, name, parameters, arguments)                                                                        \
    static int name##_of_##slot parameters {                                                                           \
        const struct runtime *runtime = &runtimes[slot];                                                               \
        FORWARD(name, arguments)                                                                                       \
    }
#define BIND_0(name, parameters, arguments) BIND(0, name, parameters, arguments)
#define BIND_1(name, parameters, arguments) BIND(1, name, parameters, arguments)
#define BIND_2(name, parameters, arguments) BIND(2, name, parameters, arguments)
#define BIND_3(name, parameters, arguments) BIND(3, name, parameters, arguments)
WRAPPED(BIND_0)
WRAPPED(BIND_1)
WRAPPED(BIND_2)
WRAPPED(BIND_3)

#define ADDRESS(name, parameters, arguments) (void *)name,
#define ADDRESS_0(name, parameters, arguments) (void *)name##_of_0,
#define ADDRESS_1(name, parameters, arguments) (void *)name##_of_1,
#define ADDRESS_2(name, parameters, arguments) (void *)name##_of_2,
#define ADDRESS_3(name, parameters, arguments) (void *)name##_of_3,

void *const exported_wrappers[WRAPPED_COUNT] = {WRAPPED(ADDRESS)};
void *const bound_wrappers[MAX_RUNTIMES][WRAPPED_COUNT] = {
    {WRAPPED(ADDRESS_0)}, {WRAPPED(ADDRESS_1)}, {WRAPPED(ADDRESS_2)}, {WRAPPED(ADDRESS_3)}};
