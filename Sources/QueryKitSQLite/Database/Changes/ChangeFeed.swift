import QueryKit

/// Publishes changes: to streams in the order of the commits, and to handlers as soon as the code that commits may notify them.
final class ChangeFeed: Sendable {
    /// Receives the changes in the order of the commits. Returns a closure that notifies others, which is called as soon as they may see
    /// the change.
    typealias Handler = @Sendable (SQLiteChangeSet, _ writer: SourceRun?) -> @Sendable () -> Void

    fileprivate struct State {
        var history = ChangeHistory()
        var streams: [UInt64: ChangeMailbox] = [:]
        var handlers: [UInt64: Handler] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
        var demandNumber: UInt64 = 0
    }

    /// The state, with the closure that is called when the first listener is added and when the last one is removed.
    // A separate object, to which subscriptions refer weakly. Reference counting takes several times as long for an object that has weak
    // references, and each read retains and releases the feed.
    private final class Listeners: Sendable {
        let state = Lock(State())
        let onDemand: @Sendable (Demand) -> Void

        init(onDemand: @escaping @Sendable (Demand) -> Void) { self.onDemand = onDemand }

        func remove(_ leave: (inout State) -> Void) {
            let demand = state.withLock { state -> Demand? in
                let wasIdle = state.isIdle
                leave(&state)
                return !wasIdle && state.isIdle ? state.demand() : nil
            }
            if let demand { onDemand(demand) }
        }
    }

    private let listeners: Listeners
    private var state: Lock<State> { listeners.state }
    /// The same as the history's number. Each read needs it, and shouldn't wait for a lock.
    private let latest = Gauge()
    /// Numbers the commits of calls with layers; see ``CommitGate``.
    let commits = CommitGate()
    /// The columns whose values commits must report for readers of ranges.
    let watched = WatchedColumns()
    /// Held while a commit is performed and recorded. Also held while a snapshot is taken that must not fall between a commit and its
    /// record.
    let order = Lock(true)
    /// Whether there are listeners. The value has a number, because two threads may report it in the wrong order.
    struct Demand: Sendable {
        let number: UInt64
        let isWanted: Bool
    }

    /// - Parameter onDemand: Called when the first listener is added and when the last one is removed.
    init(onDemand: @escaping @Sendable (Demand) -> Void) { listeners = Listeners(onDemand: onDemand) }

    /// The number of the latest change.
    var number: UInt64 { latest.value }

    /// The number of handlers.
    var handlerCount: Int { state.withLock { $0.handlers.count } }

    /// Returns the regions that were changed after a number.
    ///
    /// Note the regions before you call it: then a change that isn't in the history yet finds the noted regions.
    func changed(_ regions: [SQLiteRegion], since number: UInt64) -> [SQLiteRegion] {
        if latest.value == number { return [] }
        return state.withLock { $0.history.changed(regions, since: number) }
    }

    /// Records a change and adds it to the streams. Called in the order of the commits.
    ///
    /// - Parameter writer: The run that has committed, if there is one.
    @discardableResult
    func record(_ change: SQLiteChangeSet, by writer: SourceRun? = nil) -> RecordedChange {
        let (streams, handlers) = state.withLock { state in
            state.history.append(change)
            latest.set(state.history.number)
            return (Array(state.streams.values), Array(state.handlers.values))
        }
        for stream in streams { stream.put(change) }
        watched.noteCommit(of: change.reportedTables)
        return RecordedChange(change: change, number: number, notifications: handlers.map { $0(change, writer) })
    }

    /// Calls a handler after each commit for the lifetime of the subscription.
    func subscribe(_ handler: @escaping @Sendable (SQLiteChangeSet) -> Void) -> QuerySubscription {
        subscribe(entering: { change, _ in { handler(change) } })
    }

    /// Adds a handler for the lifetime of the subscription.
    func subscribe(entering handler: @escaping Handler) -> QuerySubscription {
        let id = add { $0.handlers[$1] = handler }
        return QuerySubscription { [weak listeners] in listeners?.remove { $0.handlers[id] = nil } }
    }

    func open(_ stream: ChangeMailbox) -> QuerySubscription {
        let id = add { $0.streams[$1] = stream }
        if state.withLock({ $0.isFinished }) { stream.close() }
        return QuerySubscription { [weak listeners] in listeners?.remove { $0.streams[id] = nil } }
    }

    private func add(_ enter: (inout State, UInt64) -> Void) -> UInt64 {
        let (id, demand) = state.withLock { state -> (UInt64, Demand?) in
            let wasIdle = state.isIdle
            state.nextID += 1
            enter(&state, state.nextID)
            return (state.nextID, wasIdle ? state.demand() : nil)
        }
        if let demand { listeners.onDemand(demand) }
        return id
    }

    /// Ends all streams when the database closes.
    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.close() }
    }
}

extension ChangeFeed.State {
    fileprivate var isIdle: Bool { streams.isEmpty && handlers.isEmpty }

    /// The current demand, with a new number.
    fileprivate mutating func demand() -> ChangeFeed.Demand {
        demandNumber += 1
        return ChangeFeed.Demand(number: demandNumber, isWanted: !isIdle)
    }
}

/// A change that the handlers have received and whose listeners are still to be notified.
struct RecordedChange: Sendable {
    let change: SQLiteChangeSet
    /// The number of the latest change at that time.
    let number: UInt64
    fileprivate let notifications: [@Sendable () -> Void]

    func deliver() { for notify in notifications { notify() } }
}
