import QueryKit

/// Writes the log back into the file when it has grown, after the commit, so that nobody waits for it.
final class Checkpointer: Sendable {
    private let state = Lock(CheckpointPlan())

    /// Called after each commit, on the writer's thread.
    ///
    /// - Parameter checkpoint: Writes the log back; returns whether it was written back completely.
    func noteCommit(on connection: Connection, _ lanes: Lanes, _ checkpoint: @escaping @Sendable (Connection) -> Bool) {
        let pages = connection.logPages
        let isRestarted = connection.log.isRestarted()
        guard pages >= CheckpointPlan.pages || isRestarted, state.withLock({ $0.begins(at: pages, isRestarted: isRestarted) }) else {
            return
        }
        lanes.submit(.write) { [self] connection in
            let isComplete = connection.map(checkpoint) ?? false
            state.withLock { $0.end(at: pages, isComplete: isComplete) }
        }
    }
}

/// Decides when the log is written back.
struct CheckpointPlan {
    /// How many pages the log has before it is written back, as SQLite would do it by itself.
    static let pages: Int32 = 1_000

    private var isDue = false
    /// How long the log was when readers kept it from being emptied.
    private var blockedAt: Int32 = 0

    /// Whether to begin now, with a log of so many pages: not while one is on its way, nor again and again while readers are in the way.
    ///
    /// - Parameter isRestarted: Whether another process has written the log back, so that the file isn't marked any more.
    mutating func begins(at pages: Int32, isRestarted: Bool = false) -> Bool {
        guard !isDue else { return false }
        if pages < blockedAt { blockedAt = 0 }
        guard isRestarted || pages >= blockedAt + Self.pages else { return false }
        isDue = true
        return true
    }

    mutating func end(at pages: Int32, isComplete: Bool) {
        isDue = false
        blockedAt = isComplete ? 0 : pages
    }
}

/// What a checkpoint has done.
public struct SQLiteCheckpoint: Hashable, Sendable {
    /// How many pages the log had.
    public let logPages: Int

    /// How many of them are in the file now. Fewer than all while somebody reads an older moment.
    public let writtenPages: Int

    /// Whether the log is empty, as far as the file is concerned.
    public var isComplete: Bool { logPages == writtenPages }
}
