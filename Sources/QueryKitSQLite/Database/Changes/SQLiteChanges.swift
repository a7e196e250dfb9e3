import QueryKit

/// The commits to a database from now on, as an endless sequence. Each loop receives all of them.
///
/// Commits that arrive while a loop is busy are buffered. If more than 64 are waiting, commits of the same origin are merged.
///
/// ```swift
/// for await change in database.changes
/// where change.concerns(table: "entries") {
///     await widget.reload()
/// }
/// ```
public struct SQLiteChanges: AsyncSequence, Sendable {
    public typealias Element = SQLiteChangeSet

    private let feed: ChangeFeed

    init(_ feed: ChangeFeed) { self.feed = feed }

    public func makeAsyncIterator() -> Iterator { Iterator(feed) }

    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: ChangeMailbox
        private let subscription: QuerySubscription

        fileprivate init(_ feed: ChangeFeed) {
            mailbox = ChangeMailbox()
            subscription = feed.open(mailbox)
        }

        public mutating func next() async -> SQLiteChangeSet? { await mailbox.take() }
    }
}

/// The buffer of changes that a loop has not received yet.
final class ChangeMailbox: Sendable {
    /// The number of buffered changes beyond which new ones are merged.
    private static let limit = 64

    private struct State {
        var waiting: [SQLiteChangeSet] = []
        /// The waiting consumers. There can be several if an iterator was copied.
        var readers: [CheckedContinuation<SQLiteChangeSet?, Never>] = []
        var isClosed = false
    }

    private let state = Lock(State())

    /// The number of consumers that wait for a change.
    var readerCount: Int { state.withLock { $0.readers.count } }

    func put(_ change: SQLiteChangeSet) {
        let reader = state.withLock { state -> CheckedContinuation<SQLiteChangeSet?, Never>? in
            guard !state.isClosed else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            if state.waiting.count >= Self.limit, let last = state.waiting.lastIndex(where: { $0.origin == change.origin }) {
                state.waiting[last].formUnion(change)
            } else {
                state.waiting.append(change)
            }
            return nil
        }
        reader?.resume(returning: change)
    }

    /// Returns the next change; `nil` once the database is closed or the consumer's task is cancelled.
    func take() async -> SQLiteChangeSet? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let answer = state.withLock { state -> SQLiteChangeSet?? in
                    if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
                    if state.isClosed { return .some(nil) }
                    state.readers.append(reader)
                    return nil
                }
                if let answer { reader.resume(returning: answer) }
            }
        } onCancel: {
            close()
        }
    }

    func close() {
        let readers = state.withLock { state in
            state.isClosed = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }
}
