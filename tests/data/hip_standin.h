/* The part of HIP's ABI that the tests of the preloaded pool call; hipError_t is an int. */
#ifndef HIP_STANDIN_H
#define HIP_STANDIN_H

#include <stddef.h>
#include <stdint.h>

enum { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorInvalidDevice = 101 };

typedef struct {
    void *ptr;
    size_t pitch, xsize, ysize;
} hipPitchedPtr;
typedef struct {
    size_t width, height, depth;
} hipExtent;
typedef struct {
    int type, handle_type, location_type, location;
    void *metadata;
    char rest[64];
} hipMemAllocationProp;
typedef struct {
    char name[256];
    size_t totalGlobalMem;
    char rest[528];
} hipDeviceProp_tR0000;
typedef struct {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem;
    char rest[1176];
} hipDeviceProp_tR0600;

int hipMalloc(void **, size_t);
int hipExtMallocWithFlags(void **, size_t, unsigned);
int hipMallocManaged(void **, size_t, unsigned);
int hipMallocPitch(void **, size_t *, size_t, size_t);
int hipMemAllocPitch(void **, size_t *, size_t, size_t, unsigned);
int hipMalloc3D(hipPitchedPtr *, hipExtent);
int hipMallocAsync(void **, size_t, void *);
int hipMallocFromPoolAsync(void **, size_t, void *, void *);
int hipFree(void *);
int hipFreeAsync(void *, void *);
int hipHostMalloc(void **, size_t, unsigned);
int hipHostFree(void *);
int hipMemCreate(void **, size_t, const hipMemAllocationProp *, unsigned long long);
int hipMemRelease(void *);
int hipMemRetainAllocationHandle(void **, void *);
int hipMemMap(void *, size_t, size_t, void *, unsigned long long);
int hipMemUnmap(void *, size_t);
int hipMemPoolCreate(void **, const hipMemAllocationProp *);
int hipMemPoolDestroy(void *);
int hipDeviceGetDefaultMemPool(void **, int);
int hipDeviceGetMemPool(void **, int);
int hipMemGetInfo(size_t *, size_t *);
int hipDeviceTotalMem(size_t *, int);
int hipDeviceGetAttribute(int *, int, int);
int hipGetDeviceProperties(void *, int); /* the layout before 6.0, as the name without a version has been since */
int hipGetDevicePropertiesR0600(void *, int);
int hipGetProcAddress(const char *, void **, int, uint64_t, void *);
int hipDeviceReset(void);
int hipGetDevice(int *);
int hipSetDevice(int);
int hipStreamCreate(void **);
int hipStreamDestroy(void *);
int hipGetStreamDeviceId(void *);
int hipGetLastError(void);

/* The stand-in's own account: bytes held now, the most that ever were, and where the next calls fail. */
uint64_t standin_used(int device);
uint64_t standin_peak(int device);
void standin_fail(int on);

#endif
