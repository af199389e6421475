/* Where the real functions are.
 *
 * A program reaches HIP in one of three ways, and each must end in a wrapper that knows which runtime is meant:
 *
 * - it was linked with libamdhip64: the loader finds this library's functions first.  They have no version, which
 *   satisfies a reference to any (hipMalloc@hip_4.2); the runtime is the one that comes next in the global scope, or
 * the one among what the calling library was linked with (a PyTorch wheel brings its own, loaded with RTLD_LOCAL);
 * - it asks dlsym or dlvsym with a handle: the answer is replaced by a wrapper for just the library that it is in;
 * - it asks HIP itself (hipGetProcAddress): the same.
 *
 * What defines the functions counts, not what a file is called.  In a process with several runtimes, a library whose
 * function ends in a call of HIP as its last act may be taken for its own caller: the loader does not say who calls.
 */
#define _GNU_SOURCE
#include "pool.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct runtime runtimes[MAX_RUNTIMES];
static _Atomic int runtime_count;
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;

void forget_callers_lock(void) { pthread_mutex_init(&registry, NULL); }

#define NAME(name, parameters, arguments) #name,
static const char *const names[FUNCTION_COUNT] = {WRAPPED(NAME) ASKED(NAME)};

/* ---- a symbol in a loaded object, without dlsym ------------------------------------------------------------------ */

/* Not libc's: a sanitizer that stands before strcmp asks dlsym for the real one, and this is what answers. */
static bool starts_with(const char *text, const char *begin) {
    while (*begin && *text == *begin)
        text++, begin++;
    return *begin == 0;
}

static bool same_text(const char *one, const char *other) {
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

static const char *file_name(const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

struct dynamic {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const ElfW(Word) * hash;
};

/* glibc has turned the table's addresses into absolute ones, but for objects that it may not write to. */
static const void *absolute(ElfW(Addr) base, ElfW(Addr) address) {
    return (const void *)(address < base ? address + base : address);
}

static bool read_dynamic(ElfW(Addr) base, const ElfW(Dyn) * entry, struct dynamic *dynamic) {
    *dynamic = (struct dynamic){0};
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *address = absolute(base, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            dynamic->symbols = address;
        else if (entry->d_tag == DT_STRTAB)
            dynamic->strings = address;
        else if (entry->d_tag == DT_GNU_HASH)
            dynamic->gnu_hash = address;
        else if (entry->d_tag == DT_HASH)
            dynamic->hash = address;
    }
    return dynamic->symbols && dynamic->strings && (dynamic->gnu_hash || dynamic->hash);
}

static bool is_symbol(const struct dynamic *dynamic, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &dynamic->symbols[index];
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value && same_text(dynamic->strings + symbol->st_name, name);
}

/* Its index, or 0. */
static uint32_t look_up_gnu(const struct dynamic *dynamic, const char *name) {
    const uint32_t *table = dynamic->gnu_hash, bucket_count = table[0], first = table[1], bloom_words = table[2];
    const uint32_t *buckets = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4), *chains = buckets + bucket_count;
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (uint32_t index = bucket_count ? buckets[hash % bucket_count] : 0; index >= first && index; index++) {
        if ((chains[index - first] | 1) == (hash | 1) && is_symbol(dynamic, index, name))
            return index;
        if (chains[index - first] & 1)
            break;
    }
    return 0;
}

static void *symbol_in(ElfW(Addr) base, const ElfW(Dyn) * entries, const char *name) {
    struct dynamic dynamic;
    uint32_t index = 0;
    if (!read_dynamic(base, entries, &dynamic))
        return NULL;
    if (dynamic.gnu_hash) {
        index = look_up_gnu(&dynamic, name);
    } else {
        for (uint32_t i = 1; i < dynamic.hash[1] && !index; i++)
            index = is_symbol(&dynamic, i, name) ? i : 0;
    }
    return index ? (void *)(base + dynamic.symbols[index].st_value) : NULL;
}

static const void *own_base(void) {
    static _Atomic(const void *) base;
    const void *known = atomic_load_explicit(&base, memory_order_relaxed);
    Dl_info info;
    if (known == NULL && dladdr((const void *)own_base, &info)) {
        known = info.dli_fbase;
        atomic_store_explicit(&base, known, memory_order_relaxed);
    }
    return known;
}

static const void *base_of(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

struct search {
    const char *name;
    void *found;
};

static int search_object(struct dl_phdr_info *object, size_t size, void *data) {
    struct search *search = data;
    const ElfW(Dyn) *entries = NULL;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entries = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    const char *file = file_name(object->dlpi_name);
    if (*file == 0 || starts_with(file, "linux-vdso"))
        return 0; /* the program itself: what it defines it does not reach through the loader */
    void *found = symbol_in(object->dlpi_addr, entries, search->name);
    if (found == NULL || base_of(found) == own_base())
        return 0;
    search->found = found;
    return 1;
}

/* Any loaded library that defines a function. */
static void *search_objects(const char *name) {
    struct search search = {name, NULL};
    dl_iterate_phdr(search_object, &search);
    return search.found;
}

/* ---- libc's dlsym and dlvsym, which this library stands before --------------------------------------------------- */

typedef void *dlsym_type(void *, const char *);
typedef void *dlvsym_type(void *, const char *, const char *);

/* Read off the loader's own list, which has the C library near its head from the start: this may be the first thing
 * that runs in a process, before a sanitizer that stands before dl_iterate_phdr is ready. */
static void *libc_symbol(_Atomic(void *) *cell, const char *name) {
    void *known = atomic_load_explicit(cell, memory_order_acquire);
    if (known == NULL) {
        for (const struct link_map *map = _r_debug.r_map; map && !known; map = map->l_next) {
            const char *file = file_name(map->l_name); /* before glibc 2.34 it is libdl that has dlsym */
            if (starts_with(file, "libc.so.") || starts_with(file, "libc-2.") || starts_with(file, "libdl"))
                known = symbol_in(map->l_addr, map->l_ld, name);
        }
        if (known == NULL) {
            say("no %s in this C library; cannot go on", name);
            abort();
        }
        atomic_store_explicit(cell, known, memory_order_release);
    }
    return known;
}

static _Atomic(void *) dlsym_cell, dlvsym_cell;

static dlsym_type *real_dlsym(void) { return (dlsym_type *)libc_symbol(&dlsym_cell, "dlsym"); }

static dlvsym_type *real_dlvsym(void) { return (dlvsym_type *)libc_symbol(&dlvsym_cell, "dlvsym"); }

/* ---- the runtimes ------------------------------------------------------------------------------------------------ */

static const struct runtime *known_runtime(const void *base) {
    int count = atomic_load_explicit(&runtime_count, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (runtimes[i].base == base)
            return &runtimes[i];
    return NULL;
}

/* The runtime that an address is in, which stays loaded from now on: its functions may be called at any time. */
static const struct runtime *enlist(const void *address) {
    struct link_map *map = NULL;
    Dl_info info;
    if (address == NULL || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || info.dli_fbase == own_base())
        return NULL;
    const struct runtime *known = known_runtime(info.dli_fbase);
    if (known || map == NULL || map->l_name[0] == 0)
        return known;
    void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle == NULL)
        return NULL;
    struct runtime runtime = {.base = info.dli_fbase};
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        /* Another library of wrappers (a tracer) may define some functions only: the others are behind it. */
        void *real = real_dlsym()(handle, names[i]), *next = real ? real : real_dlsym()(RTLD_NEXT, names[i]);
        runtime.real[i] = base_of(next) == own_base() ? NULL : next;
    }
    dlclose(handle);
    pthread_mutex_lock(&registry);
    known = known_runtime(info.dli_fbase);
    int count = atomic_load_explicit(&runtime_count, memory_order_relaxed);
    if (known == NULL && count < MAX_RUNTIMES) {
        runtimes[count] = runtime;
        known = &runtimes[count];
        atomic_store_explicit(&runtime_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&registry);
    if (known == NULL)
        say("more than %d HIP runtimes in one process; the pool is not enforced in %s", MAX_RUNTIMES, map->l_name);
    return known;
}

/* As the loader looks: first the global scope, then what the caller was linked with. */
static const struct runtime *runtime_in_scope(const void *caller, enum function function) {
    struct link_map *map = NULL;
    Dl_info info;
    const struct runtime *found = enlist(real_dlsym()(RTLD_NEXT, names[function]));
    if (found || !dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || map == NULL || map->l_name[0] == 0)
        return found;
    void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    found = enlist(real_dlsym()(handle, names[function]));
    dlclose(handle);
    return found;
}

/* Callers that were resolved: an address and the number of its runtime in one word: a reader sees both or none. */
enum { CALLERS = 1024, ADDRESS_BITS = 56 };
static _Atomic uint64_t callers[CALLERS];

const struct runtime *runtime_of(const void *caller, enum function function) {
    uint64_t address = (uint64_t)(uintptr_t)caller & (((uint64_t)1 << ADDRESS_BITS) - 1);
    _Atomic uint64_t *cell = &callers[(address ^ (address >> 10)) % CALLERS];
    uint64_t known = atomic_load_explicit(cell, memory_order_acquire);
    if (known && known >> 8 == address)
        return &runtimes[known & 0xff];
    const struct runtime *found = runtime_in_scope(caller, function);
    if (found == NULL)
        found = enlist(search_objects(names[function]));
    if (found)
        atomic_store_explicit(cell, address << 8 | (uint64_t)(found - runtimes), memory_order_release);
    return found;
}

static int function_named(const char *name) {
    if (name == NULL || !starts_with(name, "hip"))
        return -1;
    for (int i = 0; i < WRAPPED_COUNT; i++)
        if (same_text(names[i], name))
            return i;
    return -1;
}

void *wrapper_of(void *real) {
    const struct runtime *runtime = enlist(real);
    for (int i = 0; runtime && i < WRAPPED_COUNT; i++)
        if (runtime->real[i] == real)
            return bound_wrappers[runtime - runtimes][i];
    return real;
}

/* What a lookup found, or its wrapper; `found` may be this library's own function, where the search began at it. */
static __attribute__((noinline)) void *replaced(void *found, int function, const void *caller) {
    if (base_of(found) != own_base())
        return wrapper_of(found);
    const struct runtime *runtime = runtime_in_scope(caller, (enum function)function);
    if (runtime && runtime->real[function])
        return exported_wrappers[function];
    /* No HIP there: not even its error message may come from the fact that this library defines the name. */
    return real_dlsym()(RTLD_DEFAULT, "a HIP function, and no HIP runtime is loaded");
}

/* libc looks at who calls it (RTLD_NEXT, RTLD_DEFAULT): these end in a jump, so that it sees the program's own call. */
#if defined(__has_attribute)
#if __has_attribute(musttail)
#define TAIL_CALL __attribute__((musttail)) return
#endif
#endif
#ifndef TAIL_CALL
#define TAIL_CALL return
#endif

#define EXPORTED __attribute__((visibility("default"), used))

static __attribute__((noinline)) void *looked_up(void *handle, const char *name, const char *version, int function,
                                                 const void *caller) {
    void *found = version ? real_dlvsym()(handle, name, version) : real_dlsym()(handle, name);
    return found ? replaced(found, function, caller) : NULL;
}

EXPORTED void *dlsym(void *restrict handle, const char *restrict name) {
    int function = function_named(name);
    if (function >= 0 && handle != RTLD_NEXT && pool_is_set())
        return looked_up(handle, name, NULL, function, __builtin_return_address(0));
    dlsym_type *real = real_dlsym();
    TAIL_CALL real(handle, name);
}

EXPORTED void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version) {
    int function = function_named(name);
    if (function >= 0 && handle != RTLD_NEXT && pool_is_set())
        return looked_up(handle, name, version, function, __builtin_return_address(0));
    dlvsym_type *real = real_dlvsym();
    TAIL_CALL real(handle, name, version);
}
