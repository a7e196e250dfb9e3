import Dispatch
import QueryKit

/// All connections of a database, and the work in line for them.
final class Lanes: Sendable {
    typealias Kind = LaneSchedule<Entry>.Kind
    typealias Rest = LaneSchedule<Entry>.Rest

    /// A job as the schedule knows it: one that somebody waits for, or not.
    enum Entry: Sendable {
        case awaited(LaneJob, Kind)
        case unawaited(@Sendable (Connection?) -> Void)

        func run(on lane: Lane) -> LaneJob.End {
            switch self {
            case .awaited(let job, let kind): return job.run(on: lane, at: kind == .read ? .lane : .longLane)
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

        /// The same job in the background.
        var inBackground: Entry {
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
        var schedule: LaneSchedule<Entry>
        var isClosed = false
        /// How long the places that read took lately.
        var costs = ReadCosts()
        /// How many suspensions were asked for, and up to which of them are over: one that comes late must not hold what has gone on.
        var suspensions = 0
        var endedSuspensions = 0
        /// What gives back lanes that are taken, when nothing may run any more.
        var takers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Who waits until nothing runs.
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        /// Who waits until no recovery, or no suspension, holds the file.
        var recoveryWaiters: [CheckedContinuation<Void, Never>] = []
        var suspensionWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let state: Lock<State>
    let lanes: [Lane]
    let callersThreads: CallersThreads
    /// How many nanoseconds a read may take on its caller's thread.
    let quickLimit: UInt64

    /// - Parameter open: Opens the connection of a lane; 0 is the writer's.
    init(
        readerCount: Int,
        name: String,
        callersThreads: CallersThreads = .shared,
        quickLimit: UInt64 = ConnectionSettings(mode: .readOnly).quickLimit,
        open: @escaping @Sendable (Int) throws -> Connection
    ) {
        self.callersThreads = callersThreads
        self.quickLimit = quickLimit
        state = Lock(State(schedule: LaneSchedule(readerCount: readerCount)))
        lanes = (0...readerCount).map { number in
            Lane(number, label: "QueryKitSQLite.\(name).\(number == 0 ? "writer" : "reader-\(number)")") { try open(number) }
        }
    }

    /// How many nanoseconds may pass on a caller's thread. A commit varies more, because the log grows and the file system has work of its own.
    func limit(for kind: Kind) -> UInt64 { kind == .write ? quickLimit &* 4 : quickLimit }

    // MARK: Work

    /// Does work on a connection, and waits for it.
    func perform(_ kind: Kind, _ work: @escaping @Sendable (Connection, LaneJob) throws -> Void) async throws {
        try await perform(LaneJob(nil) { connection, job, _ in try work(connection, job) }, kind)
    }

    /// Does a job, and waits for it.
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

    /// Does work on a connection that brings something.
    func value<Value: Sendable>(_ kind: Kind, _ work: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let slot = Slot<Value>()
        try await perform(kind) { connection, _ in slot.put(try work(connection)) }
        return slot.take()
    }

    /// Does work on a connection when there is time; nobody waits for it. Without a connection if the database is closed, or can not be opened.
    func submit(_ kind: Kind, _ work: @escaping @Sendable (Connection?) -> Void) { submit(.unawaited(work), kind) }

    private func submit(_ entry: Entry, _ kind: Kind) {
        var (entry, kind) = (entry, kind)
        let (lane, isClosed) = state.withLock { state -> (Int?, Bool) in
            if state.isClosed { return (nil, true) }
            if kind == .read, let site = entry.site, state.costs[site].isLong { (entry, kind) = (entry.inBackground, .background) }
            return (state.schedule.add(entry, kind), false)
        }
        if isClosed { return entry.fail(Self.closedError) }
        if let lane { start(entry, on: lanes[lane]) }
    }

    func start(_ entry: Entry, on lane: Lane) {
        lane.queue.async { [self] in
            var entry = entry
            while true {
                let next =
                    switch entry.run(on: lane) {
                    case .done(let time): finish(lane, entry.site, time, entry.kind)
                    case .kept: Entry?.none
                    case .moved: finish(lane, moved: entry.inBackground)
                    }
                guard let next else { return }
                entry = next
            }
        }
    }

    /// A lane is free again; returns what it does next.
    func finish(
        _ lane: Lane,
        _ site: ReadSite? = nil,
        _ time: ReadTime? = nil,
        _ kind: Kind = .read,
        onCallersThread: Bool = false,
        moved: Entry? = nil
    ) -> Entry? {
        let (next, waiters, isClosed) = state.withLock { state -> (Entry?, [CheckedContinuation<Void, Never>], Bool) in
            if let site, let time { state.costs[site].note(time, limit: limit(for: kind), onCallersThread: onCallersThread) }
            let next = state.schedule.next(on: lane.number, moved: state.isClosed ? nil : moved)
            guard next == nil, state.schedule.isHeld, state.schedule.isIdle else { return (next, [], state.isClosed) }
            defer { state.idleWaiters = [] }
            return (nil, state.idleWaiters, state.isClosed)
        }
        if isClosed { moved?.fail(Self.closedError) }
        for waiter in waiters { waiter.resume() }
        return next
    }

    /// Whether nothing begins just now.
    var isHeld: Bool { state.withLock { $0.schedule.isHeld } }

    /// How many jobs wait for a lane.
    var waitingCount: Int { state.withLock { $0.schedule.waitingCount } }

    // MARK: Rest

    /// A suspension that ``resume(_:)`` will end, also if that comes before the rest begins.
    func announceSuspension() -> Int {
        state.withLock { state in
            state.suspensions += 1
            return state.suspensions
        }
    }

    /// Whether a suspension has been ended.
    func isOver(_ suspension: Int) -> Bool { state.withLock { suspension <= $0.endedSuspensions } }

    /// Lets no further work begin, waits for what runs, and closes all connections. What comes meanwhile waits.
    ///
    /// - Parameters:
    ///   - suspension: Its number; nothing happens if it is over.
    ///   - last: What the writer does before its connection is closed.
    func rest(
        _ rest: Rest = .suspension,
        suspension: Int = .max,
        disconnects: Bool = true,
        last: (@Sendable (Connection) -> Void)? = nil
    ) async {
        await withCheckedContinuation { waiter in
            let (isIdle, takers) = state.withLock { state in
                if suspension <= state.endedSuspensions { return (true, [(@Sendable () -> Void)]()) }
                state.schedule.hold(rest)
                if !state.schedule.isIdle { state.idleWaiters.append(waiter) }
                return (state.schedule.isIdle, Array(state.takers.values))
            }
            for giveBack in takers { giveBack() }
            if isIdle { waiter.resume() }
        }
        // It may have ended while this waited: then the connections are wanted.
        guard disconnects, state.withLock({ $0.schedule.isHeld }) else { return }
        // The writer last: whoever closes a file last writes its log back.
        for lane in lanes.reversed() {
            await withCheckedContinuation { waiter in
                lane.queue.async {
                    if lane.number == LaneSchedule<Entry>.writer, let last { lane.withConnection(last) }
                    lane.disconnect(keepsLog: rest != .suspension)
                    waiter.resume()
                }
            }
        }
    }

    deinit {
        // Closing a file may take time, and this may be any thread. Each on its own queue, and the writer last.
        let readersAreClosed = DispatchGroup()
        for lane in lanes.dropFirst() { lane.queue.async(group: readersAreClosed) { lane.disconnect() } }
        let writer = lanes[LaneSchedule<Entry>.writer]
        readersAreClosed.notify(queue: writer.queue) { writer.disconnect() }
    }

    /// Keeps everything else off the file for a recovery, as soon as no suspension does; false if the database is closed.
    func beginRecovery() async -> Bool {
        while !state.withLock(\.isClosed) {
            let begins = state.withLock { state in
                guard !state.isClosed, !state.schedule.isHeld(by: .suspension) else { return false }
                // At once, so that a suspension that begins now waits for it.
                state.schedule.hold(.recovery)
                return true
            }
            if begins {
                await rest(.recovery)
                return true
            }
            await suspensionEnded()
        }
        return false
    }

    private func suspensionEnded() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                guard !state.isClosed, state.schedule.isHeld(by: .suspension) else { return true }
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
                guard state.schedule.isHeld(by: .recovery) else { return true }
                state.recoveryWaiters.append(waiter)
                return false
            }
            if isOver { waiter.resume() }
        }
    }

    /// Goes on with what waits, once there is no other reason to rest.
    func resume(_ rest: Rest = .suspension) {
        let (starts, waiters) = state.withLock { state -> ([(lane: Int, job: Entry)], [CheckedContinuation<Void, Never>]) in
            if rest == .suspension { state.endedSuspensions = state.suspensions }
            var ended: [CheckedContinuation<Void, Never>] = []
            switch rest {
            case .suspension: swap(&ended, &state.suspensionWaiters)
            case .recovery: swap(&ended, &state.recoveryWaiters)
            case .newLog: break
            }
            if state.isClosed {
                _ = state.schedule.release(rest)
                return ([], ended)
            }
            let starts = state.schedule.release(rest)
            if state.schedule.isHeld { return (starts, ended) }
            // Who waits for the rest would wait for ever.
            defer { state.idleWaiters = [] }
            return (starts, state.idleWaiters + ended)
        }
        for start in starts { self.start(start.job, on: lanes[start.lane]) }
        for waiter in waiters { waiter.resume() }
    }

    /// Does no further work: what waits fails, and so does what comes later.
    ///
    /// - Parameter last: What the writer does before its connection is closed.
    func close(last: (@Sendable (Connection) -> Void)? = nil) async {
        let (waiting, waiters) = state.withLock { state in
            state.isClosed = true
            defer { state.suspensionWaiters = [] }
            return (state.schedule.removeAll(), state.suspensionWaiters)
        }
        for waiter in waiters { waiter.resume() }
        for entry in waiting { entry.fail(Self.closedError) }
        await recoveryEnded()
        await rest(last: last)
    }

    /// Does something on the writer's thread while the database rests.
    func atRest<Value: Sendable>(_ work: @escaping @Sendable (Lane) throws -> Value) async throws -> Value {
        let lane = lanes[LaneSchedule<Entry>.writer]
        return try await withCheckedThrowingContinuation { caller in
            lane.queue.async { caller.resume(with: Result { try work(lane) }) }
        }
    }

    /// From now on the writer does everything, as in memory. Called at rest.
    func useWriterOnly() { state.withLock { $0.schedule.useWriterOnly() } }

    static var closedError: SQLiteError { SQLiteError(.closed, "The database is closed.") }
}
