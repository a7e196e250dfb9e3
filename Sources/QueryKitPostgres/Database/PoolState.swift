#if Postgres
/// Decides which transaction gets which connection, and when connections are opened and closed.
struct PoolState {
    struct Limits {
        var connections = 10
        var waiting = 10_000
        var idle = Duration.seconds(600)
        /// How long an unused connection is trusted without a check.
        var trust = Duration.seconds(30)
        /// How long a transaction waits while no connection can be opened.
        var unavailability = Duration.seconds(10)
        /// The wait before the second attempt to connect. It doubles each time, up to ``longestBackoff``.
        var backoff = Duration.milliseconds(100)
        var longestBackoff = Duration.seconds(5)
    }

    enum Action: Equatable {
        /// A connection that hasn't been used for a long time needs a check.
        case lease(connection: Int, to: Int, Age)
        case fail(waiter: Int, PostgresError)
        case connect(Int)
        case close(Int)
        /// Call ``tick(_:)`` at this time.
        case wake(ContinuousClock.Instant)
        /// All connections are closed.
        case finish
    }

    /// How far a connection can be trusted.
    enum Age {
        case fresh, recentlyUsed
        /// It has been unused for so long that a router may have dropped it silently.
        case old
    }

    private struct Waiter {
        let id: Int
        let since: ContinuousClock.Instant
        /// The connections of the transactions within whose closures this one waits.
        let holding: Set<Int>
    }

    private struct Idle {
        let id: Int
        let since: ContinuousClock.Instant
    }

    private static let closed = PostgresError(.closed, "The database was closed. Open it again to use it.")

    let limits: Limits
    /// A number from 0 to 1 that spreads the attempts of many instances.
    private let jitter: () -> Double
    private(set) var connecting: Set<Int> = []
    private(set) var leased: Set<Int> = []
    /// In the order of their last use. The last one is used first.
    private var idle: [Idle] = []
    private var waiters: [Waiter] = []
    private var lastID = 0
    private var failureCount = 0
    private var lastFailure: PostgresError?
    private var retryTime: ContinuousClock.Instant?
    private var wakeTime: ContinuousClock.Instant?
    private(set) var isClosed = false
    private var hasFinished = false

    init(_ limits: Limits, jitter: @escaping () -> Double = { .random(in: 0...1) }) {
        self.limits = limits
        self.jitter = jitter
    }

    var idleCount: Int { idle.count }
    var waitingCount: Int { waiters.count }
    private var count: Int { connecting.count + leased.count + idle.count }
    /// Whether a waiting transaction may get a connection even if no new one can be opened.
    private var isReachable: Bool { !idle.isEmpty || !leased.isSubset(of: blocked) }
    /// The connections that aren't returned until a waiting transaction gets another one.
    private var blocked: Set<Int> { waiters.reduce(into: []) { $0.formUnion($1.holding) } }

    // MARK: Transactions

    /// Takes an unused connection, if there is one.
    mutating func acquireIdle(_ now: ContinuousClock.Instant) -> (Int, Age)? {
        guard waiters.isEmpty, !isClosed, let last = idle.popLast() else { return nil }
        leased.insert(last.id)
        return (last.id, last.since + limits.trust <= now ? .old : .recentlyUsed)
    }

    /// A transaction needs a connection.
    ///
    /// - Parameter holding: The connections of the transactions within whose closures it begins. These transactions may wait for it.
    mutating func acquire(_ waiter: Int, holding: Set<Int> = [], _ now: ContinuousClock.Instant) -> [Action] {
        if isClosed { return [.fail(waiter: waiter, Self.closed)] }
        if let (id, age) = acquireIdle(now) { return [.lease(connection: id, to: waiter, age)] }
        guard waiters.count < limits.waiting else {
            let error = PostgresError(
                .queueFull,
                "\(waiters.count) transactions already wait for one of \(limits.connections) connections. Try again later, or raise connectionLimit or waitingLimit."
            )
            return [.fail(waiter: waiter, error)]
        }
        waiters.append(Waiter(id: waiter, since: now, holding: holding))
        return grow() + schedule(now, checksBlocked: !holding.isEmpty)
    }

    /// A transaction stops waiting. Returns `false` if it already got a connection or an error.
    mutating func cancel(_ waiter: Int) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// A transaction has ended.
    mutating func release(_ connection: Int, isReusable: Bool, _ now: ContinuousClock.Instant) -> [Action] {
        guard leased.remove(connection) != nil else { return [] }
        if isClosed { return [.close(connection)] + finish() }
        guard isReusable else { return [.close(connection)] + grow() + schedule(now) }
        return offer(connection, .recentlyUsed, now)
    }

    private mutating func offer(_ connection: Int, _ age: Age, _ now: ContinuousClock.Instant) -> [Action] {
        if waiters.isEmpty {
            idle.append(Idle(id: connection, since: now))
            return schedule(now)
        }
        leased.insert(connection)
        return [.lease(connection: connection, to: waiters.removeFirst().id, age)]
    }

    // MARK: Connections

    private mutating func grow() -> [Action] {
        if isClosed || retryTime != nil { return [] }
        // After a failure one attempt is enough to find out whether the server is back.
        let limit = failureCount > 0 ? 1 : limits.connections
        var actions: [Action] = []
        while connecting.count < min(waiters.count, limit), count < limits.connections {
            lastID += 1
            connecting.insert(lastID)
            actions.append(.connect(lastID))
        }
        return actions
    }

    mutating func connected(_ connection: Int, _ now: ContinuousClock.Instant) -> [Action] {
        guard connecting.remove(connection) != nil else { return [.close(connection)] }
        if isClosed { return [.close(connection)] + finish() }
        failureCount = 0
        lastFailure = nil
        retryTime = nil
        return offer(connection, .fresh, now) + grow()
    }

    /// A connection can't be opened. A permanent failure, such as a wrong password, ends all waits.
    mutating func connectFailed(
        _ connection: Int,
        _ error: PostgresError,
        isPermanent: Bool,
        _ now: ContinuousClock.Instant
    ) -> [Action] {
        guard connecting.remove(connection) != nil else { return [] }
        if isClosed { return finish() }
        lastFailure = error
        // Attempts that ran at the same time count as one.
        if retryTime == nil {
            failureCount += 1
            var backoff = limits.backoff
            for _ in 1..<min(failureCount, 20) where backoff < limits.longestBackoff { backoff = min(backoff * 2, limits.longestBackoff) }
            retryTime = now + backoff * (0.5 + jitter() / 2)
        }
        var actions: [Action] = []
        if isPermanent, !isReachable {
            actions = waiters.map { .fail(waiter: $0.id, error) }
            waiters = []
        } else {
            actions = failOverdue(now)
        }
        return actions + schedule(now)
    }

    /// Call this if a connection that hasn't been used for a long time doesn't reply. The other connections that were idle for as long
    /// probably won't reply either, and each check takes time, so all of them are closed.
    mutating func closeOld(_ now: ContinuousClock.Instant) -> [Action] { closeIdle(unusedFor: limits.trust, now) }

    private mutating func closeIdle(unusedFor limit: Duration, _ now: ContinuousClock.Instant) -> [Action] {
        let old = idle.filter { $0.since + limit <= now }
        idle.removeAll { $0.since + limit <= now }
        return old.map { .close($0.id) }
    }

    /// The server has closed a connection.
    mutating func lost(_ connection: Int) { idle.removeAll { $0.id == connection } }

    // MARK: Time

    mutating func tick(_ now: ContinuousClock.Instant) -> [Action] {
        // The timer uses another clock, so it may have fired slightly early. Without a wake time, `schedule` sets another timer.
        wakeTime = nil
        if isClosed { return [] }
        if let retryTime, retryTime <= now { self.retryTime = nil }
        var actions = failOverdue(now)
        actions += failBlocked(now) + closeIdle(unusedFor: limits.idle, now)
        return actions + grow() + schedule(now, checksBlocked: true)
    }

    private mutating func failOverdue(_ now: ContinuousClock.Instant) -> [Action] {
        guard let lastFailure, !isReachable else { return [] }
        let overdue = waiters.prefix { $0.since + limits.unavailability <= now }
        waiters.removeFirst(overdue.count)
        return overdue.map { .fail(waiter: $0.id, lastFailure) }
    }

    /// Ends a wait if all connections are held by transactions within which other transactions wait: then no connection would ever become
    /// free. Doesn't end it at once, because a transaction need not wait for the tasks within it.
    private mutating func failBlocked(_ now: ContinuousClock.Instant) -> [Action] {
        let index = waiters.firstIndex { !$0.holding.isEmpty && $0.since + limits.unavailability <= now }
        guard let index, leased.count >= limits.connections, leased.isSubset(of: blocked) else { return [] }
        let error = PostgresError(
            .misuse,
            "A transaction within a transaction needs a second connection, but all \(limits.connections) are held by transactions that wait for one. Pass the outer transaction on instead, or raise connectionLimit."
        )
        return [.fail(waiter: waiters.remove(at: index).id, error)]
    }

    private mutating func schedule(_ now: ContinuousClock.Instant, checksBlocked: Bool = false) -> [Action] {
        var times: [ContinuousClock.Instant] = []
        if let retryTime, !waiters.isEmpty { times.append(retryTime) }
        if lastFailure != nil, let first = waiters.first { times.append(first.since + limits.unavailability) }
        if checksBlocked, let first = waiters.first(where: { !$0.holding.isEmpty }) {
            let time = first.since + limits.unavailability
            times.append(time > now ? time : now + limits.unavailability)
        }
        if let first = idle.first { times.append(first.since + limits.idle) }
        guard let next = times.min(), wakeTime.map({ next < $0 }) ?? true else { return [] }
        wakeTime = max(next, now)
        return [.wake(max(next, now))]
    }

    // MARK: Closing

    mutating func close() -> [Action] {
        if isClosed { return hasFinished ? [.finish] : [] }
        isClosed = true
        let failures = waiters.map { Action.fail(waiter: $0.id, Self.closed) }
        let closings = idle.map { Action.close($0.id) }
        waiters = []
        idle = []
        connecting = []
        return failures + closings + finish()
    }

    private mutating func finish() -> [Action] {
        guard isClosed, leased.isEmpty else { return [] }
        hasFinished = true
        return [.finish]
    }
}
#endif
