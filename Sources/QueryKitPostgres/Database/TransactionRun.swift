#if Postgres
import QueryKitSQL

/// One transaction on one connection: sends BEGIN together with the first statement, follows errors, and ends the transaction.
final class TransactionRun {
    private(set) var connection: Connection
    /// Gets another connection in place of one that the server has closed before the transaction began; `nil` if there is none.
    private let replace: (Connection) async throws -> Connection?
    private let isolation: PostgresDatabase.Isolation
    let isWrite: Bool
    private let tracker: (any TransactionTracker)?
    private var hasBegun = false
    private var isBusy = false
    private var hasEnded = false
    /// The error after which no statement may follow.
    private var failure: PostgresError?
    /// The error after which the server refuses statements until a rollback, at least to a savepoint.
    private var abortion: PostgresError?
    private var savepoints = 0
    /// Whether a statement has ended the transaction, so that its changes may have been committed.
    private(set) var wasEndedByStatement = false

    init(
        on connection: Connection,
        _ isolation: PostgresDatabase.Isolation,
        isWrite: Bool,
        _ tracker: (any TransactionTracker)?,
        replace: @escaping (Connection) async throws -> Connection? = { _ in nil }
    ) {
        self.connection = connection
        self.isolation = isolation
        self.isWrite = isWrite
        self.tracker = tracker
        self.replace = replace
    }

    /// Whether a concurrent transaction is the reason why this one can't be continued.
    var wantsRepetition: Bool { (failure ?? abortion)?.isRetryable == true }

    // MARK: Statements

    /// Sends statements in one round trip and returns their results.
    func run(_ statements: [SQL]) async throws -> [PostgresResult] {
        let requests = try begin(statements)
        isBusy = true
        defer { isBusy = false }
        var attempt = 0
        while true {
            let isFirst = !hasBegun
            let outcome = await connection.perform(batch(requests))
            if isFirst, try await canRepeat(outcome, &attempt) { continue }
            return try note(outcome, statements)
        }
    }

    /// Sends a statement and calls a closure with parts of its rows while they arrive.
    func stream(_ statement: SQL, _ body: (PostgresResult) throws -> Void) async throws {
        let requests = try begin([statement])
        isBusy = true
        defer { isBusy = false }
        var attempt = 0
        while true {
            let isFirst = !hasBegun
            let position = isFirst ? tracker?.opening == nil ? 1 : 2 : 0
            var hasRows = false
            let (outcome, thrown) = await connection.perform(batch(requests), streaming: position) { rows in
                hasRows = true
                try body(rows)
            }
            if isFirst, !hasRows, try await canRepeat(outcome, &attempt) { continue }
            _ = try note(outcome, [statement])
            if let thrown { throw thrown }
            return
        }
    }

    /// Runs several statements, separated by semicolons, without following them.
    func runScript(_ text: String) async throws {
        if text.allSatisfy(\.isWhitespace) { return }
        guard !text.utf8.contains(0) else { throw PostgresError(.misuse, Self.nulAdvice) }
        try await control("SET LOCAL statement_timeout = 0")
        let outcome = await connection.perform([.script(text)])
        if outcome.error != nil { throw failed(outcome) }
        try checkPhase(outcome, nil)
    }

    /// Checks that statements may be sent, and encodes their values.
    private func begin(_ statements: [SQL]) throws -> [Request] {
        try check()
        return try statements.map { sql in
            if let problem = Self.problem(with: sql) { throw PostgresError(.misuse, problem, sql: sql.numberedText) }
            return .statement(sql, try Parameters(sql.values) { sql.numberedText })
        }
    }

    private static let nulAdvice = "The statement contains a NUL character, where PostgreSQL would stop reading it. Remove the character."

    private static func problem(with sql: SQL) -> String? {
        for case .text(let part) in sql.pieces where part.utf8.contains(0) { return nulAdvice }
        return switch sql.firstWord {
        case "SET": problem(withSetting: sql.numberedText)
        case "RESET", "DISCARD", "LOAD", "LISTEN", "UNLISTEN", "PREPARE", "DEALLOCATE":
            "\(sql.firstWord) would affect the transactions that use the connection afterwards. \(stateAdvice)"
        case "COMMIT", "END", "ROLLBACK", "ABORT":
            "A statement can't end the transaction, which ends with its closure. Throw an error to roll back."
        case "BEGIN", "START": "A statement can't begin a transaction. Use read or write."
        case "SAVEPOINT", "RELEASE": "A statement can't begin or end a savepoint. Use savepoint(_:)."
        case "COPY": "COPY is not supported. Use INSERT, with execute(each:) for many rows."
        default: nil
        }
    }

    private static let stateAdvice = """
        Use what ends with the transaction (SET LOCAL, set_config(…, true), pg_advisory_xact_lock), or write settings for all connections in \
        the connection string, as options=-c%20name%3Dvalue.
        """

    /// What is wrong with SET. A setting that outlasts the transaction would affect the next one on the same connection.
    private static func problem(withSetting text: String) -> String? {
        let words = SQL.firstWords(3, of: text)
        switch words[1] {
        case "CONSTRAINTS": return nil
        case "LOCAL" where words[2] != "TRANSACTION": return nil
        case "TRANSACTION", "LOCAL":
            return "SET can't change the transaction itself. Choose between read and write, and pass the isolation level."
        default: return "SET would affect the transactions that use the connection afterwards. \(stateAdvice)"
        }
    }

    /// The statements with those that begin and follow the transaction.
    private func batch(_ requests: [Request]) -> [Request] {
        var batch: [Request] = []
        if !hasBegun {
            batch.append(.text("BEGIN ISOLATION LEVEL \(isolation.rawValue)" + (isWrite ? " READ WRITE" : " READ ONLY")))
            if let opening = tracker?.opening { batch.append(.text(opening)) }
        }
        guard let companion = tracker?.companion else { return batch + requests }
        for request in requests { batch += [request, .text(companion)] }
        return batch
    }

    /// Whether to repeat the first round trip, because it failed for a reason that no longer exists. The closure has received no result
    /// yet.
    private func canRepeat(_ outcome: BatchOutcome, _ attempt: inout Int) async throws -> Bool {
        guard let error = outcome.error, !Task.isCancelled else { return false }
        attempt += 1
        if outcome.isLost {
            // A statement that took too long would take too long again.
            guard error.code == .unavailable else { return false }
            do {
                guard let other = try await replace(connection) else { return false }
                connection = other
                return true
            } catch {
                tracker?.didFail()
                throw error
            }
        }
        guard error.code == .outdatedStatement, attempt == 1 else { return false }
        if outcome.transaction != .none { await undo() }
        return true
    }

    /// Assigns the results to the statements. Throws the error of the one that failed.
    private func note(_ outcome: BatchOutcome, _ statements: [SQL]) throws -> [PostgresResult] {
        var rest = outcome.results[...]
        if !hasBegun {
            guard rest.popFirst() != nil else { throw failed(outcome) }
            hasBegun = true
            if tracker?.opening != nil {
                guard let result = rest.popFirst() else { throw failed(outcome) }
                try tracker?.didBegin(result)
            } else {
                try tracker?.didBegin(nil)
            }
        }
        var results: [PostgresResult] = []
        results.reserveCapacity(statements.count)
        let hasCompanion = tracker?.companion != nil
        for sql in statements {
            let result = rest.popFirst()
            let companion = hasCompanion ? rest.popFirst() : nil
            guard let result, !hasCompanion || companion != nil else { throw failed(outcome) }
            tracker?.didRun(sql, companion)
            results.append(result)
        }
        if outcome.error != nil { throw failed(outcome) }
        try checkPhase(outcome, statements.last)
        return results
    }

    /// Throws if a statement has ended the transaction.
    private func checkPhase(_ outcome: BatchOutcome, _ sql: SQL?) throws {
        guard outcome.transaction == .none else { return }
        let error = PostgresError(
            .misuse,
            "A statement has ended the transaction. Let it end with its closure; throw an error to roll back.",
            sql: sql?.numberedText
        )
        failure = error
        wasEndedByStatement = true
        throw error
    }

    /// Notes what an error means for the transaction, and returns it as the caller sees it.
    private func failed(_ outcome: BatchOutcome) -> any Error {
        tracker?.didFail()
        let error = outcome.error ?? PostgresError(.unavailable, "The connection was lost.")
        if outcome.isLost {
            failure = error
        } else if outcome.transaction == .failed {
            abortion = error
        } else if error.code != .cancelled, hasBegun {
            failure = error
        }
        return Connection.visible(error)
    }

    /// Throws if no statement may follow.
    private func check() throws {
        if hasEnded { throw PostgresError(.misuse, "The transaction has ended. Use it only within its closure.") }
        if isBusy {
            throw PostgresError(.misuse, "Another statement of the same transaction is still running. Await it before the next one.")
        }
        if let failure { throw failure }
        if let abortion {
            throw PostgresError(
                .failedTransaction,
                "An earlier statement of the transaction failed, so no other can follow: \(abortion.message). Throw its error, or run it within savepoint(_:).",
                sql: abortion.sql
            )
        }
    }

    // MARK: Savepoints

    /// Calls a closure whose changes can be undone alone.
    func savepoint<Result>(_ body: () async throws -> Result) async throws -> Result {
        try check()
        savepoints += 1
        let name = "querykit_\(savepoints)"
        defer { savepoints -= 1 }
        try await control("SAVEPOINT \(name)")
        do {
            let result = try await body()
            try check()
            try await control("RELEASE SAVEPOINT \(name)")
            return result
        } catch {
            // A conflict with a concurrent transaction can't be undone alone.
            guard failure == nil, !hasEnded else { throw error }
            if abortion?.isRetryable == true { throw error }
            abortion = nil
            do {
                try await control("ROLLBACK TO SAVEPOINT \(name)", isCancellable: false)
                try await control("RELEASE SAVEPOINT \(name)", isCancellable: false)
            } catch {
                // The transaction can't be continued, and `failure` says why. The error of the closure came first.
            }
            throw error
        }
    }

    /// Runs a statement of the library.
    private func control(_ text: String, isCancellable: Bool = true) async throws {
        let isFirst = !hasBegun
        isBusy = true
        defer { isBusy = false }
        var attempt = 0
        while true {
            var requests = batch([])
            requests.append(.text(text))
            let limit = isCancellable ? nil : connection.limits.cancellation
            let outcome = await connection.perform(requests, isCancellable: isCancellable, within: limit)
            if isFirst, try await canRepeat(outcome, &attempt) { continue }
            if isFirst { _ = try note(outcome, []) }
            if outcome.error != nil { throw failed(outcome) }
            return
        }
    }

    // MARK: Ending

    /// Commits. If it throws, nothing was committed, unless the error says that this is unknown.
    ///
    /// - Parameter release: Called when the connection can be used again.
    func commit(release: @escaping @Sendable (Connection) -> Void) async throws {
        do {
            try check()
        } catch {
            await rollBack(release: release)
            throw error
        }
        hasEnded = true
        let connection = connection
        guard hasBegun else {
            release(connection)
            tracker?.didEnd(.committed)
            return
        }
        let closing = tracker?.closing
        if !isWrite, isolation != .serializable, closing == nil {
            // The end of such a transaction can't fail in a way that matters.
            connection.submit([.text("COMMIT")], within: connection.limits.cancellation) { _ in release(connection) }
            tracker?.didEnd(.committed)
            return
        }
        let outcome = await connection.perform((closing.map { [.text($0)] } ?? []) + [.text("COMMIT")], isCancellable: false)
        defer { release(connection) }
        if closing != nil, let result = outcome.results.first { tracker?.willCommit(result) }
        if let error = outcome.error {
            if outcome.transaction == .failed { await undo() }
            failure = error
            // The server executes the statements of a connection in order. So if it has ended the connection before the closing statement
            // succeeded, the transaction has not been committed.
            let wasEndedBefore = closing != nil && outcome.results.isEmpty && error.sqlState != nil
            let isUnknown = outcome.isLost && isWrite && outcome.wasSent && !wasEndedBefore
            tracker?.didEnd(isUnknown ? .unknown : .rolledBack)
            throw isUnknown ? unknown(error) : error
        }
        guard outcome.results.last?.command == "COMMIT" else {
            tracker?.didEnd(.rolledBack)
            throw PostgresError(
                .failedTransaction,
                "The server has rolled the transaction back instead of committing it, because a statement had failed.",
                hint: "Don't catch the errors of statements, or run the statements that may fail in a savepoint."
            )
        }
        tracker?.didEnd(.committed)
    }

    private func unknown(_ error: PostgresError) -> PostgresError {
        PostgresError(
            .outcomeUnknown,
            "The connection was lost during the commit, so the changes may or may not be saved: \(error.message)",
            sqlState: error.sqlState,
            hint: "Read what the transaction should have changed before you repeat it, or make it repeatable with a unique key."
        )
    }

    /// Undoes all changes.
    func rollBack(release: @Sendable (Connection) -> Void) async {
        if hasEnded { return }
        hasEnded = true
        // A connection that isn't used again is closed, which has the same effect.
        if hasBegun, connection.isUndisturbed { await undo() }
        release(connection)
        tracker?.didEnd(.rolledBack)
    }

    /// Rolls back on the server. A rollback takes no time, so if the server doesn't reply, it hangs; the connection is then closed instead.
    private func undo() async {
        _ = await connection.perform([.once("ROLLBACK")], isCancellable: false, within: connection.limits.cancellation)
    }
}
#endif
