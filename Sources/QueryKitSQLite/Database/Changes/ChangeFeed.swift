import QueryKit

/// Tells of changes: streams in the order of the commits, handlers when the one who committed can say so.
final class ChangeFeed: Sendable {
    /// Takes note of a change in the order of the commits, and returns what is to be done when others may hear of it.
    typealias Handler = @Sendable (SQLiteChangeSet, _ writer: (any ReadObserver)?) -> @Sendable () -> Void

    fileprivate struct State {
        var history = ChangeHistory()
        var streams: [UInt64: ChangeMailbox] = [:]
        var handlers: [UInt64: Handler] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
        var demandNumber: UInt64 = 0
    }

    private let state = Lock(State())
    /// The same as the number of the history. Each read asks for it, and should wait for no lock.
    private let latest = Gauge()
    /// The commits whose places readers have to know; see ``CommitGate``.
    let commits = CommitGate()
    /// What commits have to report so that readers of ranges can be told.
    let watched = WatchedColumns()
    /// Held while a commit takes place and is recorded, and while a snapshot is taken that must not fall in between.
    let order = Lock(true)
    /// Whether anybody listens; numbered, because two threads may tell it in the wrong order.
    struct Demand: Sendable {
        let number: UInt64
        let isWanted: Bool
    }

    private let onDemand: @Sendable (Demand) -> Void

    /// - Parameter onDemand: Told when the first listener comes and when the last one has gone.
    init(onDemand: @escaping @Sendable (Demand) -> Void) { self.onDemand = onDemand }

    /// The number of the latest change.
    var number: UInt64 { latest.value }

    /// How many handlers are told.
    var handlerCount: Int { state.withLock { $0.handlers.count } }

    /// Those of the regions that were changed after a number.
    ///
    /// Call it after you have noted the regions: a change that is not in the history yet finds the note.
    func changed(_ regions: [SQLiteRegion], since number: UInt64) -> [SQLiteRegion] {
        if latest.value == number { return [] }
        return state.withLock { $0.history.changed(regions, since: number) }
    }

    /// Notes a change, and puts it into the streams. Called in the order of the commits.
    ///
    /// - Parameter writer: What knows the run that has committed, if one has.
    @discardableResult
    func record(_ change: SQLiteChangeSet, by writer: (any ReadObserver)? = nil) -> RecordedChange {
        let (streams, handlers) = state.withLock { state in
            state.history.append(change)
            latest.set(state.history.number)
            return (Array(state.streams.values), Array(state.handlers.values))
        }
        for stream in streams { stream.put(change) }
        watched.noteCommit(of: change.reportedTables)
        return RecordedChange(change: change, number: number, tell: handlers.map { $0(change, writer) })
    }

    /// Calls a handler after each commit, for as long as the subscription lives.
    func subscribe(_ handler: @escaping @Sendable (SQLiteChangeSet) -> Void) -> QuerySubscription {
        subscribe(entering: { change, _ in { handler(change) } })
    }

    /// Adds a handler, for as long as the subscription lives.
    func subscribe(entering handler: @escaping Handler) -> QuerySubscription {
        let id = add { $0.handlers[$1] = handler }
        return QuerySubscription { [weak self] in self?.remove { $0.handlers[id] = nil } }
    }

    func open(_ stream: ChangeMailbox) -> QuerySubscription {
        let id = add { $0.streams[$1] = stream }
        if state.withLock({ $0.isFinished }) { stream.close() }
        return QuerySubscription { [weak self] in self?.remove { $0.streams[id] = nil } }
    }

    private func add(_ enter: (inout State, UInt64) -> Void) -> UInt64 {
        let (id, demand) = state.withLock { state -> (UInt64, Demand?) in
            let wasIdle = state.isIdle
            state.nextID += 1
            enter(&state, state.nextID)
            return (state.nextID, wasIdle ? state.demand() : nil)
        }
        if let demand { onDemand(demand) }
        return id
    }

    private func remove(_ leave: (inout State) -> Void) {
        let demand = state.withLock { state -> Demand? in
            let wasIdle = state.isIdle
            leave(&state)
            return !wasIdle && state.isIdle ? state.demand() : nil
        }
        if let demand { onDemand(demand) }
    }

    /// Ends all streams, when the database closes.
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

    /// Whether anybody listens now.
    fileprivate mutating func demand() -> ChangeFeed.Demand {
        demandNumber += 1
        return ChangeFeed.Demand(number: demandNumber, isWanted: !isIdle)
    }
}

/// A change of which the handlers have taken note, and that they have yet to tell others of.
struct RecordedChange: Sendable {
    let change: SQLiteChangeSet
    /// The number of the latest change then.
    let number: UInt64
    fileprivate let tell: [@Sendable () -> Void]

    func deliver() { for tell in tell { tell() } }
}
