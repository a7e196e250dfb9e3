/// The runs that an invalidation or a refetch causes. Call ``finished()`` to wait for them.
///
/// ```swift
/// let failures = await client.refetch("trips/**").finished()
/// ```
///
/// You don't have to wait: the runs continue in any case.
public struct QueryRefetches: Sendable {
    /// A run that failed or waits for the network.
    public struct Failure: Sendable {
        /// The path of the request.
        public let path: QueryPath

        /// The error of the run. If the run waits for the network, a ``QueryError`` with the code `networkUnavailable`.
        public let error: any Error
    }

    private let list = RefetchList()

    /// Calls `begin`, which adds runs to the list. `begin` may keep the list, add more runs later, and then complete it.
    init(completedLater begin: (RefetchList) -> Void) { begin(list) }

    /// Calls `begin`, which adds all runs to the list.
    init(of begin: (RefetchList) -> Void) {
        begin(list)
        list.complete()
    }

    /// Waits until each run that the invalidation or refetch has caused or joined has a result, waits for the network, or was cancelled.
    ///
    /// When it returns, observers have been notified of the results. If a request was running when you invalidated it, `finished()` waits
    /// for the run that follows. The first value of a stream counts as its result.
    ///
    /// If the waiting task is cancelled, `finished()` returns at once and the runs continue. Inside a fetch, `finished()` doesn't wait for
    /// the fetch's own run, or for runs that wait for that run, because they can't end before the fetch does.
    ///
    /// - Returns: The runs that failed or wait for the network. A cancelled run doesn't count as a failure.
    @discardableResult
    public func finished() async -> [Failure] {
        await list.completed()
        var failures: [Failure] = []
        for watch in list.watches {
            if let failure = await RunScope.finish(of: watch) { failures.append(failure) }
        }
        return failures
    }
}

/// The runs caused by one call of `invalidate` or `refetch`. A task of the client may add some after the call has returned.
final class RefetchList: Sendable {
    private struct State {
        var watches: [RefetchWatch] = []
        var isComplete = false
        var waiting: [Promise<Void>] = []
    }

    private let state = Lock(State())

    var watches: [RefetchWatch] { state.withLock { $0.watches } }

    func add(_ watch: RefetchWatch) { state.withLock { $0.watches.append(watch) } }

    /// Call this when all stores have processed the change.
    func complete() {
        let waiting = state.withLock { state in
            state.isComplete = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.resolve(.success(())) }
    }

    /// Returns when all stores have processed the change, or when the waiting task is cancelled.
    fileprivate func completed() async {
        let promise = state.withLock { state -> Promise<Void>? in
            if state.isComplete { return nil }
            let promise = Promise<Void>()
            state.waiting.append(promise)
            return promise
        }
        try? await promise?.get()
    }
}

/// One run of one store, watched until it ends or waits for the network. A watch doesn't keep its run alive.
final class RefetchWatch: Sendable {
    enum Run: Equatable {
        case number(Int32)
        /// The first run after this one, which is under way.
        case following(Int32)
    }

    enum Outcome {
        /// The run succeeded or was cancelled.
        case done
        case failed(any Error)
        case waitsForNetwork
    }

    private struct State {
        /// `nil` while the run is under way.
        var outcome: Outcome?
        var waiting: [(promise: Promise<Void>, wait: RunWait?)] = []
    }

    let store: StoreCore
    let run: Run
    private let state = Lock(State())

    init(_ store: StoreCore, _ run: Run) {
        self.store = store
        self.run = run
    }

    /// Waits for the run and returns its failure; `nil` if there is none, or if the run or the waiting task was cancelled.
    fileprivate func failure(countedBy wait: RunWait?) async -> QueryRefetches.Failure? {
        let promise = state.withLock { state -> Promise<Void>? in
            if state.outcome != nil { return nil }
            let promise = Promise<Void>()
            state.waiting.append((promise, wait))
            return promise
        }
        if let promise {
            wait?.begin()
            try? await promise.get()
        }
        switch state.withLock({ $0.outcome }) {
        case .failed(let error): return QueryRefetches.Failure(path: store.path, error: error)
        case .waitsForNetwork:
            let path = store.path
            return QueryRefetches.Failure(path: path, error: QueryError(.networkUnavailable, path: path))
        case .done, nil: return nil
        }
    }

    /// Notes the outcome of the run. Called with the store's lock held; call ``resume()`` after releasing the lock, to resume callers.
    func end(_ outcome: Outcome) {
        let waits = state.withLock { state in
            state.outcome = outcome
            return state.waiting.compactMap(\.wait)
        }
        // If a waiting caller is a run, it must count as working again before this store's run stops counting.
        for wait in waits { wait.resume() }
    }

    func resume() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.promise.resolve(.success(())) }
    }
}

/// A watched run and its outcome. Kept until the handlers have been called.
struct WatchedRun {
    let watch: RefetchWatch
    var outcome: RefetchWatch.Outcome?
}

extension RunScope {
    /// Waits for a watched run. Returns `nil` at once if that run itself waits for the present run.
    fileprivate static func finish(of watch: RefetchWatch) async -> QueryRefetches.Failure? {
        guard let waiting = current?.store, let wait = current?.makeWait(awaitingRun: true) else {
            return await watch.failure(countedBy: nil)
        }
        defer { wait.end() }
        guard WaitGraph.enter(waiting, waitsFor: watch.store) == nil else { return nil }
        defer { WaitGraph.leave(waiting, waitsFor: watch.store) }
        waiting.host.runGate?.noteWait(of: waiting, for: watch.store)
        return await watch.failure(countedBy: wait)
    }
}

extension StoreContents {
    /// Watches the run that will satisfy the invalidation or refetch that was just processed, if there is one.
    mutating func watchRun(of store: StoreCore, for list: RefetchList) {
        guard let run = machine.run else { return }
        let isTooLate = run.isOutdated || run.isSuperseded || machine.purpose.aim != .everything
        if isTooLate, machine.trailing == nil, run.nextWaiters == 0 { return }
        let watch = RefetchWatch(store, isTooLate ? .following(run.number) : .number(run.number))
        list.add(watch)
        refetches.append(WatchedRun(watch: watch))
    }

    /// Notes the result of a run that has ended and may be watched.
    mutating func noteRefetch(_ number: Int32, _ result: Result<AnyValue, any Error>?) {
        for index in refetches.indices where refetches[index].outcome == nil {
            switch refetches[index].watch.run {
            case .number(number): break
            // The result of that run was refused, so the next run counts.
            case .number(let before) where before == rare?.discardedRun && number > before: break
            case .following(let before) where number > before: break
            case .number, .following: continue
            }
            if case .failure(let error) = result { refetches[index].outcome = .failed(error) } else { refetches[index].outcome = .done }
        }
    }

    /// Ends the watches whose runs are over or wait for the network, once the handlers have been notified.
    mutating func endRefetches() {
        guard !outbox.isBusy else { return }
        var ended: [RefetchWatch] = []
        let run = machine.run
        refetches.removeAll { watched in
            let outcome: RefetchWatch.Outcome? =
                if let outcome = watched.outcome { outcome } else if let run {
                    run.isPaused ? .waitsForNetwork : run.isLive && watched.watch.run == .number(run.number) ? .done : nil
                } else { .done }
            guard let outcome else { return false }
            watched.watch.end(outcome)
            ended.append(watched.watch)
            return true
        }
        if refetches.isEmpty { refetches = [] }
        if !ended.isEmpty { add(.endRefetches(ended)) }
    }
}
