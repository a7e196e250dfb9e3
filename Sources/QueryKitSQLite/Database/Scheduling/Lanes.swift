import Dispatch
import QueryKit

/// All connections of a database, and the jobs waiting for them.
final class Lanes: Sendable {
    typealias Kind = LaneSchedule<QueuedJob>.Kind
    typealias PauseReason = LaneSchedule<QueuedJob>.PauseReason

    /// A job in the schedule, with or without a waiting caller.
    enum QueuedJob: Sendable {
        case awaited(LaneJob, Kind)
        case unawaited(@Sendable (Connection?) -> Void)

        func run(on lane: Lane) -> LaneJob.End {
            switch self {
            case .awaited(let job, let kind): return job.run(on: lane, as: kind == .read ? .lane : .longLane)
            case .unawaited(let work):
                work(try? lane.connected())
                return .done(time: nil)
            }
        }

        var kind: Kind {
            if case .awaited(_, let kind) = self { kind } else { .background }
        }

        var site: ReadSite? {
            if case .awaited(let job, _) = self { job.site } else { nil }
        }

        /// The same job as a background job.
        var inBackground: QueuedJob {
            if case .awaited(let job, _) = self { .awaited(job, .background) } else { self }
        }

        func fail(_ error: any Error) {
            switch self {
            case .awaited(let job, _): job.fail(error)
            case .unawaited(let work): work(nil)
            }
        }
    }

    struct State {
        var schedule: LaneSchedule<QueuedJob>
        var isClosed = false
        /// The recent durations of reads by source location.
        var costs = ReadCosts()
        /// The number of suspensions that were requested, and the number of the latest one that has ended. A suspension that runs late must
        /// not pause a database that was resumed after the request.
        var suspensions = 0
        var endedSuspensions = 0
        /// Closures that release acquired lanes when the database must pause.
        var holders: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Callers that wait until no job runs.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        /// Callers that wait until no recovery (`recoveryWaiters`) or no suspension (`suspensionWaiters`) holds the file.
        var recoveryWaiters: [CheckedContinuation<Void, Never>] = []
        var suspensionWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let state: Lock<State>
    let lanes: [Lane]
    let callersThreads: CallersThreadLimiter
    /// The time limit for a read on its caller's thread, in nanoseconds.
    let quickLimit: UInt64

    /// - Parameter open: Opens the connection of a lane. Lane 0 is the writer's.
    init(
        readerCount: Int,
        name: String,
        callersThreads: CallersThreadLimiter = .shared,
        quickLimit: UInt64 = ConnectionSettings(mode: .readOnly).quickLimit,
        open: @escaping @Sendable (Int) throws -> Connection
    ) {
        self.callersThreads = callersThreads
        self.quickLimit = quickLimit
        state = Lock(State(schedule: LaneSchedule(readerCount: readerCount)))
        lanes = (0..<LaneSchedule<QueuedJob>.laneCount(forReaders: readerCount)).map { number in
            let role = number == 0 ? "writer" : number <= readerCount ? "reader-\(number)" : "snapshot"
            return Lane(number, label: "QueryKitSQLite.\(name).\(role)") { try open(number) }
        }
    }

    /// The time limit on a caller's thread in nanoseconds. A write has a higher limit, because the duration of a commit varies more: the
    /// log grows, and the file system has other work.
    func limit(for kind: Kind) -> UInt64 { kind == .write ? quickLimit &* 4 : quickLimit }

    // MARK: Running work

    /// Performs work on a connection, and waits for it.
    func perform(_ kind: Kind, _ work: @escaping @Sendable (Connection, LaneJob) throws -> Void) async throws {
        try await perform(LaneJob(nil) { connection, job, _ in try work(connection, job) }, kind)
    }

    /// Runs a job, and waits for it.
    func perform(_ job: LaneJob, _ kind: Kind) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                if job.wait(caller) { submit(.awaited(job, kind), kind) }
            }
        } onCancel: {
            job.cancel()
        }
    }

    /// Performs work on a connection, and returns its result.
    func value<Value: Sendable>(_ kind: Kind, _ work: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let box = ResultBox<Value>()
        try await perform(kind) { connection, _ in box.put(try work(connection)) }
        return box.take()
    }

    /// Performs work on a connection without a waiting caller. The connection is `nil` if the database is closed or can't be opened.
    func submit(_ kind: Kind, _ work: @escaping @Sendable (Connection?) -> Void) { submit(.unawaited(work), kind) }

    private func submit(_ queued: QueuedJob, _ kind: Kind) {
        var (queued, kind) = (queued, kind)
        let (lane, isClosed) = state.withLock { state -> (Int?, Bool) in
            if state.isClosed { return (nil, true) }
            if kind == .read, let site = queued.site, state.costs[site].isLong { (queued, kind) = (queued.inBackground, .background) }
            return (state.schedule.add(queued, kind), false)
        }
        if isClosed { return queued.fail(Self.closedError) }
        if let lane { start(queued, on: lanes[lane]) }
    }

    func start(_ queued: QueuedJob, on lane: Lane) {
        lane.queue.async { [self] in
            var queued = queued
            while true {
                let next =
                    switch queued.run(on: lane) {
                    case .done(let time): finish(lane, queued.site, time, queued.kind)
                    case .laneAcquired: QueuedJob?.none
                    case .moved: finish(lane, moved: queued.inBackground)
                    }
                guard let next else { return }
                queued = next
            }
        }
    }

    /// Marks a lane as free; returns its next job.
    func finish(
        _ lane: Lane,
        _ site: ReadSite? = nil,
        _ time: ReadTime? = nil,
        _ kind: Kind = .read,
        onCallersThread: Bool = false,
        moved: QueuedJob? = nil
    ) -> QueuedJob? {
        let (next, waiters, isClosed) = state.withLock { state -> (QueuedJob?, [CheckedContinuation<Void, Never>], Bool) in
            if let site, let time { state.costs[site].note(time, limit: limit(for: kind), onCallersThread: onCallersThread) }
            let next = state.schedule.next(on: lane.number, moved: state.isClosed ? nil : moved)
            guard next == nil, state.schedule.isPaused, state.schedule.isIdle else { return (next, [], state.isClosed) }
            defer { state.idleWaiters = [] }
            return (nil, state.idleWaiters, state.isClosed)
        }
        if isClosed { moved?.fail(Self.closedError) }
        for waiter in waiters { waiter.resume() }
        return next
    }

    /// Whether jobs are currently prevented from starting.
    var isPaused: Bool { state.withLock { $0.schedule.isPaused } }

    /// The number of jobs that wait for a lane.
    var waitingCount: Int { state.withLock { $0.schedule.waitingCount } }

    // MARK: Suspension and closing

    /// Announces a suspension. ``resume(_:)`` ends it, even if it is called before the suspension begins.
    func announceSuspension() -> Int {
        state.withLock { state in
            state.suspensions += 1
            return state.suspensions
        }
    }

    /// Whether a suspension has ended.
    func isOver(_ suspension: Int) -> Bool { state.withLock { suspension <= $0.endedSuspensions } }

    /// Lets no further job start, waits for running jobs, and closes all connections. Jobs that arrive in the meantime wait.
    ///
    /// - Parameters:
    ///   - suspension: The number of the suspension; nothing happens if it has ended.
    ///   - keepsLog: Whether the log stays unchanged. Default: true, except for a suspension.
    ///   - last: Called with the writer's connection before it is closed.
    func pause(
        _ reason: PauseReason = .suspension,
        suspension: Int = .max,
        disconnects: Bool = true,
        keepsLog: Bool? = nil,
        last: (@Sendable (Connection) -> Void)? = nil
    ) async {
        await withCheckedContinuation { waiter in
            let (isIdle, holders) = state.withLock { state in
                if suspension <= state.endedSuspensions { return (true, [(@Sendable () -> Void)]()) }
                state.schedule.pause(reason)
                if !state.schedule.isIdle { state.idleWaiters.append(waiter) }
                return (state.schedule.isIdle, Array(state.holders.values))
            }
            for release in holders { release() }
            if isIdle { waiter.resume() }
        }
        guard disconnects else { return }
        // Close the writer's connection last: the last connection to a file writes the log back.
        for lane in lanes.reversed() where await acquireForClosing(lane, suspension) {
            await withCheckedContinuation { waiter in
                lane.queue.async {
                    if lane.number == LaneSchedule<QueuedJob>.writer, let last { lane.withConnection(last) }
                    lane.disconnect(keepsLog: keepsLog ?? (reason != .suspension))
                    waiter.resume()
                }
            }
            release(lane)
        }
    }

    /// Reserves a lane, so that no job uses its connection while it is closed. Returns false if the pause has ended: then the connection is
    /// needed.
    private func acquireForClosing(_ lane: Lane, _ suspension: Int) async -> Bool {
        while true {
            let isAcquired = state.withLock { state -> Bool? in
                guard suspension > state.endedSuspensions, state.schedule.isPaused else { return false }
                return state.schedule.acquireForClosing(lane.number) ? true : nil
            }
            if let isAcquired { return isAcquired }
            await idle()
        }
    }

    /// Waits until no lane is busy, or until the pause ends.
    private func idle() async {
        await withCheckedContinuation { waiter in
            let isIdle = state.withLock { state in
                guard state.schedule.isPaused, !state.schedule.isIdle else { return true }
                state.idleWaiters.append(waiter)
                return false
            }
            if isIdle { waiter.resume() }
        }
    }

    deinit {
        // Closing a file may take time, and this may run on any thread. Each connection is closed on its own queue, the writer's last.
        let readersAreClosed = DispatchGroup()
        for lane in lanes.dropFirst() { lane.queue.async(group: readersAreClosed) { lane.disconnect() } }
        let writer = lanes[LaneSchedule<QueuedJob>.writer]
        readersAreClosed.notify(queue: writer.queue) { writer.disconnect() }
    }

    /// Reserves the file, after the end of a suspension and of other recoveries; returns false if the database is closed. Lets no further
    /// job start; call ``pause(_:suspension:disconnects:keepsLog:last:)`` to wait for running jobs.
    func beginRecovery() async -> Bool {
        while true {
            await recoveryEnded()
            await suspensionEnded()
            let begins = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if state.schedule.isPaused(for: .suspension) || state.schedule.isPaused(for: .recovery) { return nil }
                // Hold immediately, so that a suspension that begins now waits for the recovery.
                state.schedule.pause(.recovery)
                return true
            }
            if let begins { return begins }
        }
    }

    /// Reserves the file during a suspension; returns false if that is over. ``resume(_:)`` ends the reservation.
    func beginRecovery(in suspension: Int) -> Bool {
        state.withLock { state in
            guard !state.isClosed, suspension > state.endedSuspensions else { return false }
            state.schedule.pause(.recovery)
            return true
        }
    }

    private func suspensionEnded() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                guard !state.isClosed, state.schedule.isPaused(for: .suspension) else { return true }
                state.suspensionWaiters.append(waiter)
                return false
            }
            if isOver { waiter.resume() }
        }
    }

    /// Waits for the end of a recovery that has begun.
    func recoveryEnded() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                guard state.schedule.isPaused(for: .recovery) else { return true }
                state.recoveryWaiters.append(waiter)
                return false
            }
            if isOver { waiter.resume() }
        }
    }

    /// Ends one reason for the pause. If no other remains, starts the waiting jobs.
    ///
    /// - Returns: The number of the latest suspension that has ended.
    @discardableResult
    func resume(_ reason: PauseReason = .suspension) -> Int {
        var endedSuspension = 0
        let (starts, waiters) = state.withLock { state -> ([(lane: Int, job: QueuedJob)], [CheckedContinuation<Void, Never>]) in
            if reason == .suspension { state.endedSuspensions = state.suspensions }
            endedSuspension = state.endedSuspensions
            var ended: [CheckedContinuation<Void, Never>] = []
            switch reason {
            case .suspension: swap(&ended, &state.suspensionWaiters)
            case .recovery: swap(&ended, &state.recoveryWaiters)
            case .newLog: break
            }
            if state.isClosed {
                _ = state.schedule.resume(reason)
                return ([], ended)
            }
            let starts = state.schedule.resume(reason)
            if state.schedule.isPaused { return (starts, ended) }
            // Callers that wait for an idle database must be resumed now; otherwise they would wait forever.
            defer { state.idleWaiters = [] }
            return (starts, state.idleWaiters + ended)
        }
        for start in starts { self.start(start.job, on: lanes[start.lane]) }
        for waiter in waiters { waiter.resume() }
        return endedSuspension
    }

    /// Runs no further jobs: waiting and later jobs fail.
    ///
    /// - Parameters:
    ///   - keepsLog: Whether the log stays unchanged.
    ///   - last: Called with the writer's connection before it is closed.
    func close(keepsLog: Bool = false, last: (@Sendable (Connection) -> Void)? = nil) async {
        let (waiting, waiters) = state.withLock { state in
            state.isClosed = true
            defer { state.suspensionWaiters = [] }
            return (state.schedule.removeAll(), state.suspensionWaiters)
        }
        for waiter in waiters { waiter.resume() }
        for queued in waiting { queued.fail(Self.closedError) }
        await recoveryEnded()
        await pause(keepsLog: keepsLog, last: last)
    }

    /// Performs work on the writer's thread while the database is paused.
    func whilePaused<Value: Sendable>(_ work: @escaping @Sendable (Lane) throws -> Value) async throws -> Value {
        let lane = lanes[LaneSchedule<QueuedJob>.writer]
        return try await withCheckedThrowingContinuation { caller in
            lane.queue.async { caller.resume(with: Result { try work(lane) }) }
        }
    }

    /// From now on, the writer's lane runs all jobs, as for a database in memory. Call it only while the database is paused.
    func useWriterOnly() { state.withLock { $0.schedule.useWriterOnly() } }

    static var closedError: SQLiteError { SQLiteError(.closed, "The database is closed. Open it again before you use it.") }
}
