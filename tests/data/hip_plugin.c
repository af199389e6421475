/* A backend that is linked with a HIP library, as PyTorch's and llama.cpp's are; programs load it when they run.
 *
 * With -DNEXT: a library that stands before others and asks for what comes after it.
 */
#define _GNU_SOURCE
#include "hip_standin.h"

#include <dlfcn.h>
#include <unistd.h>

#ifdef NEXT
/* A tracer that knows one function. */
int hipMallocManaged(void **memory, size_t size, unsigned flags) {
    int (*real)(void **, size_t, unsigned) = (int (*)(void **, size_t, unsigned))dlsym(RTLD_NEXT, "hipMallocManaged");
    return real(memory, size, flags);
}

pid_t getppid(void) {
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "getppid"); /* libc's, not this one again */
    return -real();
}

int next_allocate(void **memory, size_t size) {
    int (*real)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_NEXT, "hipMalloc");
    return real ? real(memory, size) : -1;
}
#else
static volatile int calls; /* so that a call of HIP is not the last act, which a compiler makes a jump of */

int plugin_allocate(void **memory, size_t size) {
    int error = hipMalloc(memory, size);
    calls++;
    return error;
}
int plugin_free(void *memory) {
    int error = hipFree(memory);
    calls++;
    return error;
}
size_t plugin_left(void) {
    size_t left = 0;
    return hipMemGetInfo(&left, NULL) == hipSuccess ? left : 0;
}
uint64_t plugin_used(void) { return standin_used(0); }
#endif
