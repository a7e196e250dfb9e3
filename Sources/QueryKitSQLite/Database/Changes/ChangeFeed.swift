import QueryKit

/// Tells of changes: streams in the order of the commits, handlers when the one who committed can say so.
final class ChangeFeed: Sendable {
    fileprivate struct State {
        var history = ChangeHistory()
        var streams: [UInt64: ChangeMailbox] = [:]
        var handlers: [UInt64: @Sendable (SQLiteChangeSet) -> Void] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
        var demandNumber: UInt64 = 0
    }

    private let state = Lock(State())
    /// The commits whose places readers have to know; see ``CommitGate``.
    let commits = CommitGate()
    /// Whether anybody listens; numbered, because two threads may tell it in the wrong order.
    struct Demand: Sendable {
        let number: UInt64
        let isWanted: Bool
    }

    private let onDemand: @Sendable (Demand) -> Void

    /// - Parameter onDemand: Told when the first listener comes and when the last one has gone.
    init(onDemand: @escaping @Sendable (Demand) -> Void) { self.onDemand = onDemand }

    /// The number of the latest change.
    var number: UInt64 { state.withLock { $0.history.number } }

    /// How many handlers are told.
    var handlerCount: Int { state.withLock { $0.handlers.count } }

    /// Those of the regions that were changed after a number.
    func changed(_ regions: [SQLiteRegion], since number: UInt64) -> [SQLiteRegion] {
        state.withLock { $0.history.changed(regions, since: number) }
    }

    /// Notes a change, and puts it into the streams. Called in the order of the commits.
    func record(_ change: SQLiteChangeSet) {
        let streams = state.withLock { state in
            state.history.append(change)
            return Array(state.streams.values)
        }
        for stream in streams { stream.put(change) }
    }

    /// Tells the handlers of a change that is recorded.
    func deliver(_ change: SQLiteChangeSet) {
        let handlers = state.withLock { Array($0.handlers.values) }
        for handler in handlers { handler(change) }
    }

    /// Calls a handler after each commit, for as long as the subscription lives.
    func subscribe(_ handler: @escaping @Sendable (SQLiteChangeSet) -> Void) -> QuerySubscription {
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
