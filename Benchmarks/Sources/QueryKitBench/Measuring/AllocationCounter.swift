import AllocationCount

/// Counts the allocations of the whole process during some work.
enum AllocationCounter {
    struct Usage {
        let allocations: Int
        let liveBytes: Int
    }

    private final class Probe {}

    /// Whether allocations of the Swift runtime are counted, which depends on the platform and the linker.
    static let isWorking: Bool = {
        allocation_count_start()
        discard(Probe())
        allocation_count_stop()
        return allocation_count_read().allocations > 0
    }()

    /// Counts the allocations of `work`; `nil` where they can't be counted.
    static func count(_ work: () async throws -> Void) async rethrows -> Usage? {
        guard isWorking else { return nil }
        allocation_count_start()
        defer { allocation_count_stop() }
        try await work()
        return read()
    }

    /// Counts the allocations of `build`, and the bytes that its result retains.
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
