/* Memory by address: allocated, freed, reset. */
#include "driver.h"

enum { SIGNAL_MEMORY = 2 };

int current_device(const struct runtime *runtime) {
    int device = -1;
    if (runtime->real[FN_hipGetDevice] == NULL || DRIVER(hipGetDevice, &device) != HIP_SUCCESS)
        return -1;
    return device_has_pool(device) ? device : -1;
}

/* The null stream and the two special handles (hipStreamLegacy, hipStreamPerThread) belong to the current device. */
static int device_of_stream(const struct runtime *runtime, void *stream) {
    int device = -1;
    if ((uintptr_t)stream > 2 && runtime->real[FN_hipGetStreamDeviceId])
        device = DRIVER(hipGetStreamDeviceId, stream);
    return device_has_pool(device) ? device : current_device(runtime);
}

bool take(const char *function, int device, uint64_t size) {
    uint64_t held;
    if (take_from_pool(device, in_pages(size), &held))
        return true;
    say_refused(function, device, size, held);
    return false;
}

/* The runtime itself refuses a size that no device has (ihipMalloc in clr compares it with the largest allocation
 * before anything else), so that its hipGetLastError and hipPeekAtLastError answer as after any other out of memory. */
int out_of_memory(const struct runtime *runtime) {
    void *memory = NULL;
    if (runtime->real[FN_hipMalloc] && DRIVER(hipMalloc, &memory, (size_t)1 << 62) == HIP_SUCCESS && memory)
        DRIVER(hipFree, memory);
    return HIP_OUT_OF_MEMORY;
}

/* After the driver's answer to an allocation that was taken off the pool. */
static int settle(const struct runtime *runtime, int result, int device, uint64_t size, void **memory) {
    if (result != HIP_SUCCESS || *memory == NULL) {
        give_back(device, in_pages(size));
        return result;
    }
    struct entry entry = {.key = (uintptr_t)*memory, .size = in_pages(size), .device = device, .kind = MEMORY};
    if (remember(&entry))
        return HIP_SUCCESS;
    DRIVER(hipFree, *memory);
    *memory = NULL;
    give_back(device, in_pages(size));
    return HIP_OUT_OF_MEMORY;
}

#define ALLOCATE(name, counted_device, refused, memory, size, ...)                                                     \
    ({                                                                                                                 \
        int device = (memory) && (size) ? (counted_device) : -1, result;                                               \
        if (device < 0)                                                                                                \
            result = DRIVER(name, __VA_ARGS__);                                                                        \
        else if (!take(#name, device, size))                                                                           \
            result = refused;                                                                                          \
        else                                                                                                           \
            result = settle(runtime, DRIVER(name, __VA_ARGS__), device, size, memory);                                 \
        result;                                                                                                        \
    })

#define FREE(name, freed, ...)                                                                                         \
    ({                                                                                                                 \
        struct entry entry;                                                                                            \
        bool known = (freed) && forget(MEMORY, freed, &entry);                                                         \
        int result = DRIVER(name, __VA_ARGS__);                                                                        \
        if (known && result == HIP_SUCCESS)                                                                            \
            give_back(entry.device, entry.size);                                                                       \
        else if (known && !remember(&entry))                                                                           \
            give_back(entry.device, entry.size);                                                                       \
        result;                                                                                                        \
    })

/* ---- allocations ------------------------------------------------------------------------------------------------- */

int on_hipMalloc(const struct runtime *runtime, void **memory, size_t size) {
    return ALLOCATE(hipMalloc, current_device(runtime), out_of_memory(runtime), memory, size, memory, size);
}

int on_hipExtMallocWithFlags(const struct runtime *runtime, void **memory, size_t size, unsigned flags) {
    return ALLOCATE(hipExtMallocWithFlags, flags == SIGNAL_MEMORY ? -1 : current_device(runtime), /* host memory */
                    out_of_memory(runtime), memory, size, memory, size, flags);
}

int on_hipMallocManaged(const struct runtime *runtime, void **memory, size_t size, unsigned flags) {
    return ALLOCATE(hipMallocManaged, current_device(runtime), out_of_memory(runtime), memory, size, memory, size,
                    flags);
}

/* In a stream that is being captured a call of hipMalloc would spoil the capture: the refusal is
 * this library's alone. */
int on_hipMallocAsync(const struct runtime *runtime, void **memory, size_t size, void *stream) {
    return ALLOCATE(hipMallocAsync, device_of_stream(runtime, stream), HIP_OUT_OF_MEMORY, memory, size, memory, size,
                    stream);
}

static int device_of_pool(const struct runtime *runtime, void *pool, void *stream) {
    struct entry entry;
    return recall(POOL, pool, &entry) ? entry.device : device_of_stream(runtime, stream);
}

int on_hipMallocFromPoolAsync(const struct runtime *runtime, void **memory, size_t size, void *pool, void *stream) {
    return ALLOCATE(hipMallocFromPoolAsync, device_of_pool(runtime, pool, stream), HIP_OUT_OF_MEMORY, memory, size,
                    memory, size, pool, stream);
}

/* Bytes of rows, or a size that no pool has where they cannot be multiplied. */
static uint64_t rows(uint64_t pitch, uint64_t height, uint64_t depth) {
    uint64_t size;
    if (__builtin_mul_overflow(pitch, height, &size) || __builtin_mul_overflow(size, depth, &size))
        return (uint64_t)1 << 62;
    return size;
}

/* Rows are padded by the driver, to 256 bytes on what was seen of the source: what it pads more is taken afterwards. */
static uint64_t padded(uint64_t width) { return width > UINT64_MAX - 256 ? width : (width + 255) & ~(uint64_t)255; }

static int settle_rows(const struct runtime *runtime, const char *name, int result, int device, uint64_t taken,
                       uint64_t size, void **memory) {
    if (result == HIP_SUCCESS && *memory && in_pages(size) > in_pages(taken)) {
        uint64_t more = in_pages(size) - in_pages(taken);
        if (!take(name, device, more)) {
            DRIVER(hipFree, *memory);
            *memory = NULL;
            give_back(device, in_pages(taken));
            return out_of_memory(runtime);
        }
        taken = size;
    }
    return settle(runtime, result, device, taken, memory);
}

#define ALLOCATE_ROWS(name, memory, pitch, width, height, depth, ...)                                                  \
    ({                                                                                                                 \
        uint64_t guess = rows(padded(width), height, depth);                                                           \
        int device = (memory) && guess ? current_device(runtime) : -1, result;                                         \
        if (device < 0) {                                                                                              \
            result = DRIVER(name, __VA_ARGS__);                                                                        \
        } else if (!take(#name, device, guess)) {                                                                      \
            result = out_of_memory(runtime);                                                                           \
        } else {                                                                                                       \
            result = DRIVER(name, __VA_ARGS__);                                                                        \
            result = settle_rows(runtime, #name, result, device, guess,                                                \
                                 result == HIP_SUCCESS ? rows(pitch, height, depth) : 0, memory);                      \
        }                                                                                                              \
        result;                                                                                                        \
    })

int on_hipMallocPitch(const struct runtime *runtime, void **memory, size_t *pitch, size_t width, size_t height) {
    return ALLOCATE_ROWS(hipMallocPitch, memory, *pitch, width, height, 1, memory, pitch, width, height);
}

int on_hipMemAllocPitch(const struct runtime *runtime, void **memory, size_t *pitch, size_t width, size_t height,
                        unsigned element) {
    return ALLOCATE_ROWS(hipMemAllocPitch, memory, *pitch, width, height, 1, memory, pitch, width, height, element);
}

int on_hipMalloc3D(const struct runtime *runtime, struct pitched *rows_of, struct extent extent) {
    void **memory = rows_of ? &rows_of->memory : NULL;
    return ALLOCATE_ROWS(hipMalloc3D, memory, rows_of->pitch, extent.width, extent.height, extent.depth, rows_of,
                         extent);
}

int on_hipFree(const struct runtime *runtime, void *memory) { return FREE(hipFree, memory, memory); }

/* The bytes go back to HIP's own pool in the stream's order; counted as free at once. */
int on_hipFreeAsync(const struct runtime *runtime, void *memory, void *stream) {
    return FREE(hipFreeAsync, memory, memory, stream);
}

/* Everything of the current device is freed with it. */
int on_hipDeviceReset(const struct runtime *runtime) {
    int device = current_device(runtime), result = DRIVER(hipDeviceReset);
    if (result == HIP_SUCCESS && device >= 0)
        forget_memory(device);
    return result;
}
