/* What programs are told: sizes within the pool, and wrappers where they ask HIP for its functions. */
#include "driver.h"

#include <string.h>

enum { TOTAL_MEMORY_ATTRIBUTE = 84 }; /* hipDeviceAttributeTotalGlobalMem in HIP 5.2 and 7.1 */

/* Offsets of totalGlobalMem: hipDeviceProp_tR0000 has it after name[256]; hipDeviceProp_tR0600 (HIP 6.0) after
 * name[256], uuid[16], luid[8] and luidDeviceNodeMask.  hip/hip_runtime_api.h of 5.2 and 7.1. */
enum { TOTAL_IN_R0000 = 256, TOTAL_IN_R0600 = 288 };

/* ---- HIP's own pools: which device they are on ------------------------------------------------------------------- */

static void remember_pool(int result, void **pool, int device) {
    if (result != HIP_SUCCESS || pool == NULL || *pool == NULL || !device_has_pool(device))
        return;
    struct entry entry = {.key = (uintptr_t)*pool, .device = device, .kind = POOL};
    remember(&entry); /* without it, the stream says which device */
}

int on_hipMemPoolCreate(const struct runtime *runtime, void **pool, const struct allocation *what) {
    int result = DRIVER(hipMemPoolCreate, pool, what);
    if (what && what->location_type == PINNED_DEVICE)
        remember_pool(result, pool, what->location);
    return result;
}

int on_hipMemPoolDestroy(const struct runtime *runtime, void *pool) {
    struct entry entry;
    if (pool)
        forget(POOL, pool, &entry);
    return DRIVER(hipMemPoolDestroy, pool);
}

int on_hipDeviceGetDefaultMemPool(const struct runtime *runtime, void **pool, int device) {
    int result = DRIVER(hipDeviceGetDefaultMemPool, pool, device);
    remember_pool(result, pool, device);
    return result;
}

int on_hipDeviceGetMemPool(const struct runtime *runtime, void **pool, int device) {
    int result = DRIVER(hipDeviceGetMemPool, pool, device);
    remember_pool(result, pool, device);
    return result;
}

/* ---- what is told of a device ------------------------------------------------------------------------------------ */

int on_hipMemGetInfo(const struct runtime *runtime, size_t *free, size_t *total) {
    int result = DRIVER(hipMemGetInfo, free, total), device;
    if (result != HIP_SUCCESS || (device = current_device(runtime)) < 0)
        return result;
    uint64_t pool = device_pool(device), held = device_held(device), left = held < pool ? pool - held : 0;
    if (free && *free > left)
        *free = left;
    if (total && *total > pool)
        *total = pool;
    return result;
}

int on_hipDeviceTotalMem(const struct runtime *runtime, size_t *total, int device) {
    int result = DRIVER(hipDeviceTotalMem, total, device);
    if (result == HIP_SUCCESS && device_has_pool(device) && *total > device_pool(device))
        *total = device_pool(device);
    return result;
}

/* 0: the driver does not say. */
static size_t real_total(const struct runtime *runtime, int device) {
    size_t total = 0;
    if (!device_has_pool(device) || runtime->real[FN_hipDeviceTotalMem] == NULL ||
        DRIVER(hipDeviceTotalMem, &total, device) != HIP_SUCCESS)
        return 0;
    return total;
}

/* Only if it has the value that this attribute has: the total, at most INT_MAX. */
int on_hipDeviceGetAttribute(const struct runtime *runtime, int *value, int attribute, int device) {
    int result = DRIVER(hipDeviceGetAttribute, value, attribute, device);
    if (attribute != TOTAL_MEMORY_ATTRIBUTE || result != HIP_SUCCESS || !device_has_pool(device))
        return result;
    size_t total = real_total(runtime, device), shown = total < INT32_MAX ? total : INT32_MAX;
    if (total && *value >= 0 && (size_t)*value == shown && shown > device_pool(device))
        *value = (int)device_pool(device);
    return result;
}

/* Only where the field holds the device's total is it that field: the name without a version has meant both layouts. */
static bool limit_total(void *properties, size_t offset, size_t total, size_t pool) {
    size_t field;
    memcpy(&field, (char *)properties + offset, sizeof field);
    if (field != total)
        return false;
    if (field > pool)
        memcpy((char *)properties + offset, &pool, sizeof pool);
    return true;
}

int on_hipGetDeviceProperties(const struct runtime *runtime, void *properties, int device) {
    int result = DRIVER(hipGetDeviceProperties, properties, device);
    size_t total = result == HIP_SUCCESS ? real_total(runtime, device) : 0;
    if (total && !limit_total(properties, TOTAL_IN_R0000, total, device_pool(device)))
        limit_total(properties, TOTAL_IN_R0600, total, device_pool(device));
    return result;
}

int on_hipGetDevicePropertiesR0000(const struct runtime *runtime, void *properties, int device) {
    int result = DRIVER(hipGetDevicePropertiesR0000, properties, device);
    size_t total = result == HIP_SUCCESS ? real_total(runtime, device) : 0;
    if (total)
        limit_total(properties, TOTAL_IN_R0000, total, device_pool(device));
    return result;
}

int on_hipGetDevicePropertiesR0600(const struct runtime *runtime, void *properties, int device) {
    int result = DRIVER(hipGetDevicePropertiesR0600, properties, device);
    size_t total = result == HIP_SUCCESS ? real_total(runtime, device) : 0;
    if (total)
        limit_total(properties, TOTAL_IN_R0600, total, device_pool(device));
    return result;
}

/* ---- functions that hand out functions --------------------------------------------------------------------------- */

static int wrapped_answer(int result, void **found) {
    if (result == HIP_SUCCESS && found && *found)
        *found = wrapper_of(*found);
    return result;
}

int on_hipGetProcAddress(const struct runtime *runtime, const char *name, void **found, int version, uint64_t flags,
                         void *status) {
    return wrapped_answer(DRIVER(hipGetProcAddress, name, found, version, flags, status), found);
}

int on_hipGetProcAddress_spt(const struct runtime *runtime, const char *name, void **found, int version, uint64_t flags,
                             void *status) {
    return wrapped_answer(DRIVER(hipGetProcAddress_spt, name, found, version, flags, status), found);
}

int on_hipGetDriverEntryPoint(const struct runtime *runtime, const char *name, void **found, unsigned long long flags,
                              void *status) {
    return wrapped_answer(DRIVER(hipGetDriverEntryPoint, name, found, flags, status), found);
}

int on_hipGetDriverEntryPoint_spt(const struct runtime *runtime, const char *name, void **found,
                                  unsigned long long flags, void *status) {
    return wrapped_answer(DRIVER(hipGetDriverEntryPoint_spt, name, found, flags, status), found);
}
