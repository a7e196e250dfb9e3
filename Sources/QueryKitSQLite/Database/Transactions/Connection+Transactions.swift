extension Connection {
    /// Performs a read in a new snapshot. Returns the regions that changed before they were noted as read.
    func read(
        _ work: any Interruptible,
        _ reads: inout ObservedReads?,
        _ feed: ChangeFeed,
        on executor: ReadPlacement.Executor,
        _ body: (SQLiteReadTransaction) throws -> Void
    ) throws -> [SQLiteRegion] {
        let tracking = try tracking(of: &reads, feed, on: executor)
        return try read(work, tracking, &reads, on: executor) { transaction in
            do {
                try run(.begin)
                takesSnapshot = executor.isCallersThread
                defer { transaction.close() }
                try body(transaction)
                try transaction.checkFailure()
                try releaseSnapshot { () throws(SQLiteError) in try run(.commit) }
            } catch {
                releaseSnapshot { rollBack() }
                throw error
            }
        }
    }

    /// Performs a read in an open snapshot, which stays open.
    ///
    /// - Parameter start: The number of the latest change that the snapshot includes.
    func read(
        _ work: any Interruptible,
        _ reads: ObservedReads,
        _ feed: ChangeFeed,
        since start: UInt64,
        on executor: ReadPlacement.Executor,
        _ body: (SQLiteReadTransaction) throws -> Void
    ) throws -> [SQLiteRegion] {
        let tracking = tracking(for: feed)
        tracking.begin(reads, since: start)
        var taken: ObservedReads?
        return try read(work, tracking, &taken, on: executor) { transaction in
            defer { transaction.close() }
            try body(transaction)
            try transaction.checkFailure()
        }
    }

    /// Begins to record a read, unless there is nothing to record for the current task.
    private func tracking(of reads: inout ObservedReads?, _ feed: ChangeFeed, on executor: ReadPlacement.Executor) throws -> ReadTracking? {
        if reads == nil { return nil }
        let tracking = tracking(for: feed)
        try tracking.begin(&reads, mayWait: !executor.isCallersThread)
        return tracking
    }

    /// The object that records the reads of this connection.
    private func tracking(for feed: ChangeFeed) -> ReadTracking {
        // Only this function sets the attachment, and a connection has one feed, so the type is certain. A checked cast would take a tenth
        // of the time that recording a read takes.
        if let attachment { return unsafeDowncast(attachment, to: ReadTracking.self) }
        let tracking = ReadTracking(feed)
        attachment = tracking
        return tracking
    }

    @inline(__always)
    private func read(
        _ work: any Interruptible,
        _ tracking: consuming ReadTracking?,
        _ reads: inout ObservedReads?,
        on executor: ReadPlacement.Executor,
        _ body: (SQLiteReadTransaction) throws -> Void
    ) throws -> [SQLiteRegion] {
        interruption.work = work
        defer { endWork() }
        let transaction = SQLiteReadTransaction(self, tracking, ReadPlacement(executor, limit: settings.quickLimit))
        do {
            try body(transaction)
            readTime = transaction.placement?.charge ?? ReadTime(nanoseconds: 0)
            return transaction.tracking?.end(&reads) ?? []
        } catch {
            // The read moves even if the closure has caught the error that stopped it, and has thrown another one.
            if let move = transaction.placement?.move {
                transaction.tracking?.discard(&reads)
                throw move
            }
            // The error depends on what was read, so the read is recorded and reported like one that succeeds.
            if let missed = transaction.tracking?.end(&reads), !missed.isEmpty { reads?.outdate(missed) }
            throw work.isCancelled && (error as? SQLiteError)?.code == .interrupted ? CancellationError() : error
        }
    }

    /// Ends the current work, so that nothing interrupts the connection.
    private func endWork() {
        interruption.work = nil
        interruption.deadline = 0
    }

    /// Performs a write: either all changes are committed, or none. Returns the regions that the write read; report them after its change.
    func write(
        _ work: any Interruptible,
        collectingReads: Bool,
        log: ChangeLog?,
        reporting watched: WatchedColumns? = nil,
        _ commitObserver: (any CommitObserver)? = nil,
        on executor: ReadPlacement.Executor = .longLane,
        noteFailure: (_ regions: [SQLiteRegion]) -> Void = { _ in },
        _ body: (SQLiteWriteTransaction) throws -> Void,
        committing: (_ commit: () throws(SQLiteError) -> Void, _ change: SQLiteChangeSet?) throws(SQLiteError) -> Void = {
            (commit, _) throws(SQLiteError) in try commit()
        }
    ) throws -> [SQLiteRegion] {
        if let watched, mustReport(watched.number) {
            // Reporting prepares all statements again, which takes too long for a caller's thread.
            if executor == .callersThread { throw ReadMove(isLong: false) }
            try report(watched.columns)
        }
        // Only the wait for the lock can be cancelled: a write that has begun runs to its end.
        interruption.work = work
        do {
            if executor == .callersThread { interruption.begin(deadline: monotonicNanoseconds() + settings.quickLimit) }
            defer { endWork() }
            // Take the write lock now: a transaction that begins as a read can't become a write after another connection has written.
            try run(.beginImmediate)
        } catch {
            // The transaction may have begun anyway: SQLite polls once more at the end of the statement, and then reports it as
            // interrupted.
            rollBack()
            if interruption.isOverdue, executor == .callersThread { throw ReadMove(isLong: false) }
            if work.isCancelled { throw CancellationError() }
            guard error.code == .busy else { throw error }
            let message =
                "Another connection has kept the database locked for \(settings.busyMilliseconds) ms. Try again, or allow a longer busyTimeout."
            throw SQLiteError(.busy, message, extendedCode: error.extendedCode)
        }
        let placement = ReadPlacement(executor, limit: settings.quickLimit)
        let transaction = SQLiteWriteTransaction(self, placement, collectingReads: collectingReads)
        do {
            defer { transaction.close() }
            try checkLogFile()
            try body(transaction)
            try transaction.checkFailure()
            let change = transaction.change
            rows.end()
            try transaction.recordSchema()
            if !change.regions.isEmpty || transaction.touchesInternals { try log?.append(change, on: self) }
            let isChange = !change.regions.isEmpty
            try committing(
                { () throws(SQLiteError) in
                    try commit(change, commitObserver)
                    log?.confirm()
                },
                isChange ? change : nil
            )
            if transaction.hasChangedSchema { adoptSchema() }
            readTime = transaction.placement?.charge ?? ReadTime(nanoseconds: 0)
            return transaction.reads?.regions ?? []
        } catch {
            log?.forget()
            let move = transaction.placement?.move
            // The error depends on what was read. Usually no other connection can write before the rollback.
            if move == nil, let regions = transaction.reads?.regions, !regions.isEmpty { noteFailure(regions) }
            rollBack()
            throw move ?? error
        }
    }

    private func commit(_ change: SQLiteChangeSet, _ commitObserver: (any CommitObserver)?) throws(SQLiteError) {
        let number = change.regions.isEmpty ? nil : commitObserver?.begin(change)
        do throws(SQLiteError) {
            try run(.commit)
            guard isOutsideTransaction else { throw SQLiteError(.error, "The commit did not end the transaction.") }
        } catch {
            if let number { commitObserver?.end(number, isDone: false) }
            throw error
        }
        if let number { commitObserver?.end(number, isDone: true) }
    }

    /// Rolls back a failed transaction. SQLite may have ended it already.
    func rollBack() {
        // An interrupted rollback would leave the transaction open.
        endWork()
        schemaWatch.noteBoundary()
        if !isOutsideTransaction { try? run("ROLLBACK") }
        // If the rollback fails too, the changes must not become part of the next transaction.
        if !isOutsideTransaction { isBroken = true }
    }

    /// Updates what depends on the schema. The commit is done, so nothing here may fail: tables that can no longer be partitioned count as
    /// whole tables.
    func adoptSchema() {
        forgetStatements()
        if (try? installPartitions(partitions)) == nil { partitions = [] }
    }
}
