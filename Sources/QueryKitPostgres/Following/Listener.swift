#if Postgres
import Dispatch
import QueryKit

/// Reads the log of changes whenever the server reports a commit, on a connection of its own.
///
/// A notification only wakes the listener; what has changed is in the log. So a notification can't be misread, and none is missed: after
/// each connection the log is read from the last position. `LISTEN` is committed before, so that a commit is either in the log or reported.
/// The connection never stays in a transaction, which would fill the server's queue of notifications.
struct Listener: Sendable {
    /// How often to install missing triggers and to remove old rows.
    private static let careInterval = Duration.seconds(300)

    let follower: Follower
    /// How often to read the log if notifications aren't used; `nil` to use them.
    let pollInterval: Duration?
    /// How often the log is read without a notification. Also shows whether the connection still works.
    var checkInterval = Duration.seconds(10)
    /// How long the log may be unreadable until values are no longer kept as fresh.
    var outageLimit = Duration.seconds(30)
    /// Opens a connection. Waits no longer than the database's time limit.
    let open: @Sendable () async throws -> Connection

    /// Listens until the task is cancelled. A lost connection is opened again, after a pause that grows with each failure.
    func run() async {
        var failures = 0
        var firstFailure: ContinuousClock.Instant?
        while !Task.isCancelled {
            do {
                let connection = try await open()
                defer { connection.close() }
                try Task.checkCancellation()
                try await listen(on: connection) {
                    (failures, firstFailure) = (0, nil)
                    follower.setBehind(false)
                }
            } catch {
                failures += 1
                // The log was removed, or another role could have changed it. Until it can be read again, tables count as not followed.
                let code = (error as? PostgresError)?.code
                if code == .undefinedTable || code == .permission || code == .misuse { follower.setInstalled(false) }
                // An attempt fails, for example, if other connections leave none for the listener.
                firstFailure = firstFailure ?? .now
                if let firstFailure, firstFailure.duration(to: .now) > outageLimit { follower.setBehind(true) }
            }
            if Task.isCancelled { return }
            try? await Task.sleep(for: Self.pause(after: failures))
        }
    }

    /// The pause before the next attempt, up to 15 seconds. Instances that lost their connections at the same time come back at different
    /// times.
    static func pause(after failures: Int) -> Duration {
        .milliseconds(min(15_000, 50 << min(failures, 9)) * Int.random(in: 50...100) / 100)
    }

    /// - Parameter onSuccess: Called each time when the log has been read.
    private func listen(on connection: Connection, _ onSuccess: () -> Void) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // The causes are kept apart from the stream, because the stream keeps only its newest element.
        let causes = Lock(Set<Follower.Wake>())
        let add: @Sendable (Follower.Wake) -> Void = { cause in
            _ = causes.withLock { $0.insert(cause) }
            wake.yield()
        }
        connection.onNotification({ _ in add(.notification) }, onLoss: { _ in wake.finish() })
        let timer = Self.timer(every: pollInterval ?? checkInterval) { add(.timer) }
        defer {
            timer.cancel()
            wake.finish()
        }
        follower.setWake(add)
        if pollInterval == nil { try await connection.run("LISTEN querykit") }
        if follower.isInstalled { try await look(on: connection) }
        var isComplete = try await install(on: connection)
        onSuccess()
        var lastCare = ContinuousClock.now
        for await _ in wakes {
            let current = causes.withLock { causes in
                defer { causes = [] }
                return causes
            }
            try await look(on: connection)
            onSuccess()
            let wantsCare = .now - lastCare > Self.careInterval
            if wantsCare {
                lastCare = .now
                follower.forgetUnfollowed()
                try await trim(on: connection)
            }
            if wantsCare || current.contains(.unfollowedTable) || !isComplete && current.contains(.timer) {
                isComplete = try await install(on: connection)
            }
        }
    }

    private static func timer(every interval: Duration, _ action: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + interval.dispatchInterval, repeating: interval.dispatchInterval)
        timer.setEventHandler(handler: action)
        timer.activate()
        return timer
    }

    /// Installs missing triggers, such as those of tables that were created since. Returns false if another attempt may install more.
    private func install(on connection: Connection) async throws -> Bool {
        let outcome: ServerInstallation.Outcome
        do {
            outcome = try await ServerInstallation(columns: follower.columns, patience: .seconds(1)).perform(on: connection)
        } catch let error as PostgresError where follower.isInstalled && error.sqlState != nil && error.code != .undefinedTable {
            follower.forgetUnfollowed()
            return false
        }
        guard outcome.access != .none else { throw PostgresError(.permission, "The log of changes in the schema querykit can't be read.") }
        follower.forgetUnfollowed(outcome.busy)
        if follower.isInstalled { return outcome.busy.isEmpty }
        try await look(on: connection)
        follower.setInstalled(true)
        // What was committed before the log existed is unknown.
        follower.record(.foreign([.everything])).deliver()
        return outcome.busy.isEmpty
    }

    /// Reads the log from the last position.
    func look(on connection: Connection) async throws {
        let position = follower.position
        do {
            follower.advance(to: try await Self.page(from: position, on: connection))
        } catch let error as PostgresError where error.sqlState.map(Self.unreadable.contains) == true {
            // Another program has written texts that aren't in the encoding of the database. Everything counts as changed.
            follower.advance(to: try await Self.page(from: position, withTexts: false, on: connection))
        }
    }

    /// The codes of texts that can't be converted.
    private static let unreadable: Set = ["22021", "22P05"]

    private static func page(
        from position: LogPosition,
        withTexts: Bool = true,
        on connection: Connection
    ) async throws -> LogPage {
        let texts = withTexts ? "c.name, c.col, c.value" : "NULL, NULL, NULL"
        let unread = position.unread.map(String.init).joined(separator: ",")
        // One statement, so that position and rows belong to one snapshot. All rows of a transaction become visible at once.
        return try await connection.run(
            """
            SELECT p.system, p.snapshot::text, p.trimmed, c.xid::text, c.id::text, \(texts)
            FROM (
                SELECT s.system_identifier || '/' || k.timeline_id AS system, pg_current_snapshot() AS snapshot,
                    coalesce(t.trimmed, '0')::text AS trimmed
                FROM pg_control_system() s, pg_control_checkpoint() k LEFT JOIN querykit.settings t ON true
            ) p
            LEFT JOIN querykit.changes c
                ON \(position.watermark == nil ? "false" : "c.xid >= '\(position.next)'::xid8 OR c.xid = ANY ('{\(unread)}'::xid8[])")
            ORDER BY c.id
            """
        ).logPage()
    }

    /// Removes rows that all listeners have read long ago. One instance does so at a time.
    private func trim(on connection: Connection) async throws {
        do {
            try await connection.run("SELECT querykit.trim('1 hour', 100000)")
        } catch let error as PostgresError where error.code == .permission {
            // A role that may only read the log leaves this to the others.
        }
    }

    /// Takes the position from which changes are to be reported.
    static func takePosition(of follower: Follower, on connection: Connection) async throws {
        follower.advance(to: try await page(from: follower.position, on: connection))
    }
}
#endif
