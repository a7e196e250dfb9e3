public import QueryKit

extension QueryClient {
    /// Runs checks while a gate holds a fetch, so that you can test what your app shows while it is loading.
    ///
    /// ```swift
    /// model.appear()
    /// await client.loading(at: gate) {
    ///     #expect(model.showsSpinner)
    /// }
    /// #expect(model.notes == ["Milk"])
    /// ```
    ///
    /// Start the fetch before you call it. The call waits until the gate holds a fetch and everything else is done, including the delivery
    /// to view models on the main actor. It runs `body`, lets the held fetches continue, even if `body` throws, and returns after their
    /// results were delivered.
    ///
    /// The gate must be closed: an open gate holds no fetch, so the call would never return. The gate of a ``FakeFunction`` is open unless
    /// you create the function with `isHeld: true`.
    ///
    /// - Parameters:
    ///   - gate: The gate at which the fake repository waits.
    ///   - body: The checks.
    /// - Returns: The result of `body`.
    public nonisolated(nonsending) func loading<Result>(
        at gate: Gate,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        await gate.holds()
        await settled()
        let result: Result
        do {
            result = try await body()
        } catch {
            gate.letThrough()
            await settled()
            throw error
        }
        gate.letThrough()
        await settled()
        return result
    }
}
