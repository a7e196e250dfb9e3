import CSQLite
import QueryKit

/// What a transaction has brought, beside its result.
struct TransactionOutcome<Result: Sendable>: Sendable {
    let result: Result
    /// What it changed.
    var change: SQLiteChangeSet?
    /// What it read, to be told when the change is.
    var reads: [SQLiteRegion] = []
    /// What had changed before anybody was told that it is read.
    var missed: [SQLiteRegion] = []
}

extension Connection {
    /// Carries out a read in a snapshot.
    func read<Result>(
        _ isCancelled: SharedFlag,
        _ observer: (any ReadObserver)?,
        _ feed: ChangeFeed,
        _ body: (SQLiteReadTransaction) throws -> Result
    ) throws -> TransactionOutcome<Result> {
        interruption.flag = isCancelled
        defer { interruption.flag = nil }
        // A database with one connection lends the writer's to readers.
        let isBorrowed = settings.mode == .readWrite
        if isBorrowed { try run("PRAGMA query_only = 1") }
        defer { if isBorrowed { try? run("PRAGMA query_only = 0") } }
        do {
            let tracking = observer.map { ReadTracking($0, feed) }
            try run("BEGIN")
            let transaction = SQLiteReadTransaction(self, tracking)
            let result = try body(transaction)
            if let failure = transaction.failure { throw failure }
            try run("COMMIT")
            return TransactionOutcome(result: result, missed: tracking?.missed ?? [])
        } catch {
            interruption.flag = nil
            rollBack()
            throw isCancelled.isRaised && (error as? SQLiteError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Carries out a write: all of it, or nothing.
    func write<Result>(
        _ isCancelled: SharedFlag,
        collectingReads: Bool,
        log: ChangeLog?,
        _ body: (SQLiteWriteTransaction) throws -> Result
    ) throws -> TransactionOutcome<Result> {
        // Only the wait for the lock can be cancelled: what has begun goes on to its end.
        interruption.flag = isCancelled
        do {
            defer { interruption.flag = nil }
            // At once for writing: one that begins as a read can not become a write when somebody else has written meanwhile.
            try run("BEGIN IMMEDIATE")
        } catch {
            throw isCancelled.isRaised ? CancellationError() : error
        }
        do {
            let tracking = collectingReads ? ReadTracking() : nil
            let transaction = SQLiteWriteTransaction(self, tracking)
            let result = try body(transaction)
            if let failure = transaction.failure { throw failure }
            let regions = transaction.regions
            if !regions.isEmpty { try log?.append(regions, on: self) }
            try run("COMMIT")
            guard isOutsideTransaction else { throw SQLiteError(.error, "The commit did not end the transaction.") }
            if transaction.hasChangedSchema { try adoptSchema() }
            log?.confirm()
            return TransactionOutcome(
                result: result,
                change: regions.isEmpty ? nil : SQLiteChangeSet(.local, regions),
                reads: tracking?.collected ?? []
            )
        } catch {
            log?.forget()
            rollBack()
            throw error
        }
    }

    /// Ends a transaction that failed. SQLite may have ended it by itself, so it is asked.
    func rollBack() {
        if !isOutsideTransaction { try? run("ROLLBACK") }
        // What could not even be undone must not go into the next transaction.
        if !isOutsideTransaction { isBroken = true }
    }

    /// Puts right what depends on the schema.
    func adoptSchema() throws {
        forgetStatements()
        try installPartitions(partitions)
    }
}
