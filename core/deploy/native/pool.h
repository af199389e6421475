/* The pool of HIP_FORCE_MEMORY_POOL_SIZE, held by a library that is loaded before libamdhip64.
 *
 * size.c         the variable's text -> bytes per device
 * report.c       the variable, read once; lines on standard error
 * account.c      what each device holds, and what each address, handle and mapping stands for
 * runtime.c      where the real functions are, whichever way a program gets at them
 * allocations.c  mappings.c  answers.c   what is done in place of the driver, by kind of function
 * pool.c         the functions that programs call instead of HIP's
 *
 * Types stand for the ABI of hip/hip_runtime_api.h (HIP 5.2 and 7.1 were compared): hipError_t is an int, streams,
 * pools and allocation handles are pointers, device numbers are ints.
 */
#ifndef VRAMTUNER_POOL_H
#define VRAMTUNER_POOL_H

#ifndef __GLIBC__
#include <features.h>
#ifndef __GLIBC__
#error "the preloaded pool needs glibc (dladdr1, dlvsym, RTLD_NEXT)"
#endif
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_VARIABLE "HIP_FORCE_MEMORY_POOL_SIZE"

enum { MAX_DEVICES = 64, MAX_RUNTIMES = 4 };

enum { HIP_SUCCESS = 0, HIP_OUT_OF_MEMORY = 2, HIP_SYMBOL_NOT_FOUND = 302 };

/* size.c ----------------------------------------------------------------------------------------------------------- */

/* Bytes of `10GiB`, `512 MiB`, `8.5g`, `1000000`: what vramtuner.core.units.parse_bytes takes, and nothing else. */
bool parse_size(const char *begin, const char *end, uint64_t *bytes);

/* One size for every device, or a list in the order of HIP's device numbers; devices beyond the list have its last. */
bool parse_pools(const char *text, uint64_t pools[MAX_DEVICES]);

/* account.c -------------------------------------------------------------------------------------------------------- */

enum kind { MEMORY = 1, HANDLE, MAPPING, POOL };

/* What an address or a handle stands for. */
struct entry {
    uintptr_t key;    /* 0: the slot is empty */
    uint64_t size;    /* counted on `device`; 0 for mappings and pools */
    uintptr_t target; /* of a mapping: its handle; length of it in `length` */
    uint64_t length;
    int32_t device;
    int16_t kind;
    uint16_t references; /* of a handle: itself and its mappings */
};

/* Devices of a number beyond MAX_DEVICES have no pool, and nothing of them is counted. */
bool device_has_pool(int device);
uint64_t device_pool(int device);
uint64_t device_held(int device);
void set_pools(const uint64_t pools[MAX_DEVICES]);

/* Takes `size` off the pool, or nothing at all.  `held` is what stood against it. */
bool take_from_pool(int device, uint64_t size, uint64_t *held);
void give_back(int device, uint64_t size);

/* False: no memory for the table.  An entry of the same key is replaced, and what it counted is given back. */
bool remember(const struct entry *entry);
bool recall(enum kind kind, const void *key, struct entry *entry);
bool forget(enum kind kind, const void *key, struct entry *entry);
bool add_reference(const void *handle);
/* True when this was the last reference: the entry is gone, `entry` is a copy of it, and it still counts. */
bool drop_reference(const void *handle, struct entry *entry);
/* Forgets and gives back every address of a device. */
void forget_memory(int device);
/* In the child of a fork, which has none of its parent's device memory. */
void start_anew(void);

/* runtime.c -------------------------------------------------------------------------------------------------------- */

/* Every function that has a wrapper: its parameters, and how they are passed on. */
#define WRAPPED(X)                                                                                                     \
    X(hipMalloc, (void **memory, size_t size), (memory, size))                                                         \
    X(hipExtMallocWithFlags, (void **memory, size_t size, unsigned flags), (memory, size, flags))                      \
    X(hipMallocManaged, (void **memory, size_t size, unsigned flags), (memory, size, flags))                           \
    X(hipMallocPitch, (void **memory, size_t *pitch, size_t width, size_t height), (memory, pitch, width, height))     \
    X(hipMemAllocPitch, (void **memory, size_t *pitch, size_t width, size_t height, unsigned element),                 \
      (memory, pitch, width, height, element))                                                                         \
    X(hipMalloc3D, (struct pitched * memory, struct extent extent), (memory, extent))                                  \
    X(hipMallocAsync, (void **memory, size_t size, void *stream), (memory, size, stream))                              \
    X(hipMallocFromPoolAsync, (void **memory, size_t size, void *pool, void *stream), (memory, size, pool, stream))    \
    X(hipMemCreate, (void **handle, size_t size, const struct allocation *what, unsigned long long flags),             \
      (handle, size, what, flags))                                                                                     \
    X(hipFree, (void *memory), (memory))                                                                               \
    X(hipFreeAsync, (void *memory, void *stream), (memory, stream))                                                    \
    X(hipMemRelease, (void *handle), (handle))                                                                         \
    X(hipMemRetainAllocationHandle, (void **handle, void *address), (handle, address))                                 \
    X(hipMemMap, (void *address, size_t size, size_t offset, void *handle, unsigned long long flags),                  \
      (address, size, offset, handle, flags))                                                                          \
    X(hipMemUnmap, (void *address, size_t size), (address, size))                                                      \
    X(hipMemPoolCreate, (void **pool, const struct allocation *what), (pool, what))                                    \
    X(hipMemPoolDestroy, (void *pool), (pool))                                                                         \
    X(hipDeviceGetDefaultMemPool, (void **pool, int device), (pool, device))                                           \
    X(hipDeviceGetMemPool, (void **pool, int device), (pool, device))                                                  \
    X(hipMemGetInfo, (size_t * free, size_t * total), (free, total))                                                   \
    X(hipDeviceTotalMem, (size_t * total, int device), (total, device))                                                \
    X(hipDeviceGetAttribute, (int *value, int attribute, int device), (value, attribute, device))                      \
    X(hipGetDeviceProperties, (void *properties, int device), (properties, device))                                    \
    X(hipGetDevicePropertiesR0000, (void *properties, int device), (properties, device))                               \
    X(hipGetDevicePropertiesR0600, (void *properties, int device), (properties, device))                               \
    X(hipGetProcAddress, (const char *name, void **found, int version, uint64_t flags, void *status),                  \
      (name, found, version, flags, status))                                                                           \
    X(hipGetProcAddress_spt, (const char *name, void **found, int version, uint64_t flags, void *status),              \
      (name, found, version, flags, status))                                                                           \
    X(hipGetDriverEntryPoint, (const char *name, void **found, unsigned long long flags, void *status),                \
      (name, found, flags, status))                                                                                    \
    X(hipGetDriverEntryPoint_spt, (const char *name, void **found, unsigned long long flags, void *status),            \
      (name, found, flags, status))                                                                                    \
    X(hipDeviceReset, (), ())

/* Functions that the wrappers ask, and that programs reach directly. */
#define ASKED(X)                                                                                                       \
    X(hipGetDevice, (int *device), (device))                                                                           \
    X(hipGetStreamDeviceId, (void *stream), (stream))

#define NUMBER(name, parameters, arguments) FN_##name,
enum function { WRAPPED(NUMBER) WRAPPED_COUNT, FN_BEFORE_ASKED = WRAPPED_COUNT - 1, ASKED(NUMBER) FUNCTION_COUNT };

/* hipPitchedPtr and hipExtent (hip/driver_types.h). */
struct pitched {
    void *memory;
    size_t pitch, width, height;
};
struct extent {
    size_t width, height, depth;
};

/* How hipMemAllocationProp and hipMemPoolProps begin (hip/hip_runtime_api.h from 5.3 on; in 5.2 hipMemCreate was
 * declared with another layout and did nothing). */
struct allocation {
    int type, handle_type, location_type, location;
};

#define SIGNATURE(name, parameters, arguments) typedef int name##_type parameters;
WRAPPED(SIGNATURE)
ASKED(SIGNATURE)

/* One loaded library that defines HIP's functions; a process may have several (a system's and a wheel's). */
struct runtime {
    const void *base;
    void *real[FUNCTION_COUNT];
};

extern struct runtime runtimes[MAX_RUNTIMES];

/* The runtime that `caller` would have reached without this library, or NULL where none is loaded. */
const struct runtime *runtime_of(const void *caller, enum function function);

/* Given the real address of a wrapped function, its wrapper for just that runtime; else the address itself. */
void *wrapper_of(void *real);

/* report.c and pool.c
 * -------------------------------------------------------------------------------------------------------- */

/* Whether the variable holds a size; the first call reads it. */
bool pool_is_set(void);
/* Wrappers by runtime and function, and the exported ones by function. */
extern void *const bound_wrappers[MAX_RUNTIMES][WRAPPED_COUNT];
extern void *const exported_wrappers[WRAPPED_COUNT];
/* A line on standard error; a refusal is said at most a few times a second, and `left_out` were not said before. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool may_say(uint64_t *left_out);
void say_refused(const char *function, int device, uint64_t asked, uint64_t held);
/* After a fork, in the child. */
void forget_callers_lock(void);

#endif
