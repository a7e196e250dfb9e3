extension QueryClock {
    /// Suspends until the clock reads `deadline`; throws `CancellationError` as soon as the task is cancelled.
    ///
    /// A fetch or a mutation that sleeps on a ``ManualClock``, or on a custom clock, doesn't count as working: ``QueryClient/settled()``
    /// doesn't wait for it until you have advanced the clock. On a ``SystemClock`` time passes without your help, so `settled()` waits for
    /// a sleeping fetch, too.
    public func sleep(until deadline: QueryInstant) async throws {
        // Otherwise the alarm of a task that is cancelled already could fire before the task hears of it, and it would go on.
        try Task.checkCancellation()
        let wait = self is SystemClock ? nil : RunScope.current?.makeWait()
        let promise = Promise<Void>()
        let alarm = schedule(at: deadline) {
            wait?.end()
            promise.resolve(.success(()))
        }
        defer {
            wait?.end()
            alarm.cancel()
        }
        // Begin the wait only after the alarm is set: a test that awaits `settled()` may advance a manual clock as soon as that returns.
        if !Task.isCancelled { wait?.begin() }
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            wait?.end()
        }
    }

    /// Suspends for a duration on this clock; throws `CancellationError` as soon as the task is cancelled. See ``sleep(until:)``.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: now.advanced(by: duration))
    }
}
