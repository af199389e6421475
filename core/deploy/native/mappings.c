/* Physical memory and its mappings: freed when it is released and no longer mapped. */
#include "driver.h"

int on_hipMemCreate(const struct runtime *runtime, void **handle, size_t size, const struct allocation *what,
                    unsigned long long flags) {
    bool counted = handle && size && what && what->location_type == PINNED_DEVICE && device_has_pool(what->location);
    if (!counted)
        return DRIVER(hipMemCreate, handle, size, what, flags);
    int device = what->location;
    if (!take("hipMemCreate", device, size))
        return out_of_memory(runtime);
    int result = DRIVER(hipMemCreate, handle, size, what, flags);
    if (result != HIP_SUCCESS || *handle == NULL) {
        give_back(device, in_pages(size));
        return result;
    }
    struct entry entry = {
        .key = (uintptr_t)*handle, .size = in_pages(size), .device = device, .kind = HANDLE, .references = 1};
    if (remember(&entry))
        return HIP_SUCCESS;
    DRIVER(hipMemRelease, *handle);
    give_back(device, in_pages(size));
    return HIP_OUT_OF_MEMORY;
}

/* After a driver call that dropped a reference to `handle`, or did not. */
static void settle_handle(void *handle, bool last, struct entry *entry, bool dropped) {
    if (dropped && last) {
        give_back(entry->device, entry->size);
    } else if (!dropped && last) {
        entry->references = 1;
        if (!remember(entry))
            give_back(entry->device, entry->size);
    } else if (!dropped) {
        add_reference(handle);
    }
}

int on_hipMemRelease(const struct runtime *runtime, void *handle) {
    struct entry entry;
    bool known = handle && recall(HANDLE, handle, &entry), last = known && drop_reference(handle, &entry);
    int result = DRIVER(hipMemRelease, handle);
    if (known)
        settle_handle(handle, last, &entry, result == HIP_SUCCESS);
    return result;
}

int on_hipMemRetainAllocationHandle(const struct runtime *runtime, void **handle, void *address) {
    int result = DRIVER(hipMemRetainAllocationHandle, handle, address);
    if (result == HIP_SUCCESS && handle && *handle)
        add_reference(*handle);
    return result;
}

int on_hipMemMap(const struct runtime *runtime, void *address, size_t size, size_t offset, void *handle,
                 unsigned long long flags) {
    struct entry entry;
    bool known = handle && add_reference(handle);
    int result = DRIVER(hipMemMap, address, size, offset, handle, flags);
    if (!known)
        return result;
    struct entry mapping = {.key = (uintptr_t)address, .target = (uintptr_t)handle, .length = size, .kind = MAPPING};
    if ((result != HIP_SUCCESS || !remember(&mapping)) && drop_reference(handle, &entry))
        give_back(entry.device, entry.size);
    return result;
}

/* One call may end several mappings that lie side by side.  An address is the program's own until it frees the range,
 * so that nobody maps it anew before this is done; a handle is not, and its reference goes before the driver's does. */
int on_hipMemUnmap(const struct runtime *runtime, void *address, size_t size) {
    struct entry mapping, first = {0};
    bool known = address && recall(MAPPING, address, &mapping), last = false;
    void *handle = known ? (void *)mapping.target : NULL;
    if (known)
        last = drop_reference(handle, &first);
    int result = DRIVER(hipMemUnmap, address, size);
    if (!known)
        return result;
    settle_handle(handle, last, &first, result == HIP_SUCCESS);
    if (result != HIP_SUCCESS)
        return result;
    forget(MAPPING, address, &mapping);
    for (size_t done = mapping.length; done && done < size; done += mapping.length) {
        if (!forget(MAPPING, (char *)address + done, &mapping))
            break;
        if (drop_reference((void *)mapping.target, &first))
            give_back(first.device, first.size);
    }
    return result;
}
