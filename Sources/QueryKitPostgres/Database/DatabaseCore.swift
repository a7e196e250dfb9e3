#if Postgres
import QueryKit

/// The part of a database that doesn't depend on queries: its pool, its settings, its transactions.
final class DatabaseCore: Sendable {
    typealias MakeTracker = @Sendable (_ isWrite: Bool) -> (any TransactionTracker)?

    let name: String
    let configuration: PostgresDatabase.Configuration
    private let endpoint: Endpoint
    private let pool: Pool
    /// The connections of all transactions, of any database, within whose closures the task runs.
    @TaskLocal private static var held: [HeldConnection] = []
    private let trackerMaker = Lock<TrackerMaker?>(nil)
    private let closings = Lock<[@Sendable () async -> Void]>([])
    private let attached = Lock<(any AnyObject & Sendable)?>(nil)

    private init(_ endpoint: Endpoint, _ configuration: PostgresDatabase.Configuration) {
        self.endpoint = endpoint
        self.configuration = configuration
        name = configuration.name ?? endpoint.name
        var limits = PoolState.Limits()
        limits.connections = max(1, configuration.connectionLimit)
        limits.waiting = max(0, configuration.waitingLimit)
        limits.idle = configuration.idleLimit
        limits.unavailability = configuration.connectTimeout
        var connectionLimits = Connection.Limits()
        var endpoint = endpoint
        if let timeout = configuration.statementTimeout {
            endpoint.set("statement_timeout", to: "\(max(1, timeout.milliseconds))")
            // The server ends a statement that takes too long. If it doesn't, it hangs, and the client's own limit ends the statement.
            connectionLimits.statement = min(timeout, .seconds(100_000_000)) + configuration.connectTimeout
        }
        // The locks of parallel workers end with them, so the list of what a transaction has read would be incomplete.
        if configuration.isFollowed { endpoint.set("max_parallel_workers_per_gather", to: "0") }
        // Instances that read the log at intervals need no notifications. Notifications would make commits wait for each other.
        if configuration.isFollowed, configuration.pollInterval != nil { endpoint.set("querykit.notify", to: "off") }
        connectionLimits.cancellation = min(.seconds(5), configuration.connectTimeout)
        pool = Pool(limits) { [endpoint, connectionLimits] in
            try await Connection.open(
                endpoint,
                within: configuration.connectTimeout,
                statementLimit: configuration.statementLimit,
                limits: connectionLimits
            )
        }
    }

    /// Connects and migrates.
    static func open(
        _ url: String,
        migrations: PostgresMigrations,
        configuration: PostgresDatabase.Configuration
    ) async throws -> DatabaseCore {
        let core = DatabaseCore(try Endpoint(url), configuration)
        try await core.migrate(migrations, scope: "app")
        return core
    }

    /// Opens a connection that doesn't belong to the pool. The caller closes it.
    ///
    /// - Parameters:
    ///   - options: Settings of the server for this connection, such as `lock_timeout`.
    ///   - limits: The limits that the client enforces.
    func openConnection(options: [String: String] = [:], limits: Connection.Limits = Connection.Limits()) async throws -> Connection {
        var endpoint = endpoint
        // Migrations and the log of changes need this. `write` declares in each transaction that it writes.
        endpoint.set("default_transaction_read_only", to: "off")
        // If the log is long, the server expects the query of the log to be expensive, and compiles it each time. That takes longer than
        // the query itself.
        endpoint.set("jit", to: "off")
        for (setting, value) in options.sorted(by: { $0.key < $1.key }) { endpoint.set(setting, to: value) }
        return try await Connection.open(endpoint, within: configuration.connectTimeout, limits: limits)
    }

    /// Keeps an object that follows the database as long as the database exists.
    func attach(_ object: some AnyObject & Sendable) { attached.withLock { $0 = object } }

    /// The object that was attached.
    var attachment: (any AnyObject & Sendable)? { attached.withLock { $0 } }

    /// Applies the missing migrations on a connection of its own. Also shows that the server can be reached.
    @discardableResult
    func migrate(_ migrations: PostgresMigrations, scope: String) async throws -> [String] {
        let connection = try await openConnection()
        defer { connection.close() }
        return try await connection.migrate(migrations, scope: scope, waitingAtMost: .seconds(120))
    }

    // MARK: Transactions

    /// Sets what follows the transactions that begin from now on. It is called on the task that calls `read` or `write`.
    func setTracker(_ make: @escaping MakeTracker) {
        let maker = TrackerMaker(make: make)
        trackerMaker.withLock { $0 = maker }
    }

    private func tracker(isWrite: Bool) -> (any TransactionTracker)? { trackerMaker.withLock { $0 }?.make(isWrite) }

    func read<Result>(
        _ isolation: PostgresDatabase.Isolation,
        _ isRepeatable: Bool,
        _ body: (PostgresReadTransaction) async throws -> Result
    ) async throws -> Result {
        try await repeating(if: isRepeatable) { wantsRepetition in
            try await perform(isolation, isWrite: false, PostgresReadTransaction.init, body, &wantsRepetition)
        }
    }

    func write<Result>(
        _ isolation: PostgresDatabase.Isolation,
        _ isRepeatable: Bool,
        _ body: (PostgresWriteTransaction) async throws -> Result
    ) async throws -> Result {
        try await repeating(if: isRepeatable) { wantsRepetition in
            try await perform(isolation, isWrite: true, PostgresWriteTransaction.init, body, &wantsRepetition)
        }
    }

    /// Repeats a transaction after conflicts with concurrent ones, each time after a longer wait of random length.
    ///
    /// - Parameter isAllowed: Whether it may be repeated at all.
    private func repeating<Result>(
        if isAllowed: Bool,
        _ attempt: (_ wantsRepetition: inout Bool) async throws -> Result
    ) async throws -> Result {
        let limit = isAllowed ? configuration.retryLimit : 0
        var number = 0
        while true {
            var wantsRepetition = false
            do {
                return try await attempt(&wantsRepetition)
            } catch {
                guard wantsRepetition, number < limit, !(error is CancellationError) else { throw error }
            }
            number += 1
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...(10 << min(number, 6)))))
        }
    }

    private func perform<Transaction, Result>(
        _ isolation: PostgresDatabase.Isolation,
        isWrite: Bool,
        _ make: (TransactionRun) -> Transaction,
        _ body: (Transaction) async throws -> Result,
        _ wantsRepetition: inout Bool
    ) async throws -> Result {
        let outer = Self.held
        let limit = min(.seconds(5), configuration.connectTimeout)
        let tracker = tracker(isWrite: isWrite)
        let lease: Pool.Lease
        do {
            lease = try await pool.acquireChecked(within: limit, holding: connections(of: outer))
        } catch {
            // The caller may catch the error and return a value that the next commit should replace.
            tracker?.didFail()
            tracker?.didEnd(.rolledBack)
            throw error
        }
        let use = PoolUse(pool, lease) { try await self.pool.acquireChecked(within: limit, holding: self.connections(of: outer)) }
        await tracker?.willBegin()
        let run = TransactionRun(on: use.lease.connection, isolation, isWrite: isWrite, tracker, replace: use.replace)
        do {
            let result = try await Self.$held.withValue(outer + [use.held]) { try await body(make(run)) }
            try await run.commit(release: use.release)
            return result
        } catch {
            await run.rollBack(release: use.release)
            wantsRepetition = run.wantsRepetition
            throw error
        }
    }

    private func connections(of held: [HeldConnection]) -> Set<Int> { Set(held.compactMap { $0.id(in: pool) }) }

    /// The number of transactions that wait for a connection.
    var waitingCount: Int { pool.waitingCount }

    /// The number of connections that transactions use.
    var leasedCount: Int { pool.counts.leased }

    // MARK: Closing

    /// Adds work that is done before the connections are closed.
    func onClose(_ work: @escaping @Sendable () async -> Void) { closings.withLock { $0.append(work) } }

    func close() async {
        let work = closings.withLock { closings in
            defer { closings = [] }
            return closings
        }
        for work in work { await work() }
        // A closure that waited for its own end would hang.
        await pool.close(waits: connections(of: Self.held).isEmpty)
    }
}

/// Makes the tracker of a transaction.
// A class, because a closure that is stored in the lock itself would be wrapped once more and stored again at each call, so each call would
// take longer than the one before.
private final class TrackerMaker: Sendable {
    let make: DatabaseCore.MakeTracker

    init(make: @escaping DatabaseCore.MakeTracker) { self.make = make }
}

/// The connection that a transaction holds, as the tasks within its closure see it. These tasks may outlive the transaction, so this object
/// keeps nothing alive.
private final class HeldConnection: Sendable {
    private let pool: ObjectIdentifier
    /// `nil` after the transaction has ended.
    private let connection: Lock<Int?>

    init(_ pool: Pool, _ connection: Int) {
        self.pool = ObjectIdentifier(pool)
        self.connection = Lock(connection)
    }

    func set(_ id: Int?) { connection.withLock { $0 = id } }

    func id(in pool: Pool) -> Int? { ObjectIdentifier(pool) == self.pool ? connection.withLock { $0 } : nil }
}

/// The connection that a transaction has from the pool.
private final class PoolUse: Sendable {
    let held: HeldConnection
    private let pool: Pool
    private let acquire: @Sendable () async throws -> Pool.Lease
    private let current: Lock<Pool.Lease>

    init(_ pool: Pool, _ lease: Pool.Lease, acquire: @escaping @Sendable () async throws -> Pool.Lease) {
        self.pool = pool
        self.acquire = acquire
        held = HeldConnection(pool, lease.id)
        current = Lock(lease)
    }

    var lease: Pool.Lease { current.withLock { $0 } }

    /// Exchanges a connection that the server has closed for another one. A new connection is not exchanged, so the exchanges end.
    func replace(_ connection: Connection) async throws -> Connection? {
        let old = lease
        if old.age == .fresh { return nil }
        // The old connection is released first, because the pool may have only one. Releasing it again has no effect.
        held.set(nil)
        pool.release(old)
        let new = try await acquire()
        held.set(new.id)
        current.withLock { $0 = new }
        return new.connection
    }

    func release(_ connection: Connection) {
        held.set(nil)
        pool.release(lease)
    }
}

extension Duration {
    /// The duration in milliseconds, limited to the largest number that the server accepts.
    fileprivate var milliseconds: Int64 {
        guard self < .milliseconds(Int32.max) else { return Int64(Int32.max) }
        return components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
#endif
