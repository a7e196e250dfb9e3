/// Makes the attempts of one run, one after the other: with validation, timeout, retries, and authorization.
struct AttemptLoop: Sendable {
    let run: StoreRun

    private var store: StoreCore { run.store }
    private var context: QueryContext { run.context }

    /// Carries out the run and returns its result; `nil` if it was cancelled.
    ///
    /// Most runs have one attempt, which waits for nothing before it fetches. That case has its own function, because variables that an
    /// asynchronous function keeps across its awaits cost memory and time, and the general case keeps many.
    func result() async -> RunResult {
        guard run.cacheSettings == nil, store.host.runGate == nil, !mustWaitForNetwork(History()) else { return await result(after: nil) }
        let attempt = Attempt(run, isFirst: true)
        do {
            try validate()
            try run.checkCancellation()
            run.noteVariant()
        } catch {
            attempt.end()
            return ending(with: error)
        }
        do {
            let value = try await attempt.value(of: run.request)
            attempt.end()
            return .success(value)
        } catch {
            attempt.end()
            return await result(after: error)
        }
    }

    /// The general case, from the beginning or after a failed first attempt.
    private func result(after failure: (any Error)?) async -> RunResult {
        var history = History()
        var attempt = Attempt(run, isFirst: true)
        var failure = failure
        if failure != nil { history.isFirst = false }
        while true {
            do {
                if let failure { throw failure }
                if history.isFirst {
                    try validate()
                    run.noteVariant()
                    if let settings = run.cacheSettings, let restored = await restored(with: settings) { return .success(restored) }
                }
                try run.checkCancellation()
                if mustWaitForNetwork(history) { try await waitForNetwork(history) }
                if let gate = store.host.runGate { attempt.hold(try await waitForPlace(at: gate, history)) }
                if let owner = run.owner { try await owner.checkLease() }
                history.isFirst = false
                run.noteVariant()
                let value = try await attempt.value(of: run.request)
                attempt.end()
                return .success(value)
            } catch {
                failure = nil
                attempt.end()
                do {
                    try await prepareAnother(after: error, of: attempt, &history)
                } catch {
                    return ending(with: error)
                }
                attempt = Attempt(run, isFirst: false)
            }
        }
    }

    /// The result of a run whose last attempt threw an error. A cancelled fetch may throw an error other than `CancellationError`.
    private func ending(with error: any Error) -> RunResult {
        error is CancellationError || run.isCancelled ? nil : .failure(error)
    }

    // MARK: Between two attempts

    /// What the attempts of a run have done so far.
    private struct History {
        var isFirst = true
        var retries = 0
        var hasAskedForPermission = false
        var hasAskedForRepair = false
    }

    /// Waits for the delay, the repair or the authorization before another attempt, if there is one. Throws an error if no attempt follows.
    private func prepareAnother(after thrown: any Error, of attempt: Attempt, _ history: inout History) async throws {
        // An error from before the first attempt, such as an error of the validation, is final.
        if history.isFirst { throw thrown }
        let interruption = thrown as? StreamInterruption
        let error = interruption?.error ?? thrown
        if error is CancellationError || run.isCancelled { throw CancellationError() }
        // By default, runs that the library starts are retried three times. An interrupted stream is reopened until the run is cancelled.
        let retry = context.retry
        let limit = retry.limit ?? (interruption != nil ? .max : run.start.origin == .library ? 3 : 0)
        if attempt.isLive { history.retries = 0 }
        switch context.recovery.step(after: error) {
        case .fail:
            throw error
        case .retry where store.host.isOffline && context.networkMode == .offlineFirst && Self.dependsOnNetwork(error):
            // Without a network, this failure too may be due to the missing network, so the next attempt doesn't count as a retry.
            guard retry.condition(error) else { throw error }
            store.noteFailure(run, error)
        case .waitForNetwork where store.host.isOffline && context.networkMode != .always:
            guard retry.condition(error) else { throw error }
            store.noteFailure(run, error)
        case .retry, .waitForNetwork:
            // If there is a network, or the network mode doesn't need one, this is an ordinary retry.
            guard history.retries < limit, retry.condition(error) else { throw error }
            history.retries += 1
            try await backOff(after: error, failures: history.retries)
        case .repair:
            guard !history.hasAskedForRepair, let repair = context.repair else { throw error }
            history.hasAskedForRepair = true
            guard await repair(error, context) else { throw error }
            store.noteFailure(run, error)
        case .authorize:
            guard !history.hasAskedForPermission, let authorization = context.authorization else { throw error }
            history.hasAskedForPermission = true
            guard await authorization(error, context) else { throw error }
            store.noteFailure(run, error)
        }
    }

    /// Whether an error may be due to the network. For a ``QueryError``, its underlying error decides.
    private static func dependsOnNetwork(_ error: any Error) -> Bool {
        if let error = error as? any QueryErrorConvertible { return error.dependsOnNetwork }
        return ((error as? QueryError)?.underlying as? any QueryErrorConvertible)?.dependsOnNetwork ?? true
    }

    /// Waits before the next attempt.
    private func backOff(after error: any Error, failures: Int) async throws {
        store.noteFailure(run, error)
        let delay = context.retry.backoff.delay(afterFailures: failures)
        if delay > .zero { try await store.wait(run, until: context.clock.now.advanced(by: delay), on: context.clock) }
    }

    // MARK: Before an attempt

    private func validate() throws {
        try run.request.validate(in: context)
        if run.settings.isPersisted { _ = try run.request.nameOnDisk(at: store.path, in: context) }
    }

    /// Restores a value from a cache. Returns it if it is fresh enough to be the result.
    private func restored(with settings: RequestSettings) async -> AnyValue? {
        guard let restore = settings.context.settings.persistence?.restore,
            let stored = await restore(settings.request, settings.context)
        else { return nil }
        return store.restore(stored, for: run) ? stored.value : nil
    }

    private func mustWaitForNetwork(_ history: History) -> Bool {
        run.start.isPaused && history.isFirst
            || store.host.isOffline && context.networkMode.needsNetwork(isFirst: history.isFirst)
    }

    private func waitForNetwork(_ history: History) async throws {
        // A run that was paused at its start waits even if the network is back by now, because mutations may have to go first.
        var mustWait = run.start.isPaused && history.isFirst
        // A context of this call may not need the network.
        if mustWait, context.networkMode != .online {
            mustWait = false
            store.show(run.start, isPaused: false)
        }
        while mustWait || store.host.isOffline && context.networkMode.needsNetwork(isFirst: history.isFirst) {
            mustWait = false
            let pass = try await store.pause(run)
            run.owner?.hold(pass)
        }
        try run.checkCancellation()
    }

    /// Waits for a place among the runs that may work at the same time. While the run waits for the network again, it has no place.
    private func waitForPlace(at gate: any RunGate, _ history: History) async throws -> QuerySubscription? {
        while let place = try await gate.enter(run, of: store) {
            guard store.host.isOffline, context.networkMode.needsNetwork(isFirst: history.isFirst) else {
                // The run was cancelled while it waited for the place.
                if run.isCancelled { place.cancel() }
                try run.checkCancellation()
                return place
            }
            place.cancel()
            try await waitForNetwork(history)
        }
        try run.checkCancellation()
        return nil
    }
}
