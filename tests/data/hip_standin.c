/* A stand-in for libamdhip64: the same names, versions and ABI over host memory, with an account of its own.
 *
 * Two devices of STANDIN_TOTAL bytes (16 GiB).  Sizes are counted as they are asked.  In the child of a fork nothing is
 * held, as with a device.
 */
#define _GNU_SOURCE
#include "hip_standin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 2, LISTS = 64, MAPPINGS = 64 };
static const uint64_t MAGIC = 0x56524d54554e4552u;

struct block {
    struct block *next, *previous;
    uint64_t magic, size;
    int device, list, process, references; /* references: of physical memory only */
};

static _Atomic uint64_t used[DEVICES], peak[DEVICES];
static struct list {
    _Alignas(64) pthread_mutex_t lock;
    struct block first;
} lists[LISTS];
static struct {
    void *address;
    size_t size;
    struct block *target;
} mappings[MAPPINGS];
static pthread_mutex_t mappings_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned next_list;
static _Atomic int failing;
static uint64_t total = (uint64_t)16 << 30;
static int process;
static struct pool {
    int device;
} pools[DEVICES] = {{0}, {1}};
static __thread int device, last_error, my_list = -1;

static int returned(int error) {
    if (error)
        last_error = error;
    return error;
}

static void start_child(void) {
    process = getpid();
    for (int i = 0; i < DEVICES; i++)
        used[i] = peak[i] = 0;
    for (int i = 0; i < LISTS; i++) {
        pthread_mutex_init(&lists[i].lock, NULL);
        lists[i].first.next = lists[i].first.previous = &lists[i].first;
    }
}

static __attribute__((constructor)) void start(void) {
    if (getenv("STANDIN_TOTAL"))
        total = strtoull(getenv("STANDIN_TOTAL"), NULL, 10);
    start_child();
    pthread_atfork(NULL, NULL, start_child);
}

static struct block *allocate(uint64_t size, int on) {
    if (size > total || failing)
        return NULL;
    uint64_t now = atomic_fetch_add(&used[on], size) + size, most = peak[on];
    struct block *block = now <= total ? malloc(sizeof *block + size) : NULL;
    if (block == NULL) {
        used[on] -= size;
        return NULL;
    }
    while (most < now && !atomic_compare_exchange_weak(&peak[on], &most, now))
        ;
    if (my_list < 0)
        my_list = (int)(next_list++ % LISTS);
    struct list *list = &lists[my_list];
    *block = (struct block){.magic = MAGIC, .size = size, .device = on, .list = my_list, .process = process};
    pthread_mutex_lock(&list->lock);
    block->next = list->first.next;
    block->previous = &list->first;
    block->next->previous = list->first.next = block;
    pthread_mutex_unlock(&list->lock);
    return block;
}

static void drop(struct block *block) {
    block->magic = 0;
    used[block->device] -= block->size;
    free(block);
}

static int release(struct block *block) {
    if (block->magic != MAGIC || block->process != process || failing)
        return hipErrorInvalidValue;
    struct list *list = &lists[block->list];
    pthread_mutex_lock(&list->lock);
    block->previous->next = block->next;
    block->next->previous = block->previous;
    pthread_mutex_unlock(&list->lock);
    drop(block);
    return hipSuccess;
}

static int give(void **memory, uint64_t size, int on) {
    if (memory == NULL)
        return returned(hipErrorInvalidValue);
    if (size == 0) {
        *memory = NULL;
        return hipSuccess;
    }
    struct block *block = allocate(size, on);
    if (block == NULL)
        return returned(hipErrorOutOfMemory);
    *memory = block + 1;
    return hipSuccess;
}

int hipMalloc(void **memory, size_t size) { return give(memory, size, device); }
int hipExtMallocWithFlags(void **memory, size_t size, unsigned flags) {
    (void)flags;
    return give(memory, size, device);
}
int hipMallocManaged(void **memory, size_t size, unsigned flags) {
    (void)flags;
    return give(memory, size, device);
}

/* Rows of 512 bytes: more than the preloaded library guesses. */
int hipMallocPitch(void **memory, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return hipMalloc(memory, *pitch * height); /* through the loader, as a library may call itself */
}
int hipMemAllocPitch(void **memory, size_t *pitch, size_t width, size_t height, unsigned element) {
    (void)element;
    return hipMallocPitch(memory, pitch, width, height);
}
int hipMalloc3D(hipPitchedPtr *rows, hipExtent extent) {
    return hipMallocPitch(&rows->ptr, &rows->pitch, extent.width, extent.height * extent.depth);
}

int hipGetStreamDeviceId(void *stream) { return (uintptr_t)stream > 2 ? *(int *)stream : device; }
int hipMallocAsync(void **memory, size_t size, void *stream) {
    return give(memory, size, hipGetStreamDeviceId(stream));
}
int hipMallocFromPoolAsync(void **memory, size_t size, void *pool, void *stream) {
    (void)stream;
    return give(memory, size, ((struct pool *)pool)->device);
}
int hipFree(void *memory) { return memory ? returned(release((struct block *)memory - 1)) : hipSuccess; }
int hipFreeAsync(void *memory, void *stream) {
    (void)stream;
    return hipFree(memory);
}
int hipHostMalloc(void **memory, size_t size, unsigned flags) {
    (void)flags;
    return (*memory = malloc(size)) ? hipSuccess : returned(hipErrorOutOfMemory);
}
int hipHostFree(void *memory) {
    free(memory);
    return hipSuccess;
}

/* Physical memory is held by its handle and by each mapping. */
int hipMemCreate(void **handle, size_t size, const hipMemAllocationProp *what, unsigned long long flags) {
    if (flags || what->location_type != 1 || what->location < 0 || what->location >= DEVICES)
        return returned(hipErrorInvalidValue);
    struct block *block = allocate(size, what->location);
    if (block == NULL)
        return returned(hipErrorOutOfMemory);
    block->references = 1;
    *handle = block;
    return hipSuccess;
}
int hipMemRelease(void *handle) {
    struct block *block = handle;
    if (failing || block->magic != MAGIC)
        return returned(hipErrorInvalidValue);
    return __atomic_sub_fetch(&block->references, 1, __ATOMIC_SEQ_CST) ? hipSuccess : returned(release(block));
}
int hipMemMap(void *address, size_t size, size_t offset, void *handle, unsigned long long flags) {
    int error = hipErrorInvalidValue;
    pthread_mutex_lock(&mappings_lock);
    for (int i = 0; i < MAPPINGS && error && !offset && !flags && !failing; i++) {
        if (mappings[i].address)
            continue;
        mappings[i].address = address;
        mappings[i].size = size;
        mappings[i].target = handle;
        __atomic_add_fetch(&mappings[i].target->references, 1, __ATOMIC_SEQ_CST);
        error = hipSuccess;
    }
    pthread_mutex_unlock(&mappings_lock);
    return returned(error);
}
int hipMemUnmap(void *address, size_t size) {
    int error = hipErrorInvalidValue;
    pthread_mutex_lock(&mappings_lock);
    for (int i = 0; i < MAPPINGS && !failing; i++) {
        char *at = mappings[i].address;
        if (at == NULL || at < (char *)address || at + mappings[i].size > (char *)address + size)
            continue;
        mappings[i].address = NULL;
        error = hipMemRelease(mappings[i].target);
    }
    pthread_mutex_unlock(&mappings_lock);
    return returned(error);
}
int hipMemRetainAllocationHandle(void **handle, void *address) {
    int error = hipErrorInvalidValue;
    pthread_mutex_lock(&mappings_lock);
    for (int i = 0; i < MAPPINGS; i++) {
        if (mappings[i].address != address)
            continue;
        *handle = mappings[i].target;
        __atomic_add_fetch(&mappings[i].target->references, 1, __ATOMIC_SEQ_CST);
        error = hipSuccess;
    }
    pthread_mutex_unlock(&mappings_lock);
    return returned(error);
}

int hipMemPoolCreate(void **pool, const hipMemAllocationProp *what) {
    struct pool *made = malloc(sizeof *made);
    made->device = what->location;
    *pool = made;
    return hipSuccess;
}
int hipMemPoolDestroy(void *pool) {
    free(pool);
    return hipSuccess;
}
int hipDeviceGetDefaultMemPool(void **pool, int on) {
    *pool = &pools[on];
    return hipSuccess;
}
int hipDeviceGetMemPool(void **pool, int on) { return hipDeviceGetDefaultMemPool(pool, on); }

int hipMemGetInfo(size_t *left, size_t *whole) {
    if (left)
        *left = total - used[device];
    if (whole)
        *whole = total;
    return hipSuccess;
}
int hipDeviceTotalMem(size_t *whole, int on) {
    if (on < 0 || on >= DEVICES)
        return returned(hipErrorInvalidDevice);
    *whole = total;
    return hipSuccess;
}
int hipDeviceGetAttribute(int *value, int attribute, int on) {
    (void)on;
    *value = attribute == 84 && total < INT32_MAX ? (int)total : INT32_MAX; /* 29: the largest grid, say */
    return hipSuccess;
}
int hipGetDeviceProperties(void *properties, int on) {
    hipDeviceProp_tR0000 *filled = memset(properties, 0x5a, sizeof *filled);
    return hipDeviceTotalMem(&filled->totalGlobalMem, on);
}
int hipGetDevicePropertiesR0600(void *properties, int on) {
    hipDeviceProp_tR0600 *filled = memset(properties, 0x5a, sizeof *filled);
    return hipDeviceTotalMem(&filled->totalGlobalMem, on);
}
int hipGetProcAddress(const char *name, void **found, int version, uint64_t flags, void *status) {
    (void)flags, (void)status;
    if (strcmp(name, "hipGetDeviceProperties") == 0 && version >= 600)
        *found = (void *)hipGetDevicePropertiesR0600;
    else
        *found = strcmp(name, "hipMalloc") ? NULL : (void *)hipMalloc;
    return *found ? hipSuccess : returned(hipErrorInvalidValue);
}

int hipDeviceReset(void) {
    for (int i = 0; i < LISTS; i++) {
        pthread_mutex_lock(&lists[i].lock);
        for (struct block *block = lists[i].first.next, *next; block != &lists[i].first; block = next) {
            next = block->next;
            if (block->device != device)
                continue;
            block->previous->next = block->next;
            block->next->previous = block->previous;
            drop(block);
        }
        pthread_mutex_unlock(&lists[i].lock);
    }
    return hipSuccess;
}
int hipGetDevice(int *current) {
    *current = device;
    return hipSuccess;
}
int hipSetDevice(int chosen) {
    if (chosen < 0 || chosen >= DEVICES)
        return returned(hipErrorInvalidDevice);
    device = chosen;
    return hipSuccess;
}
int hipStreamCreate(void **stream) { return hipMemPoolCreate(stream, &(hipMemAllocationProp){.location = device}); }
int hipStreamDestroy(void *stream) {
    free(stream);
    return hipSuccess;
}
int hipGetLastError(void) {
    int error = last_error;
    last_error = hipSuccess;
    return error;
}

uint64_t standin_used(int on) { return used[on]; }
uint64_t standin_peak(int on) { return peak[on]; }
void standin_fail(int on) { failing = on; }
