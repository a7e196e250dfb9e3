import AllocationCount

/// Counts the allocations of the whole process while something runs.
enum AllocationCounter {
    struct Usage {
        let allocations: Int
        let liveBytes: Int
    }

    private final class Probe {}

    /// Whether allocations of the Swift runtime arrive here: not on every platform, and not with every linker.
    static let isWorking: Bool = {
        allocation_count_start()
        discard(Probe())
        allocation_count_stop()
        return allocation_count_read().allocations > 0
    }()

    /// What `work` allocates; `nil` where that can not be counted.
    static func count(_ work: () async throws -> Void) async rethrows -> Usage? {
        guard isWorking else { return nil }
        allocation_count_start()
        defer { allocation_count_stop() }
        try await work()
        return read()
    }

    /// What `build` allocates, and what its result still keeps.
    static func weigh(_ build: () -> any AnyObject) -> Usage? {
        guard isWorking else { return nil }
        allocation_count_start()
        defer { allocation_count_stop() }
        let kept = build()
        return withExtendedLifetime(kept) { read() }
    }

    private static func read() -> Usage {
        let count = allocation_count_read()
        return Usage(allocations: Int(count.allocations), liveBytes: Int(count.live_bytes))
    }
}
