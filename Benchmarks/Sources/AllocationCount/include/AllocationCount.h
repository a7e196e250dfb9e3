#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// What was allocated between a start and a reading, by all threads.
struct allocation_count {
    /// Calls that returned a block; a block that was resized counts once more.
    uint64_t allocations;
    /// Usable bytes of the blocks made, less those of the blocks freed.
    int64_t live_bytes;
};

/// Begins to count, from zero.
void allocation_count_start(void);

/// The counts so far.
struct allocation_count allocation_count_read(void);

/// Ends the counting; until the next start an allocation costs one untaken branch more than without all this.
void allocation_count_stop(void);

#endif
