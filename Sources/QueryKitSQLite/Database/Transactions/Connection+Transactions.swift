/// What is to be told when a transaction is over, beside its result.
struct TransactionNotes: Sendable {
    /// What it read, to be told when the change is.
    var reads: [SQLiteRegion] = []
    /// What had changed before anybody was told that it is read.
    var missed: [SQLiteRegion] = []
}

extension Connection {
    /// Carries out a read in a snapshot.
    func read(
        _ work: any Interruptible,
        _ observer: (any ReadObserver)?,
        _ feed: ChangeFeed,
        at place: ReadPace.Place,
        _ body: (SQLiteReadTransaction) throws -> Void
    ) throws -> [SQLiteRegion] {
        interruption.work = work
        defer {
            interruption.work = nil
            interruption.deadline = 0
        }
        let tracking = try observer.map { try ReadTracking($0, feed, mayWait: place != .callersThread) }
        let transaction = SQLiteReadTransaction(self, tracking, ReadPace(place, limit: settings.quickLimit))
        do {
            try run(.begin)
            defer { transaction.close() }
            try body(transaction)
            try transaction.checkFailure()
            try run(.commit)
            readTime = transaction.pace?.charge ?? 0
            return tracking?.missed ?? []
        } catch {
            interruption.work = nil
            interruption.deadline = 0
            rollBack()
            // Also if the closure has thrown something else because of it.
            if let move = transaction.pace?.move { throw move }
            throw work.isCancelled && (error as? SQLiteError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Carries out a read in a snapshot that is open, and stays so.
    ///
    /// - Parameter start: The number of the latest change that the snapshot shows.
    func read(
        _ work: any Interruptible,
        _ observer: any ReadObserver,
        _ feed: ChangeFeed,
        since start: UInt64,
        at place: ReadPace.Place,
        _ body: (SQLiteReadTransaction) throws -> Void
    ) throws -> [SQLiteRegion] {
        interruption.work = work
        defer {
            interruption.work = nil
            interruption.deadline = 0
        }
        let tracking = ReadTracking(observer, feed, since: start)
        let transaction = SQLiteReadTransaction(self, tracking, ReadPace(place, limit: settings.quickLimit))
        defer { transaction.close() }
        do {
            try body(transaction)
            try transaction.checkFailure()
            readTime = transaction.pace?.charge ?? 0
            return tracking.missed
        } catch {
            if let move = transaction.pace?.move { throw move }
            throw work.isCancelled && (error as? SQLiteError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Carries out a write: all of it, or nothing.
    func write(
        _ work: any Interruptible,
        collectingReads: Bool,
        log: ChangeLog?,
        _ witness: (any CommitWitness)? = nil,
        at place: ReadPace.Place = .longLane,
        _ body: (SQLiteWriteTransaction) throws -> Void,
        committing: (_ commit: () throws(SQLiteError) -> Void, _ change: SQLiteChangeSet?) throws(SQLiteError) -> Void = {
            (commit, _) throws(SQLiteError) in try commit()
        }
    ) throws -> TransactionNotes {
        // Only the wait for the lock can be cancelled: what has begun goes on to its end.
        interruption.work = work
        do {
            if place == .callersThread { interruption.begin(deadline: monotonicNanoseconds() + settings.quickLimit) }
            defer {
                interruption.work = nil
                interruption.deadline = 0
            }
            // At once for writing: one that begins as a read can not become a write when somebody else has written meanwhile.
            try run(.beginImmediate)
        } catch {
            // It may have begun all the same: SQLite asks once more when the statement is done, and calls it interrupted then.
            rollBack()
            if interruption.isOverdue, place == .callersThread { throw ReadMove(isLong: false) }
            if work.isCancelled { throw CancellationError() }
            guard error.code == .busy else { throw error }
            let message =
                "Somebody else has kept the database locked for \(settings.busyMilliseconds) ms. Try again, or allow a longer busyTimeout."
            throw SQLiteError(.busy, message, extendedCode: error.extendedCode)
        }
        let tracking = collectingReads ? ReadTracking() : nil
        let transaction = SQLiteWriteTransaction(self, tracking, ReadPace(place, limit: settings.quickLimit))
        do {
            defer { transaction.close() }
            try body(transaction)
            try transaction.checkFailure()
            let change = transaction.change
            rows.end()
            if !change.regions.isEmpty || transaction.touchesInternals { try log?.append(change.regions, on: self) }
            let isChange = !change.regions.isEmpty
            try committing(
                { () throws(SQLiteError) in
                    try commit(change, witness)
                    log?.confirm()
                },
                isChange ? change : nil
            )
            if transaction.hasChangedSchema { adoptSchema() }
            readTime = transaction.pace?.charge ?? 0
            return TransactionNotes(reads: tracking?.collected ?? [])
        } catch {
            log?.forget()
            rollBack()
            if let move = transaction.pace?.move { throw move }
            throw error
        }
    }

    private func commit(_ change: SQLiteChangeSet, _ witness: (any CommitWitness)?) throws(SQLiteError) {
        let number = change.regions.isEmpty ? nil : witness?.begin(change)
        do throws(SQLiteError) {
            try run(.commit)
            guard isOutsideTransaction else { throw SQLiteError(.error, "The commit did not end the transaction.") }
        } catch {
            if let number { witness?.end(number, isDone: false) }
            throw error
        }
        if let number { witness?.end(number, isDone: true) }
    }

    /// Ends a transaction that failed. SQLite may have ended it by itself, so it is asked.
    func rollBack() {
        if !isOutsideTransaction { try? run("ROLLBACK") }
        // What could not even be undone must not go into the next transaction.
        if !isOutsideTransaction { isBroken = true }
    }

    /// Puts right what depends on the schema. The commit is done, so nothing here may fail: tables that can no longer be divided count as whole.
    func adoptSchema() {
        forgetStatements()
        if (try? installPartitions(partitions)) == nil { partitions = [] }
    }
}
