#if Postgres
import QueryKit

/// Follows the changes of a database: those of its own writes, and those of other processes, which the log on the server shows.
///
/// The log is read only while a client is connected.
final class Follower: Sendable {
    /// Receives a change. Returns a closure that notifies others, which is called as soon as they may see the change.
    typealias Handler = @Sendable (ChangeSet, _ writer: (any ReadObserver)?) -> @Sendable () -> Void

    /// A change that the handlers have received and whose listeners are still to be notified.
    struct Recorded: Sendable {
        /// The number of the change.
        let number: UInt64
        fileprivate let notifications: [@Sendable () -> Void]

        func deliver() { for notify in notifications { notify() } }
    }

    /// Why the listener reads the log.
    enum Wake: Sendable, Hashable {
        case notification, timer, unreadRows
        /// Also installs missing triggers.
        case unfollowedTable
    }

    private struct State {
        var history = ChangeHistory()
        var position = LogPosition()
        var handlers: [UInt64: Handler] = [:]
        var nextID: UInt64 = 0
        var listener: Task<Void, Never>?
        var findObserver: (@Sendable (_ isWrite: Bool) -> (any ReadObserver)?)?
        var wake: (@Sendable (Wake) -> Void)?
        var isInstalled = false
        var isBehind = false
        /// Tables without triggers for which the listener has been woken already.
        var unfollowed: Set<String> = []
        var isClosed = false
    }

    private let state = Lock(State())
    /// Numbers the commits of calls with layers.
    let gate = CommitGate()
    let statements: FollowingStatements
    /// The column of each table with declared partitions.
    let columns: [String: String]

    /// - Parameter columns: The column of each table with declared partitions.
    init(columns: [String: String]) {
        self.columns = columns
        statements = FollowingStatements(columns: columns)
    }

    /// Whether the log exists on the server and can be read.
    var isInstalled: Bool { state.withLock { $0.isInstalled } }

    func setInstalled(_ isInstalled: Bool) { state.withLock { $0.isInstalled = isInstalled } }

    /// Whether the listener has not been able to read the log for some time, so that changes of others may be unknown.
    var isBehind: Bool { state.withLock { $0.isBehind } }

    func setBehind(_ isBehind: Bool) { state.withLock { $0.isBehind = isBehind } }

    /// Sets the closure that wakes the listener.
    func setWake(_ wake: @escaping @Sendable (Wake) -> Void) { state.withLock { $0.wake = wake } }

    /// Called when tables without triggers were read, for example tables that have just been created. Wakes the listener once for each.
    func noteUnfollowed(_ tables: [String]) {
        let wake = state.withLock { state in
            tables.reduce(false) { state.unfollowed.insert($1).inserted || $0 } ? state.wake : nil
        }
        wake?(.unfollowedTable)
    }

    /// Forgets for which tables the listener has been woken; `nil` for all.
    func forgetUnfollowed(_ tables: Set<String>? = nil) {
        state.withLock { state in state.unfollowed = tables.map { state.unfollowed.subtracting($0) } ?? [] }
    }

    // MARK: Transactions

    /// Sets the closure that finds the observer of the current task. It is called at the beginning of each transaction.
    func observeReads(_ find: @escaping @Sendable (_ isWrite: Bool) -> (any ReadObserver)?) { state.withLock { $0.findObserver = find } }

    /// The tracker of a transaction that begins in the current task; `nil` if there is nothing to track.
    func tracker(isWrite: Bool) -> FollowedTransaction? {
        let (find, isInstalled) = state.withLock { ($0.findObserver, $0.isInstalled) }
        let observer = find?(isWrite)
        if observer == nil, !isWrite { return nil }
        if isWrite { observer?.willWrite() }
        return FollowedTransaction(self, observer, isWrite: isWrite, asksForChanges: isInstalled)
    }

    /// The number of the latest change.
    var number: UInt64 { state.withLock { $0.history.number } }

    /// Returns the regions that were changed after a number.
    ///
    /// Call it after you have noted the regions: a change that isn't in the history yet then notifies their reader.
    func changed(_ regions: some Collection<PostgresRegion>, since number: UInt64, except own: UInt64? = nil) -> [PostgresRegion] {
        state.withLock { $0.history.changed(regions, since: number, except: own) }
    }

    /// Notes an own transaction that may write.
    func begin(_ transaction: UInt64) { state.withLock { $0.position.begin(transaction) } }

    /// Notes that an own transaction is over; see ``LogPosition/end(_:upTo:)``.
    func end(_ transaction: UInt64, upTo id: Int64?) {
        if state.withLock({ $0.position.end(transaction, upTo: id) }) { state.withLock { $0.wake }?(.unreadRows) }
    }

    // MARK: Changes

    /// Records a change: first in the history, then in the handlers. So a read that has noted its regions before it looks at the history
    /// can't miss it.
    ///
    /// - Parameter writer: The observer of the run that has committed, if there is one.
    func record(_ change: ChangeSet, by writer: (any ReadObserver)? = nil) -> Recorded {
        let (number, handlers) = state.withLock { state in
            state.history.append(change)
            return (state.history.number, Array(state.handlers.values))
        }
        return Recorded(number: number, notifications: handlers.map { $0(change, writer) })
    }

    /// The position from which the log is to be read.
    var position: LogPosition { state.withLock { $0.position } }

    /// Records what a look at the log has found.
    func advance(to page: LogPage) {
        let change = state.withLock { state -> ChangeSet? in
            guard let rows = state.position.advance(to: page) else { return .foreign([.everything]) }
            return rows.isEmpty ? nil : .foreign(Set(rows.map { $0.region(columns) }))
        }
        if let change { record(change).deliver() }
    }

    /// Adds a handler for the lifetime of the subscription.
    ///
    /// - Parameter listen: Reads the log until its task is cancelled. Called for the first handler.
    func subscribe(
        entering handler: @escaping Handler,
        listening listen: @escaping @Sendable () async -> Void
    ) -> QuerySubscription {
        let id = state.withLock { state -> UInt64 in
            state.nextID += 1
            state.handlers[state.nextID] = handler
            // The task ends with the last handler, or when the database is closed.
            if state.listener == nil, !state.isClosed { state.listener = Task.detached { await listen() } }
            return state.nextID
        }
        return QuerySubscription { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        let listener = state.withLock { state -> Task<Void, Never>? in
            state.handlers[id] = nil
            return state.handlers.isEmpty ? state.listener.take() : nil
        }
        listener?.cancel()
    }

    /// Stops reading the log when the database is closed.
    func close() {
        let listener = state.withLock { state -> Task<Void, Never>? in
            state.isClosed = true
            return state.listener.take()
        }
        listener?.cancel()
    }

    deinit { close() }
}
#endif
