public import QueryKit

extension QueryClient {
    /// Runs some checks while a gate holds a fetch, so that you can test what your app shows in the meantime.
    ///
    /// ```swift
    /// model.appear()
    /// await client.loading(at: gate) {
    ///     #expect(model.showsSpinner)
    /// }
    /// #expect(model.notes == ["Milk"])
    /// ```
    ///
    /// Start what fetches before you call it. The call waits until the gate holds a fetch and everything else is done, including the delivery to
    /// view models on the main actor. It runs `body`, lets the held fetches continue, also if `body` throws, and returns after their results were delivered.
    ///
    /// - Parameters:
    ///   - gate: What the fake repository waits at.
    ///   - body: What to do in the meantime.
    /// - Returns: What `body` returns.
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
