/* What each device holds, and what each address stands for.  No function here calls the driver. */
#define _GNU_SOURCE
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 64, FIRST_SLOTS = 64 };

static struct {
    _Alignas(64) _Atomic uint64_t held;
    uint64_t pool;
} devices[MAX_DEVICES];

/* Open addressing with linear probes, at most three quarters full; a slot's neighbours move up when it is emptied. */
static struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct entry *slots;
    size_t mask, used;
} shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

bool device_has_pool(int device) { return device >= 0 && device < MAX_DEVICES; }

uint64_t device_pool(int device) { return devices[device].pool; }

uint64_t device_held(int device) { return atomic_load_explicit(&devices[device].held, memory_order_relaxed); }

void set_pools(const uint64_t pools[MAX_DEVICES]) {
    for (int i = 0; i < MAX_DEVICES; i++)
        devices[i].pool = pools[i];
}

/* Compared and swapped rather than added and taken back: a request that is too big must not make others fail. */
bool take_from_pool(int device, uint64_t size, uint64_t *held) {
    uint64_t pool = devices[device].pool;
    uint64_t now = atomic_load_explicit(&devices[device].held, memory_order_relaxed);
    do {
        *held = now;
        if (now > pool || size > pool - now)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&devices[device].held, &now, now + size, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

void give_back(int device, uint64_t size) {
    if (size)
        atomic_fetch_sub_explicit(&devices[device].held, size, memory_order_relaxed);
}

static uint64_t hash_of(uintptr_t key, int kind) {
    uint64_t hash = ((uint64_t)key ^ ((uint64_t)kind << 58)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

static struct shard *lock_shard(uint64_t hash) {
    struct shard *shard = &shards[hash >> 58];
    pthread_mutex_lock(&shard->lock);
    return shard;
}

/* The slot of a key, or the empty one where it belongs; NULL in a shard without slots. */
static struct entry *find(const struct shard *shard, uint64_t hash, uintptr_t key, int kind) {
    if (shard->slots == NULL)
        return NULL;
    size_t at = hash & shard->mask;
    while (shard->slots[at].key && !(shard->slots[at].key == key && shard->slots[at].kind == kind))
        at = (at + 1) & shard->mask;
    return &shard->slots[at];
}

static bool grow(struct shard *shard) {
    size_t old_size = shard->slots ? shard->mask + 1 : 0;
    if (old_size && (shard->used + 1) * 4 <= old_size * 3)
        return true;
    size_t size = old_size ? old_size * 2 : FIRST_SLOTS;
    struct entry *slots = calloc(size, sizeof *slots), *old = shard->slots;
    if (slots == NULL)
        return false;
    shard->slots = slots;
    shard->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].key)
            *find(shard, hash_of(old[i].key, old[i].kind), old[i].key, old[i].kind) = old[i];
    free(old);
    return true;
}

static void empty(struct shard *shard, struct entry *slot) {
    size_t hole = (size_t)(slot - shard->slots), at = hole;
    for (;;) {
        at = (at + 1) & shard->mask;
        struct entry *next = &shard->slots[at];
        if (next->key == 0)
            break;
        size_t home = hash_of(next->key, next->kind) & shard->mask;
        if (((at - home) & shard->mask) >= ((at - hole) & shard->mask)) {
            shard->slots[hole] = *next;
            hole = at;
        }
    }
    shard->slots[hole] = (struct entry){0};
    shard->used--;
}

bool remember(const struct entry *entry) {
    uint64_t hash = hash_of(entry->key, entry->kind);
    struct shard *shard = lock_shard(hash);
    bool room = grow(shard);
    if (room) {
        struct entry *slot = find(shard, hash, entry->key, entry->kind);
        if (slot->key)
            give_back(slot->device, slot->size);
        else
            shard->used++;
        *slot = *entry;
    }
    pthread_mutex_unlock(&shard->lock);
    return room;
}

static bool look_up(enum kind kind, const void *key, struct entry *entry, bool remove) {
    uint64_t hash = hash_of((uintptr_t)key, kind);
    struct shard *shard = lock_shard(hash);
    struct entry *slot = find(shard, hash, (uintptr_t)key, kind);
    bool found = slot && slot->key;
    if (found) {
        *entry = *slot;
        if (remove)
            empty(shard, slot);
    }
    pthread_mutex_unlock(&shard->lock);
    return found;
}

bool recall(enum kind kind, const void *key, struct entry *entry) { return look_up(kind, key, entry, false); }

bool forget(enum kind kind, const void *key, struct entry *entry) { return look_up(kind, key, entry, true); }

bool add_reference(const void *handle) {
    uint64_t hash = hash_of((uintptr_t)handle, HANDLE);
    struct shard *shard = lock_shard(hash);
    struct entry *slot = find(shard, hash, (uintptr_t)handle, HANDLE);
    bool found = slot && slot->key && slot->references < UINT16_MAX;
    if (found)
        slot->references++;
    pthread_mutex_unlock(&shard->lock);
    return found;
}

bool drop_reference(const void *handle, struct entry *entry) {
    uint64_t hash = hash_of((uintptr_t)handle, HANDLE);
    struct shard *shard = lock_shard(hash);
    struct entry *slot = find(shard, hash, (uintptr_t)handle, HANDLE);
    bool last = slot && slot->key && --slot->references == 0;
    if (last) {
        *entry = *slot;
        empty(shard, slot);
    }
    pthread_mutex_unlock(&shard->lock);
    return last;
}

void forget_memory(int device) {
    for (int i = 0; i < SHARDS; i++) {
        struct shard *shard = &shards[i];
        pthread_mutex_lock(&shard->lock);
        for (size_t at = 0; shard->slots && at <= shard->mask;) {
            struct entry *slot = &shard->slots[at];
            if (slot->key && slot->kind == MEMORY && slot->device == device) {
                give_back(device, slot->size);
                empty(shard, slot); /* the next one may have moved here: look again */
            } else {
                at++;
            }
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

void start_anew(void) {
    for (int i = 0; i < MAX_DEVICES; i++)
        atomic_store_explicit(&devices[i].held, 0, memory_order_relaxed);
    for (int i = 0; i < SHARDS; i++) {
        /* A thread that is not in the child may have held the lock, or have been growing the table: the slots are
         * left where they are, which costs nothing until something writes to those pages. */
        pthread_mutex_init(&shards[i].lock, NULL);
        shards[i].slots = NULL;
        shards[i].mask = shards[i].used = 0;
    }
}
