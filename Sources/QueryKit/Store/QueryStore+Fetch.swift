extension QueryStore {
    /// Runs the request, or joins the run under way, and returns its result.
    ///
    /// All callers share one run. A caller that is cancelled returns at once with `CancellationError`, and the others go on; the run itself
    /// is cancelled when nobody is left. While it waits, a caller counts as an observer. A caller that comes after an invalidation or a write
    /// does not join a run from before it, but waits for the next.
    ///
    /// - Parameters:
    ///   - context: What the run finds around it. Default: the context of the store. Without effect on a run that is already under way.
    ///   - handler: Hears what happens to the store until the call returns.
    public func fetch(using context: QueryContext? = nil, handler: QueryEventHandler<State>? = nil) async throws -> Value {
        let listener = handler.map { StoreSubscriptionToken(self, attach($0, isObserver: false)) }
        defer { listener?.cancel() }
        let (id, isDeduplicated) = core.withLock { core in
            core.lastWaiter += 1
            return (core.lastWaiter, core.context.settings.isDeduplicated)
        }
        return try await RunScope.waiting(for: self) {
            try await isDeduplicated ? join(id, context.map(withClient)) : runPrivately(context.map(withClient))
        }
    }

    /// A context keeps its client: one that was made without gets the store's.
    private func withClient(_ context: QueryContext) -> QueryContext {
        guard context.owner?.object == nil else { return context }
        var context = context
        context.owner = self.context.owner
        return context
    }

    private func join(_ id: UInt64, _ override: QueryContext?) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id, continuation, override)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func wait(_ id: UInt64, _ continuation: CheckedContinuation<Value, any Error>, _ override: QueryContext?) {
        let priority = Task.currentPriority
        let joined = core.withLock { core -> (work: StoreWork<State>, slower: Task<Void, Never>?)? in
            // The cancellation handler takes the same lock: either it finds the waiter, or this finds the task cancelled.
            if Task.isCancelled { return nil }
            let work = core.process { $0.fetch(&$1) }
            guard let joined = work.joined else { preconditionFailure("A fetch joined no run: \(core.machine)") }
            core.waiters.append(Waiter(id: id, run: joined, continuation: continuation))
            guard let run = core.run, let task = run.task, priority > run.priority else { return (work, nil) }
            run.priority = priority
            return (work, task)
        }
        guard let joined else {
            continuation.resume(throwing: CancellationError())
            return
        }
        perform(joined.work, using: override)
        // A task is raised by one of higher priority that awaits it; this one ends with the run.
        if let slower = joined.slower { Task(priority: priority) { await slower.value } }
    }

    private func leave(_ id: UInt64) {
        let left = core.withLock { core -> (Waiter<Value>, StoreWork<State>)? in
            guard let index = core.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = core.waiters.remove(at: index)
            let abandonment = core.context.abandonment
            return (waiter, core.process { $0.leave(waiter.run, abandonment, &$1) })
        }
        guard let (waiter, work) = left else { return }
        waiter.continuation.resume(throwing: CancellationError())
        perform(work)
    }

    /// A run for this caller alone, in its own task: see `deduplicated(_:)`.
    private func runPrivately(_ override: QueryContext?) async throws -> Value {
        let (begun, request, settings) = core.withLock { core in
            (core.process { $0.beginPrivate(&$1) }, core.request, core.context)
        }
        guard let number = begun.joined else { preconditionFailure("A private run has no number") }
        host.update(ticket, nil, work: 1)
        perform(begun)
        let run = StartedRun<State>(
            start: RunStart(number: number, cause: .manual, origin: .caller),
            request: request,
            context: override ?? settings
        )
        let result = await RunScope.$current.withValue(RunScope(store: self)) {
            await Attempts(run: run, continuation: QueryContinuation { _ in }, store: self).result()
        }
        let outcome = RunOutcome(result)
        let input: StoreInput<Value> = if case .cancelled = outcome { StoreInput() } else { StoreInput(result: result) }
        let time = QueryTimestamp(now: self.context.clock)
        perform(core.withLock { core in core.process(input) { $0.endPrivate(number, outcome, at: time, &$1) } })
        return try result.get()
    }
}
