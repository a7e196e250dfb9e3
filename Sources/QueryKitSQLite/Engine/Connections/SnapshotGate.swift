import QueryKit

/// Orders the snapshots of one file, so that threads rarely sleep while they wait for each other.
///
/// SQLite takes the first snapshot in a process, and releases the last one, with a system call under a mutex. A thread that needs the mutex
/// in the meantime sleeps, and waking it takes longer than a short read. So these threads wait here first, in a loop, for a few
/// microseconds. The gate only saves time: a thread that has waited too long continues, and SQLite's own locks still hold.
final class SnapshotGate: Sendable {
    /// How long a thread waits at most, in nanoseconds.
    static let limit: UInt64 = 5_000

    /// The number of counted snapshots that are open. The lock is held during the step that takes the first one, and during the step that
    /// releases the last one.
    private let openCount = Lock(0)

    /// Performs the step that takes a snapshot. Returns its result, and whether ``release(_:)`` must follow.
    func take(_ step: () throws(SQLiteError) -> Bool) throws(SQLiteError) -> (isRow: Bool, isCounted: Bool) {
        let entry = try entered { (count) throws(SQLiteError) -> Bool? in
            let isRow = count == 0 ? try step() : nil
            count += 1
            return isRow
        }
        guard let entry else { return (try step(), false) }
        if let isRow = entry { return (isRow, true) }
        do throws(SQLiteError) {
            return (try step(), true)
        } catch {
            openCount.withLock { $0 -= 1 }
            throw error
        }
    }

    /// Performs the step that releases a snapshot which was counted.
    func release<Failure: Error>(_ step: () throws(Failure) -> Void) throws(Failure) {
        let entry = try entered { (count) throws(Failure) -> Bool in
            count -= 1
            guard count == 0 else { return false }
            try step()
            return true
        }
        if entry == nil { openCount.withLock { $0 -= 1 } }
        if entry != true { try step() }
    }

    /// Calls a closure as soon as no other thread takes the first snapshot or releases the last one. Returns `nil` if that takes too long.
    @inline(__always)
    private func entered<Result: Sendable, Failure: Error>(_ body: (inout Int) throws(Failure) -> Result) throws(Failure) -> Result? {
        try BriefWait.value(within: Self.limit) { () throws(Failure) in try openCount.withLockIfAvailable(body) }
    }
}
