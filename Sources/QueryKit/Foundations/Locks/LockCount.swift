#if DEBUG
    #if canImport(Darwin)
        import os
    #else
        import Synchronization
    #endif

    /// Counts how often locks of this process were taken, so that tests can measure the cost of an operation. It doesn't exist in release
    /// builds.
    @usableFromInline
    package enum LockCount {
        #if canImport(Darwin)
            private static let count = OSAllocatedUnfairLock(initialState: 0)

            package static var total: Int { count.withLock { $0 } }

            @usableFromInline package static func note() { count.withLock { $0 += 1 } }
        #else
            private static let count = Atomic(0)

            package static var total: Int { count.load(ordering: .relaxed) }

            @usableFromInline package static func note() { count.add(1, ordering: .relaxed) }
        #endif
    }
#endif
