public import QueryKit

extension QueryClient {
    /// Runs checks while a gate holds a fetch, so that you can test what your app shows while it is loading.
    ///
    /// ```swift
    /// model.appear()
    /// try await client.loading(at: gate) {
    ///     #expect(model.showsSpinner)
    /// }
    /// #expect(model.notes == ["Milk"])
    /// ```
    ///
    /// Start the fetch before you call this method. It waits until the gate holds a fetch and everything else is done, including the
    /// delivery to view models on the main actor. Then it runs `body`, and lets the held fetches continue even if `body` throws. It returns
    /// after the results of these fetches were delivered.
    ///
    /// The gate must be closed, because an open gate holds no fetch. The gate of a ``FakeFunction`` is open unless you create the function
    /// with `isHeld: true`.
    ///
    /// Throws the error of `body`; a ``NothingHeldError`` if the gate is open, or if no fetch has arrived in time; and a
    /// `QueryUnsettledError` if other work takes too long.
    ///
    /// - Parameters:
    ///   - gate: The gate at which the fake repository waits.
    ///   - timeout: The maximum real time to wait for the fetch, and then for other work. Default: 30 seconds, enough for a busy machine.
    ///   - body: The checks.
    /// - Returns: The result of `body`.
    public nonisolated(nonsending) func loading<Result>(
        at gate: Gate,
        timeout: Duration = .seconds(30),
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await gate.holds(within: timeout)
        try await settled(timeout: timeout)
        let result: Result
        do {
            result = try await body()
        } catch {
            gate.letThrough()
            // The error of the checks is thrown, so an error of this call is ignored.
            try? await settled(timeout: timeout)
            throw error
        }
        gate.letThrough()
        try await settled(timeout: timeout)
        return result
    }
}

/// The error of `loading(at:)` if the gate holds no fetch.
public struct NothingHeldError: Error, CustomStringConvertible {
    /// Whether the gate was open. An open gate holds no fetch.
    public let isOpen: Bool

    /// How many fetches had arrived at the gate since it was created. It holds none of them any more.
    public let arrivals: Int

    /// How long the call waited, unless the gate was open.
    public let timeout: Duration

    public var description: String {
        if isOpen {
            return """
                The gate is open, so it holds no fetch. Close it before the fetch begins: call close(), or create the FakeFunction with \
                isHeld: true.
                """
        }
        return """
            The gate held no fetch within \(timeout). Fetches that had arrived and left before: \(arrivals). Start the fetch before you \
            call loading(at:). Check that the fake waits at this gate, that the request is enabled, and that its value isn't fresh.
            """
    }
}

extension Gate {
    /// Waits until the gate holds a fetch, at most for `timeout` of real time.
    fileprivate func holds(within timeout: Duration) async throws {
        if isOpen, heldCount == 0 { throw NothingHeldError(isOpen: true, arrivals: arrivals, timeout: timeout) }
        let waiting = Task {
            await holds()
            return !Task.isCancelled
        }
        let clock = SystemClock()
        let alarm = clock.schedule(at: clock.now.advanced(by: timeout)) { waiting.cancel() }
        defer { alarm.cancel() }
        let isHeld = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        // On a busy machine, the fetch may have arrived in time although the alarm rang before this task continued.
        if isHeld || heldCount > 0 { return }
        try Task.checkCancellation()
        throw NothingHeldError(isOpen: false, arrivals: arrivals, timeout: timeout)
    }
}
