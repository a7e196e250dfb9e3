import QueryKit

/// Writes the log back into the file when it has grown, after the commit, so that nobody waits for it.
final class Checkpointer: Sendable {
    /// How many pages the log has before it is written back, as SQLite would do it by itself.
    private static let pages: Int32 = 1_000

    private struct State {
        var isDue = false
        /// How long the log was when readers kept it from being emptied.
        var blockedAt: Int32 = 0
    }

    private let state = Lock(State())

    /// Called after each commit, on the writer's thread.
    func noteCommit(on connection: Connection, _ lanes: Lanes) {
        let pages = connection.logPages
        guard pages >= Self.pages else { return }
        let isNew = state.withLock { state in
            guard !state.isDue else { return false }
            if pages < state.blockedAt { state.blockedAt = 0 }
            guard pages >= state.blockedAt + Self.pages else { return false }
            state.isDue = true
            return true
        }
        guard isNew else { return }
        lanes.submit(.write) { [self] connection in
            let isComplete = (try? connection?.checkpoint())?.isComplete ?? false
            state.withLock { state in
                state.isDue = false
                state.blockedAt = isComplete ? 0 : pages
            }
        }
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
