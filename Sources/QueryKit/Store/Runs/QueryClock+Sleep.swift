extension QueryClock {
    /// Suspends until the clock reads `deadline`; throws `CancellationError` as soon as the task is cancelled.
    ///
    /// A fetch or a mutation that sleeps on a ``ManualClock``, or on a clock of your own, doesn't count as working: ``QueryClient/settled()``
    /// returns, and after you have moved the clock it waits for the fetch again. On a ``SystemClock`` time passes by itself, so `settled()`
    /// waits for the fetch.
    public func sleep(until deadline: QueryInstant) async throws {
        let rest = self is SystemClock ? nil : RunScope.current?.rest()
        let promise = Promise<Void>()
        let alarm = schedule(at: deadline) {
            rest?.end()
            promise.resolve(.success(()))
        }
        defer {
            rest?.end()
            alarm.cancel()
        }
        // Only now, with the alarm set: whoever waits for `settled()` may move a manual clock the moment it returns.
        if !Task.isCancelled { rest?.begin() }
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            rest?.end()
        }
    }

    /// Suspends for a duration of this clock; throws `CancellationError` as soon as the task is cancelled. See ``sleep(until:)``.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration))
    }
}
