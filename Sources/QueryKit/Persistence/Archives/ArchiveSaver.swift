/// Saves an archive of a client after each change of its contents, at the times that a ``SaveSchedule`` decides, until it is ended.
final class ArchiveSaver: PatternListener, StoredChangeListener {
    typealias Destination = @Sendable (QueryClientArchive) async throws -> Void

    private struct State {
        var schedule: SaveSchedule
        var alarm: QueryAlarm?
        /// The save under way.
        var task: Task<Void, Never>?
        var isOver = false
        /// Waiting callers, each with the number of the save that it waits for.
        var waiters: [(save: Int, promise: Promise<Void>)] = []
        /// Whether a task that notes a change is under way.
        var isHearing = false

        mutating func takeWaiters(of save: Int) -> [Promise<Void>] {
            defer { waiters.removeAll { $0.save <= save } }
            return waiters.filter { $0.save <= save }.map(\.promise)
        }
    }

    private let pattern: QueryPattern
    private let maxAge: Duration
    private let destination: Destination
    private let client: WeakOwner
    private let core: WeakOwner
    private let clock: any QueryClock
    private let state: Lock<State>

    init(
        of client: QueryClient,
        matching pattern: QueryPattern,
        after quiet: Duration,
        maxAge: Duration,
        to destination: @escaping Destination
    ) {
        self.pattern = pattern
        self.maxAge = maxAge
        self.destination = destination
        self.client = WeakOwner(client)
        core = WeakOwner(client.core)
        clock = client.core.clock
        state = Lock(State(schedule: SaveSchedule(quiet: quiet)))
    }

    private var owner: ClientCore? { core.object as? ClientCore }

    // MARK: Changes

    /// Notes that the value of a store has changed.
    func noteChange(of request: any QueryRequest) {
        if pattern == .all || pattern.matches(request.path) { noteChange() }
    }

    /// Notes a change of something that the archive contains or may contain.
    func noteChange() {
        let now = clock.now
        perform(
            state.withLock { state in
                state.isHearing = false
                return state.schedule.change(at: now)
            }
        )
    }

    func receive(_ change: PatternChange) {
        // Called with the client's lock held, so another thread sets the timer.
        let isFirst = state.withLock { state in
            defer { state.isHearing = true }
            return !state.isHearing && !state.isOver
        }
        guard isFirst else { return }
        let token = owner?.work.begin()
        // Has no owner: it ends on its own, and `settled()` waits for it.
        Task.detached(priority: Task.currentPriority) {
            self.noteChange()
            token?.end()
        }
    }

    // MARK: Saving

    /// Saves all changes without waiting for the quiet period. Returns a promise for the end of the save; `nil` if nothing has changed.
    func saveNow() -> Promise<Void>? {
        let promise = Promise<Void>()
        let (action, isAwaited) = state.withLock { state -> (SaveSchedule.Action?, Bool) in
            let (action, save) = state.schedule.saveNow()
            if let save { state.waiters.append((save, promise)) }
            return (action, save != nil)
        }
        perform(action)
        return isAwaited ? promise : nil
    }

    private func perform(_ action: SaveSchedule.Action?) {
        switch action {
        case nil: break
        case .wait(let deadline): wait(until: deadline)
        case .save: begin()
        }
    }

    private func wait(until deadline: QueryInstant) {
        guard let owner else { return }
        let alarm = owner.schedule(at: deadline, on: clock) { [weak self] in self?.timerFired() }
        replaceAlarm(with: alarm)
    }

    private func timerFired() {
        let now = clock.now
        perform(state.withLock { $0.schedule.timerFired(at: now) })
    }

    private func replaceAlarm(with alarm: QueryAlarm?) {
        let obsolete = state.withLock { state in
            if state.isOver { return alarm }
            defer { state.alarm = alarm }
            return state.alarm
        }
        obsolete?.cancel()
    }

    private func begin() {
        replaceAlarm(with: nil)
        guard let token = owner?.work.begin() else { return }
        // This object owns the task, and cancels it in `end()`.
        let task = Task.detached {
            await self.save()
            token.end()
        }
        let isTooLate = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isTooLate { task.cancel() }
    }

    private func save() async {
        let result: Result<Void, any Error>
        do {
            // The client is retained only while its values are encoded: a slow destination must not keep it alive.
            guard let archive = try await archive() else { return end() }
            try Task.checkCancellation()
            try await destination(archive)
            result = .success(())
        } catch {
            result = .failure(error)
            if !(error is CancellationError) { owner?.report(.storageFailed, [], error) }
        }
        let now = clock.now
        let (action, waiters) = state.withLock { state -> (SaveSchedule.Action?, [Promise<Void>]) in
            let waiters = state.takeWaiters(of: state.schedule.saveCount)
            return (state.schedule.saveEnded(isSaved: (try? result.get()) != nil, at: now), waiters)
        }
        perform(action)
        for waiter in waiters { waiter.resolve(result) }
    }

    private func archive() async throws -> QueryClientArchive? {
        try await (client.object as? QueryClient)?.dehydrate(matching: pattern, maxAge: maxAge)
    }

    /// Stops saving, and cancels the save under way.
    func end() {
        let (alarm, task, waiters) = state.withLock { state in
            state.isOver = true
            state.schedule.end()
            defer { (state.alarm, state.task) = (nil, nil) }
            return (state.alarm, state.task, state.takeWaiters(of: .max))
        }
        alarm?.cancel()
        task?.cancel()
        for waiter in waiters { waiter.resolve(.success(())) }
        owner?.patterns.remove(ObjectIdentifier(self))
        owner?.storedChangeListeners.withLock { $0.removeAll { $0 === self } }
    }
}
