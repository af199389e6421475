/* Programs that are not linked with HIP and get at it when they run: `hip_loader CASE FILE ...`; the pool is 8 MiB. */
#define _GNU_SOURCE
#include "hip_standin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, dlerror());                                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef int allocate_type(void **, size_t);
typedef int free_type(void *);
typedef size_t left_type(void);
typedef uint64_t used_type(void);
typedef int info_type(size_t *, size_t *);
typedef uint64_t standin_used_type(int);

static void *opened(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    HOLDS(handle);
    return handle;
}

/* Functions by name, with and without a version. */
static int case_symbols(char **files) {
    void *library = opened(files[0]), *memory = NULL;
    allocate_type *allocate = (allocate_type *)dlsym(library, "hipMalloc");
    allocate_type *versioned = (allocate_type *)dlvsym(library, "hipMalloc", "hip_4.2");
    free_type *release = (free_type *)dlsym(library, "hipFree");
    info_type *info = (info_type *)dlsym(library, "hipMemGetInfo");
    standin_used_type *used = (standin_used_type *)dlsym(library, "standin_used");
    size_t left, total;
    HOLDS(allocate && versioned && release && info && used);
    HOLDS(dlvsym(library, "hipMalloc", "hip_9.9") == NULL && dlerror() != NULL);
    HOLDS(dlsym(library, "hipNothing") == NULL && dlerror() != NULL);
    HOLDS(info(&left, &total) == hipSuccess && left == 8 * MIB && total == 8 * MIB);
    HOLDS(allocate(&memory, 9 * MIB) == hipErrorOutOfMemory && versioned(&memory, 9 * MIB) == hipErrorOutOfMemory);
    HOLDS(allocate(&memory, 6 * MIB) == hipSuccess && used(0) == 6 * MIB);
    HOLDS(versioned(&memory, 3 * MIB) == hipErrorOutOfMemory);
    HOLDS(dlclose(library) == 0); /* pointers that a program kept still work */
    HOLDS(release(memory) == hipSuccess && info(&left, NULL) == hipSuccess && left == 8 * MIB);
    puts("ok");
    return 0;
}

/* A backend with a HIP library of its own, found by neither name nor global scope. */
static int case_plugin(char **files) {
    void *plugin = opened(files[0]), *memory = NULL;
    allocate_type *allocate = (allocate_type *)dlsym(plugin, "plugin_allocate");
    HOLDS(((left_type *)dlsym(plugin, "plugin_left"))() == 8 * MIB);
    HOLDS(allocate(&memory, 9 * MIB) == hipErrorOutOfMemory && allocate(&memory, 6 * MIB) == hipSuccess);
    HOLDS(((left_type *)dlsym(plugin, "plugin_left"))() == 2 * MIB);
    HOLDS(((free_type *)dlsym(plugin, "plugin_free"))(memory) == hipSuccess);
    puts("ok");
    return 0;
}

/* Two backends, each with its own: what one allocates is not asked of the other, and they share the pool. */
static int case_two(char **files) {
    void *plugins[2] = {opened(files[0]), opened(files[1])}, *memory[2];
    used_type *used[2];
    for (int i = 0; i < 2; i++) {
        used[i] = (used_type *)dlsym(plugins[i], "plugin_used");
        HOLDS(((allocate_type *)dlsym(plugins[i], "plugin_allocate"))(&memory[i], (size_t)(i + 3) * MIB) == hipSuccess);
        HOLDS(used[i]() == (size_t)(i + 3) * MIB);
    }
    HOLDS(used[0]() == 3 * MIB && used[0] != used[1]);
    HOLDS(((left_type *)dlsym(plugins[0], "plugin_left"))() == MIB);
    for (int i = 0; i < 2; i++)
        HOLDS(((free_type *)dlsym(plugins[i], "plugin_free"))(memory[i]) == hipSuccess && used[i]() == 0);
    puts("ok");
    return 0;
}

/* Where no HIP is loaded there is none, whatever the preloaded library defines. */
static int case_none(char **files) {
    (void)files;
    HOLDS(dlsym(RTLD_DEFAULT, "hipMalloc") == NULL && dlerror() != NULL);
    HOLDS(dlsym(dlopen(NULL, RTLD_NOW), "hipMalloc") == NULL && dlerror() != NULL);
    HOLDS(dlsym(RTLD_DEFAULT, "strlen") != NULL && dlsym(RTLD_NEXT, "strlen") != NULL);
    puts("ok");
    return 0;
}

/* RTLD_DEFAULT, once a HIP library is in the global scope. */
static int case_global(char **files) {
    void *memory;
    HOLDS(dlopen(files[0], RTLD_NOW | RTLD_GLOBAL));
    allocate_type *allocate = (allocate_type *)dlsym(RTLD_DEFAULT, "hipMalloc");
    HOLDS(allocate && allocate(&memory, 9 * MIB) == hipErrorOutOfMemory && allocate(&memory, 8 * MIB) == hipSuccess);
    HOLDS(((free_type *)dlsym(RTLD_DEFAULT, "hipFree"))(memory) == hipSuccess);
    puts("ok");
    return 0;
}

typedef int managed_type(void **, size_t, unsigned);

/* With a library of wrappers before or after the pool's: each finds what comes after it. */
static int next(char **files, int after) {
    void *memory;
    HOLDS(getppid() < 0);
    allocate_type *past = (allocate_type *)dlsym(RTLD_DEFAULT, "next_allocate");
    HOLDS(past && (!after || past(&memory, 1) == -1) && dlopen(files[0], RTLD_NOW | RTLD_GLOBAL));
    HOLDS(past(&memory, 9 * MIB) == (after ? hipSuccess : hipErrorOutOfMemory));
    managed_type *managed = (managed_type *)dlsym(RTLD_DEFAULT, "hipMallocManaged");
    HOLDS(managed && managed(&memory, 9 * MIB, 1) == hipErrorOutOfMemory);
    HOLDS(managed(&memory, 8 * MIB, 1) == hipSuccess && managed(&memory, 8 * MIB, 1) == hipErrorOutOfMemory);
    puts("ok");
    return 0;
}

static int case_before(char **files) { return next(files, 0); }
static int case_after(char **files) { return next(files, 1); }

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(char **);
    } cases[] = {
        {"symbols", case_symbols}, {"plugin", case_plugin}, {"two", case_two},     {"none", case_none},
        {"global", case_global},   {"before", case_before}, {"after", case_after},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count > 1 && strcmp(arguments[1], cases[i].name) == 0)
            return cases[i].run(arguments + 2);
    fputs("hip_loader CASE FILE ...\n", stderr);
    return 2;
}
