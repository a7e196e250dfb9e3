import Foundation
import QueryKit

/// The shared implementation behind a database and its readers.
final class DatabaseCore: Sendable {
    private struct State {
        var report = SQLiteReport(.healthy, migrated: [])
        /// The consumers of ``reports``.
        var followers: [UUID: AsyncStream<SQLiteReport>.Continuation] = [:]
        var isEnded = false
        var observer: (any ReadObserver)?
        /// An object that a layer above stores here for the lifetime of this database.
        var attachment: (any AnyObject & Sendable)?
    }

    let opener: ConnectionOpener
    let lanes: Lanes
    let feed: ChangeFeed
    let log: ChangeLog
    let watch: ForeignWatch
    private let watchTarget: ForeignWatch.Target
    let separateWork: SeparateWork
    let repairs = SharedRepair()
    let logRepairs = SharedRepair()
    let reopenings = SharedRepair()
    let repairBackoff = RepairBackoff()
    /// Reports that could not be written into the file yet.
    let unsavedReports = Lock<[SQLiteReport.Recovery]>([])
    private let checkpointer = Checkpointer()
    let migrations: SQLiteMigrations
    private let state = Lock(State())

    init(_ opener: ConnectionOpener, _ migrations: SQLiteMigrations) {
        self.opener = opener
        self.migrations = migrations
        separateWork = SeparateWork(name: opener.name)
        let log = ChangeLog()
        let watch = ForeignWatch(of: opener.location.path, each: opener.configuration.probeInterval, log)
        self.log = log
        self.watch = watch
        feed = ChangeFeed { watch.setDemand($0) }
        lanes = Lanes(
            readerCount: opener.readerCount,
            name: opener.name,
            callersThreads: opener.configuration.callersThreads,
            quickLimit: opener.configuration.quickLimit
        ) { lane in
            let connection = try opener.open(lane)
            if lane == 0 { try watch.begin(on: connection) }
            return connection
        }
        watchTarget = ForeignWatch.Target(lanes, feed)
        watch.connect(to: watchTarget)
    }

    deinit {
        watch.stop()
        feed.finish()
        endReports()
        opener.location.deleteIfTemporary()
    }

    var name: String { opener.name }
    var configuration: SQLiteDatabase.Configuration { opener.configuration }

    var report: SQLiteReport {
        get { state.withLock { $0.report } }
        set {
            let followers = state.withLock { state in
                state.report = newValue
                return Array(state.followers.values)
            }
            for follower in followers { follower.yield(newValue) }
        }
    }

    /// A stream of the current report and each later one.
    var reports: AsyncStream<SQLiteReport> {
        let (stream, follower) = AsyncStream.makeStream(of: SQLiteReport.self, bufferingPolicy: .bufferingNewest(8))
        let id = UUID()
        follower.onTermination = { [weak self] _ in self?.state.withLock { $0.followers[id] = nil } }
        let isEnded = state.withLock { state in
            if !state.isEnded { state.followers[id] = follower }
            // Yielded under the lock, so that no later report is delivered first; `yield` only wakes the consumer.
            follower.yield(state.report)
            return state.isEnded
        }
        if isEnded { follower.finish() }
        return stream
    }

    func endReports() {
        let followers = state.withLock { state in
            state.isEnded = true
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }

    /// Sets the observer of all reads and writes.
    func observeReads(with observer: any ReadObserver) { state.withLock { $0.observer = observer } }

    /// Returns the object that is attached to this database, creating it if necessary, and whether it is new.
    func attachment<Attachment: AnyObject & Sendable>(_ make: () -> Attachment) -> (attachment: Attachment, isNew: Bool) {
        if let found = state.withLock({ $0.attachment }) as? Attachment { return (found, false) }
        let new = make()
        let kept = state.withLock { state -> any AnyObject & Sendable in
            let kept = state.attachment ?? new
            state.attachment = kept
            return kept
        }
        return (kept as? Attachment ?? new, kept === new)
    }

    /// The current task's reads or writes; `nil` if nothing observes them.
    private func observed(isWrite: Bool) -> ObservedReads? { state.withLock { $0.observer }?.begin(isWrite: isWrite) }

    // MARK: Transactions

    /// - Parameters:
    ///   - site: The source location of the read.
    ///   - isolation: The caller's actor.
    ///   - isLong: Whether the read is known to be long.
    func read<Result: Sendable>(
        at site: ReadSite,
        _ isolation: (any Actor)?,
        isLong: Bool = false,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        let start = feed.number
        var hasBegun = false
        do {
            do {
                return try await readOnce(at: site, isolation, isLong: isLong, &hasBegun, body)
            } catch let error as SQLiteError where error.code == .moved {
                await leaveMovedFile()
                throw error
            } catch let error as SQLiteError where error.hintsAtDamage {
                try await recoverInUse(from: error)
                return try await readOnce(at: site, isolation, isLong: isLong, &hasBegun, body)
            }
        } catch {
            noteEverything(after: error, hasBegun, isWrite: false, since: start)
            throw error
        }
    }

    /// Records that the current task depends on everything if a transaction could not begin or continue: the caller may catch the error
    /// and return a value that the next commit should replace.
    ///
    /// - Parameter hasBegun: Whether the closure was called. Then the error of a statement depends only on what was read.
    private func noteEverything(after error: any Error, _ hasBegun: Bool, isWrite: Bool, since start: UInt64) {
        guard let error = error as? SQLiteError, !hasBegun || !error.concernsStatement, let reads = observed(isWrite: isWrite) else {
            return
        }
        reads.note(RegionList([.everything]))
        let missed = feed.changed([.everything], since: start)
        if !missed.isEmpty { reads.outdate(missed) }
    }

    private func readOnce<Result: Sendable>(
        at site: ReadSite,
        _ isolation: (any Actor)?,
        isLong: Bool,
        _ hasBegun: inout Bool,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        hasBegun = false
        try Task.checkCancellation()
        // The base priority is compared, because the current priority is raised while another task waits for this one.
        var kind: Lanes.Kind = isLong || Task.basePriority.map { $0 <= .background } == true ? .background : .read
        var reads = observed(isWrite: false)
        if reads?.mayShare == true, let reads, let run = reads.run, let snapshot = await run.snapshot(of: self, makeSnapshot) {
            if let result = try await snapshot.read(at: site, isolation, reads, &hasBegun, body) { return result }
            // The shared snapshot no longer exists, for example because the database was suspended.
            run.readAlone()
        }
        if kind == .read {
            var result: Result?
            var missed: [SQLiteRegion] = []
            func perform() throws -> Lanes.Outcome {
                try lanes.performOnCallersThread(.read, site, isolation) { connection, executor in
                    missed = try connection.read(CallersThreadJob.shared, &reads, feed, on: executor) {
                        hasBegun = true
                        result = try body($0)
                    }
                }
            }
            var outcome = try perform()
            if case .afterYield = outcome {
                await Task.yield()
                try Task.checkCancellation()
                outcome = try perform()
            }
            switch outcome {
            case .done:
                if !missed.isEmpty { reads?.outdate(missed) }
                if let result { return result }
            case .declined(let isLong): if isLong { kind = .background }
            case .afterYield: break
            }
        }
        let box = ResultBox<Result>()
        defer { hasBegun = box.hasBegun }
        try await read(at: site, kind, reads) { transaction in try box.put { try body(transaction) } }
        return box.take()
    }

    func write<Result: Sendable>(
        at site: ReadSite,
        _ isolation: (any Actor)?,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Result
    ) async throws -> Result {
        let start = feed.number
        var (hasBegun, isRepaired, lossCount) = (false, false, 0)
        do {
            // After each of these errors, all changes were rolled back.
            while true {
                do {
                    return try await writeOnce(at: site, isolation, &hasBegun, body)
                } catch let error as SQLiteError where error.code == .moved {
                    await leaveMovedFile()
                    throw error
                } catch let error as SQLiteError where error.hintsAtDamage && !isRepaired {
                    isRepaired = true
                    try await recoverInUse(from: error)
                } catch let loss as LogLoss {
                    lossCount += 1
                    guard lossCount <= 100 else {
                        throw SQLiteError(.inputOutput, "Another program removes the log of the database again and again.")
                    }
                    await beginNewLog(loss)
                }
            }
        } catch {
            noteEverything(after: error, hasBegun, isWrite: true, since: start)
            throw error
        }
    }

    /// Takes the log away from the file that is there now, before another program opens that file.
    private func leaveMovedFile() async { try? await lanes.value(.write) { $0.leaveMovedFile() } }

    private func makeSnapshot(_ moment: SnapshotMoment) -> SharedSnapshot {
        SharedSnapshot(lanes, feed, watch, opener.path == nil ? nil : log, moment)
    }

    private func read(
        at site: ReadSite,
        _ kind: Lanes.Kind,
        _ reads: ObservedReads?,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Void
    ) async throws {
        let missed = ResultBox<[SQLiteRegion]>()
        let job = LaneJob(site) { [feed] connection, job, executor in
            var reads = reads
            missed.put(try connection.read(job, &reads, feed, on: executor, body))
        }
        try await lanes.perform(job, kind)
        let regions = missed.take()
        if !regions.isEmpty { reads?.outdate(regions) }
    }

    /// The facts about a finished write that are reported afterwards.
    private struct Written: Sendable {
        /// The regions that the write itself read.
        let reads: [SQLiteRegion]
        let change: RecordedChange?
        let number: UInt64
    }

    func writeOnce<Result: Sendable>(
        at site: ReadSite,
        _ isolation: (any Actor)?,
        _ hasBegun: inout Bool,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Result
    ) async throws -> Result {
        hasBegun = false
        try Task.checkCancellation()
        let writer = observed(isWrite: true)
        let commitObserver = writer?.commitObserver(feed.commits)
        writer?.run?.willWrite(to: self, isExclusive: opener.path == nil)
        // With `.powerLoss`, each commit waits for the disk and would block its caller's thread.
        if configuration.durability == .processDeath, Task.basePriority.map({ $0 > .background }) != false {
            var written: Written?
            var result: Result?
            let outcome = try lanes.performOnCallersThread(.write, site, isolation) { connection, executor in
                written = try write(on: connection, CallersThreadJob.shared, writer, commitObserver, on: executor) {
                    hasBegun = true
                    result = try body($0)
                }
            }
            if case .done = outcome, let written, let result {
                notify(written, writer)
                return result
            }
        }
        let (box, written) = (ResultBox<Result>(), ResultBox<Written>())
        defer { hasBegun = box.hasBegun }
        let job = LaneJob(site) { [self] connection, job, executor in
            written.put(
                try write(on: connection, job, writer, commitObserver, on: executor) { transaction in
                    try box.put { try body(transaction) }
                }
            )
        }
        try await lanes.perform(job, .write)
        notify(written.take(), writer)
        return box.take()
    }

    private func write(
        on connection: Connection,
        _ work: any Interruptible,
        _ writer: ObservedReads?,
        _ commitObserver: (any CommitObserver)?,
        on executor: ReadPlacement.Executor,
        _ body: (SQLiteWriteTransaction) throws -> Void
    ) throws -> Written {
        let log = opener.log(log)
        if !connection.isMarkedInUse, opener.isMarked {
            // This checkpoint waits for the disk.
            if executor == .callersThread { throw ReadMove(isLong: false) }
            try connection.checkpointInUse(log)
        }
        var recorded: RecordedChange?
        var start: UInt64 = 0
        // Functions, because closures in constants would be allocated.
        func perform(_ transaction: SQLiteWriteTransaction) throws {
            start = feed.number
            try body(transaction)
        }
        func noteFailure(_ regions: [SQLiteRegion]) {
            guard let writer else { return }
            note(regions, for: writer)
            // If SQLite has ended the transaction by itself, others may have written since.
            let missed = feed.changed(regions, since: start)
            if !missed.isEmpty { writer.outdate(missed) }
        }
        let reads = try connection.write(
            work,
            collectingReads: writer != nil,
            log: log,
            reporting: feed.watched,
            commitObserver,
            on: executor,
            noteFailure: noteFailure,
            perform
        ) {
            (commit, change) throws(SQLiteError) in
            try feed.order.withLock { (_) throws(SQLiteError) in
                try commit()
                if let change { recorded = feed.record(change, by: writer?.run) }
            }
        }
        if checkpointer.begins(after: connection) {
            checkpointer.start(at: connection.logPages, lanes) { [opener] connection in
                (try? opener.isMarked ? connection.checkpointInUse(log) : connection.checkpoint().isComplete) ?? false
            }
        }
        return Written(reads: reads, change: recorded, number: recorded?.number ?? feed.number)
    }

    /// Reports a write in the task that wrote, before that task continues, so that a mutation is known as the cause.
    private func notify(_ written: Written, _ writer: ObservedReads?) {
        written.change?.deliver()
        guard let writer, !written.reads.isEmpty else { return }
        note(written.reads, for: writer)
        let missed = feed.changed(written.reads, since: written.number)
        if !missed.isEmpty { writer.outdate(missed) }
    }

    /// Reports what a write has read.
    private func note(_ regions: [SQLiteRegion], for writer: ObservedReads) {
        let list = RegionList(regions)
        feed.watched.add(list)
        writer.note(list)
    }

    /// Reports a change that no write of this database has made.
    func announce(_ change: SQLiteChangeSet) {
        feed.order.withLock { _ in feed.record(change) }.deliver()
    }
}
