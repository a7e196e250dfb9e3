// The executable's own malloc and related functions. The dynamic linker searches the executable first, so all libraries in the process use
// them. They count, and call glibc to allocate. On other platforms nothing is counted.
#include "AllocationCount.h"

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_bool is_counting;
static atomic_uint_fast64_t allocations;
static atomic_int_fast64_t live_bytes;

static inline bool counts(void) {
    return __builtin_expect(atomic_load_explicit(&is_counting, memory_order_relaxed), false);
}

static void add(int64_t bytes) { atomic_fetch_add_explicit(&live_bytes, bytes, memory_order_relaxed); }

static inline void *counted(void *block) {
    if (counts() && block != NULL) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
        add((int64_t)malloc_usable_size(block));
    }
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *block = counted(__libc_memalign(alignment, size));
    if (block == NULL) return ENOMEM;
    *result = block;
    return 0;
}

void *realloc(void *block, size_t size) {
    int64_t before = counts() && block != NULL ? (int64_t)malloc_usable_size(block) : 0;
    void *result = counted(__libc_realloc(block, size));
    // A failed call leaves the old block unchanged; a size of zero frees it.
    if (before != 0 && (result != NULL || size == 0)) add(-before);
    return result;
}

void free(void *block) {
    if (counts() && block != NULL) add(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

void allocation_count_start(void) {
    atomic_store(&allocations, 0);
    atomic_store(&live_bytes, 0);
    atomic_store(&is_counting, true);
}

struct allocation_count allocation_count_read(void) {
    return (struct allocation_count){atomic_load(&allocations), atomic_load(&live_bytes)};
}

void allocation_count_stop(void) { atomic_store(&is_counting, false); }

#else

void allocation_count_start(void) {}

struct allocation_count allocation_count_read(void) { return (struct allocation_count){0, 0}; }

void allocation_count_stop(void) {}

#endif
