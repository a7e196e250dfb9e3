#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// The allocations of all threads between a start and a reading.
struct allocation_count {
    /// Calls that returned a block; resizing a block counts as another call.
    uint64_t allocations;
    /// Usable bytes of all allocated blocks minus those of all freed blocks.
    int64_t live_bytes;
};

/// Starts counting from zero.
void allocation_count_start(void);

/// The counts so far.
struct allocation_count allocation_count_read(void);

/// Stops counting. Until the next start, an allocation costs only one untaken branch more.
void allocation_count_stop(void);

#endif
