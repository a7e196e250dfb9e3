import QueryKit

/// Writes the log back into the file when it has grown. This happens after a commit, so that no caller waits for it.
final class Checkpointer: Sendable {
    private let state = Lock(CheckpointPlan())

    /// Called after each commit, on the writer's thread. If it returns true, ``start(at:_:_:)`` must follow.
    func begins(after connection: Connection) -> Bool {
        let pages = connection.logPages
        let isRestarted = connection.log.isRestarted()
        return (pages >= CheckpointPlan.pages || isRestarted) && state.withLock { $0.begins(at: pages, isRestarted: isRestarted) }
    }

    /// Starts a checkpoint.
    ///
    /// - Parameters:
    ///   - pages: The number of pages in the log.
    ///   - checkpoint: Writes the log back; returns whether it was written back completely.
    func start(at pages: Int32, _ lanes: Lanes, _ checkpoint: @escaping @Sendable (Connection) -> Bool) {
        lanes.submit(.write) { [self] connection in
            let isComplete = connection.map(checkpoint) ?? false
            state.withLock { $0.end(at: pages, isComplete: isComplete) }
        }
    }
}

/// Decides when the log is written back.
struct CheckpointPlan {
    /// The log is written back once it has this number of pages. SQLite's default is the same.
    static let pages: Int32 = 1_000

    private var isDue = false
    /// The number of pages when readers prevented a complete checkpoint.
    private var blockedAt: Int32 = 0

    /// Returns whether to start a checkpoint for a log of this length. Returns false while another checkpoint is running, and avoids
    /// repeated attempts while readers prevent it.
    ///
    /// - Parameter isRestarted: Whether another process has written the log back, so that the file is no longer marked.
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

/// The result of a checkpoint.
public struct SQLiteCheckpoint: Hashable, Sendable {
    /// The number of pages in the log.
    public let logPages: Int

    /// The number of these pages that are now in the file. It is lower while a read uses an older snapshot.
    public let writtenPages: Int

    /// Whether all pages of the log are in the file.
    public var isComplete: Bool { logPages == writtenPages }
}
