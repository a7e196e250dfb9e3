import Dispatch
import QueryKit

/// A snapshot that the runs of several requests read, one after the other, on a connection whose transaction stays open.
final class SharedSnapshot: SourceSnapshot {
    private struct State {
        /// The lane of the connection, once the snapshot is taken.
        var lane: Lane?
        /// The numbers of the latest change (`change`) and of the latest numbered commit (`commit`) that the snapshot includes.
        var change: UInt64 = 0
        var commit: UInt64 = 0
        var turns = SnapshotTurns<CheckedContinuation<Void, Never>>()
    }

    private let state = Lock(State())
    private let lanes: Lanes
    private let feed: ChangeFeed
    private let watch: ForeignWatch
    /// The log of other processes' commits; `nil` if no other process can commit.
    private let log: ChangeLog?
    private let moment: SnapshotMoment

    init(_ lanes: Lanes, _ feed: ChangeFeed, _ watch: ForeignWatch, _ log: ChangeLog?, _ moment: SnapshotMoment) {
        self.lanes = lanes
        self.feed = feed
        self.watch = watch
        self.log = log
        self.moment = moment
    }

    /// Performs a read; returns `nil` if the snapshot is over, so that the read must be done without it.
    func read<Result: Sendable>(
        at site: ReadSite,
        _ isolation: (any Actor)?,
        _ reads: ObservedReads,
        _ hasBegun: inout Bool,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result? {
        guard await beginTurn(isolation) else { return nil }
        let opened: Lane?
        do {
            opened = try await open(isolation)
        } catch {
            // If a run is cancelled while it waits for the connection, the other runs keep the snapshot.
            endTurn(isOver: !(error is CancellationError))
            throw error
        }
        guard let lane = opened else {
            endTurn(isOver: true)
            return nil
        }
        hasBegun = true
        let (start, commit) = state.withLock { ($0.change, $0.commit) }
        reads.note(commit...commit, of: feed.commits)
        if let result = try readOnCallersThread(lane, isolation, reads, start, body) { return result }
        let box = ResultBox<(Result?, [SQLiteRegion])>()
        defer { hasBegun = box.hasBegun }
        let job = LaneJob(site) { [feed] connection, job, _ in
            try connection.checkSnapshot()
            try box.put {
                var result: Result?
                let missed = try connection.read(job, reads, feed, since: start, on: .longLane) { result = try body($0) }
                return (result, missed)
            }
        }
        do {
            try await perform(job, on: lane)
        } catch let error as SQLiteError where error.hintsAtDamage {
            // The database is about to be recovered.
            end()
            throw error
        }
        let (result, missed) = box.take()
        if !missed.isEmpty { reads.outdate(missed) }
        return result
    }

    /// Reads on the current thread if possible. Returns `nil` if the read must run on the lane's thread, and ends the turn in all other
    /// cases.
    private func readOnCallersThread<Result: Sendable>(
        _ lane: Lane,
        _ isolation: (any Actor)?,
        _ reads: ObservedReads,
        _ start: UInt64,
        _ body: @Sendable (SQLiteReadTransaction) throws -> Result
    ) throws -> Result? {
        guard let connection = lane.openConnection, lanes.enterCallersThread(isolation) else { return nil }
        defer { lanes.callersThreads.leave(after: 0) }
        var result: Result?
        do {
            let missed = try connection.read(CallersThreadJob.shared, reads, feed, since: start, on: .callersThread) {
                result = try body($0)
            }
            endTurn(isOver: connection.isOutsideTransaction, mayUseConnection: true)
            if !missed.isEmpty { reads.outdate(missed) }
            return result
        } catch is ReadMove {
            return nil
        } catch {
            let isOver = connection.isOutsideTransaction || (error as? SQLiteError)?.hintsAtDamage == true
            endTurn(isOver: isOver, mayUseConnection: true)
            throw error
        }
    }

    /// Runs a job on the lane's thread, and ends the turn afterwards, even if its caller was cancelled.
    private func perform(_ job: LaneJob, on lane: Lane) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
                guard job.wait(caller) else { return endTurn() }
                lane.queue.async { [self] in
                    _ = job.run(on: lane, as: .longLane)
                    endTurn(isOver: lane.openConnection?.isOutsideTransaction != false, mayUseConnection: true)
                }
            }
        } onCancel: {
            job.cancel()
        }
    }

    // MARK: Turns

    /// How long a run waits for its turn, or for the end of a commit, before it suspends, in nanoseconds. Many reads take less time than
    /// resuming a task.
    private static let briefLimit: UInt64 = 50_000

    /// Waits until no other run is reading; returns false if the snapshot is over.
    private func beginTurn(_ isolation: (any Actor)?) async -> Bool {
        while true {
            if let answer = state.withLock({ $0.turns.begin() }) ?? beginTurnInLoop(isolation) { return answer }
            await withCheckedContinuation { caller in
                if !state.withLock({ $0.turns.wait(caller) }) { caller.resume() }
            }
        }
    }

    private func beginTurnInLoop(_ isolation: (any Actor)?) -> Bool? {
        // With a single core, the run that is reading couldn't continue in the meantime. An actor's thread has other work. A thread of
        // background priority may be suspended at any time.
        guard isolation == nil, lanes.usesCallersThreads, Task.currentPriority > .background else { return nil }
        guard state.withLock({ $0.turns.enterLoop() }) else { return nil }
        let answer = BriefWait.value(within: Self.briefLimit) { state.withLock { $0.turns.begin() } }
        state.withLock { $0.turns.leaveLoop() }
        return answer
    }

    /// - Parameter mayUseConnection: Whether the current thread may end the transaction: true on the lane's thread, and after a read on a
    ///   caller's thread.
    private func endTurn(isOver: Bool = false, mayUseConnection: Bool = false) {
        let (callers, lane) = state.withLock { state in
            let others = isOver ? state.turns.finish() : []
            return (others + state.turns.end(), state.turns.isOver ? state.lane.take() : nil)
        }
        for caller in callers { caller.resume() }
        guard let lane else { return }
        if mayUseConnection { endTransaction(on: lane) } else { close(lane) }
    }

    /// Ends the use of the snapshot: the connection is released as soon as the current read is done.
    func end() {
        let (callers, lane) = state.withLock { state in
            (state.turns.finish(), state.turns.isFree ? state.lane.take() : nil)
        }
        for caller in callers { caller.resume() }
        if let lane { close(lane) }
    }

    private func close(_ lane: Lane) {
        // This function doesn't know whether an actor calls it. Even then the thread may be used, unless it is the main thread: ending a
        // transaction that has only read takes less time than waking the lane's thread.
        if lanes.enterCallersThread(nil) {
            defer { lanes.callersThreads.leave(after: 0) }
            return endTransaction(on: lane)
        }
        lane.queue.async { [self] in endTransaction(on: lane) }
    }

    private func endTransaction(on lane: Lane) {
        lanes.removeHolder(self)
        lane.withConnection { connection in
            if (try? connection.run(.commit)) == nil { connection.rollBack() }
        }
        lanes.release(lane)
    }

    // MARK: The snapshot

    /// The lane of the connection with the snapshot; `nil` if none is available. Call it only during a turn.
    private func open(_ isolation: (any Actor)?) async throws -> Lane? {
        if let lane = state.withLock({ $0.lane }) { return lane.openConnection?.isOutsideTransaction == false ? lane : nil }
        let lane = try await lanes.acquire()
        let mayRead = lanes.addHolder(self) { [weak self] in self?.end() }
        guard mayRead else {
            lanes.release(lane)
            return nil
        }
        do {
            if try !takeOnCallersThread(lane, isolation) { try await take(on: lane) }
            return lane
        } catch {
            close(lane)
            throw error
        }
    }

    /// Takes the snapshot on the current thread if possible. Returns false if it must be taken on the lane's thread.
    private func takeOnCallersThread(_ lane: Lane, _ isolation: (any Actor)?) throws -> Bool {
        guard let connection = lane.openConnection, lanes.enterCallersThread(isolation) else { return false }
        defer { lanes.callersThreads.leave(after: 0) }
        // A commit may hold the order while it waits for the disk, so this thread doesn't wait for long.
        let taken = try BriefWait.value(within: Self.briefLimit) {
            try feed.order.withLockIfAvailable { _ in try connection.onCallersThread { try take(on: connection) } }
        }
        guard let taken = taken ?? nil else { return false }
        begin(taken, on: lane)
        return true
    }

    private func begin(_ taken: Taken, on lane: Lane) {
        taken.deliver?()
        state.withLock { ($0.lane, $0.change, $0.commit) = (lane, taken.change, taken.commit) }
    }

    /// The numbers of the changes that a snapshot includes, and the report of those that were not reported before.
    private struct Taken: Sendable {
        let change: UInt64
        let commit: UInt64
        let deliver: (@Sendable () -> Void)?
    }

    /// Takes the snapshot on the thread of a lane.
    private func take(on lane: Lane) async throws {
        try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Void, any Error>) in
            lane.queue.async { [self] in
                caller.resume(
                    with: Result {
                        let connection = try lane.connected()
                        begin(try feed.order.withLock { _ in try take(on: connection) }, on: lane)
                    }
                )
            }
        }
    }

    /// Takes the snapshot, and reports the commits of other processes that the snapshot includes and that were not reported before. So all
    /// stores affected by these commits read the snapshot too. Call it while you hold the order of commits.
    private func take(on connection: Connection) throws -> Taken {
        do {
            try connection.run(.begin)
            let commits = try log?.unreportedCommits(on: connection)
            // The first read takes the snapshot.
            if !connection.hasSnapshot { _ = try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema") }
            let deliver = commits.map { watch.report($0, in: feed) }
            moment.note()
            return Taken(change: feed.number, commit: feed.commits.latest, deliver: deliver)
        } catch {
            connection.rollBack()
            throw error
        }
    }
}

extension Connection {
    /// Performs short work on a caller's thread. Returns `nil` if the work would have to wait for a lock, or takes too long.
    fileprivate func onCallersThread<Value>(_ work: () throws -> Value) throws -> Value? {
        interruption.begin(deadline: monotonicNanoseconds() + settings.quickLimit)
        defer { interruption.deadline = 0 }
        do {
            return try work()
        } catch {
            if interruption.isOverdue { return nil }
            throw error
        }
    }

    /// Throws if the transaction with the snapshot has ended.
    func checkSnapshot() throws(SQLiteError) {
        if isOutsideTransaction { throw SQLiteError(.error, "A statement ended the snapshot.") }
    }
}
