import Foundation

extension QueryStore {
    /// Calls the mutation and waits for its value. Its layers show at once.
    ///
    /// Calls are independent of each other, but for those that share a ``MutationRequest/scope``. When the caller is cancelled, so is the call:
    /// it leaves its line or its attempt, its layers go, and the journal forgets it. The caller returns at once and does not wait for that; a journal
    /// that is just writing the call down finishes first.
    public func mutate<Arguments: Sendable, Result: Sendable>(
        with arguments: Arguments,
        using context: QueryContext? = nil
    ) async throws -> Result where State == MutationState<Arguments, Result> {
        try await mutate(with: arguments, using: context) {}
    }

    /// The same. `begun` is called when the layers show, before anything is awaited.
    nonisolated(nonsending) func mutate<Arguments: Sendable, Result: Sendable>(
        with arguments: Arguments,
        using context: QueryContext? = nil,
        _ begun: () -> Void
    ) async throws -> Result where State == MutationState<Arguments, Result> {
        let call = try Call.make(core, settings, boxing: arguments, using: context)
        begun()
        return try await call.outcome.get { call.giveUp() }.unboxed(as: Result.self)
    }

    /// Calls the mutation and goes on: for a button that need not wait. How it went can be seen in the state, and in the call.
    ///
    /// When this returns, the layers show. The call goes on whether you keep it or not; see ``MutationCall``. The closures are called once and may
    /// wait; one that is marked with `@MainActor` is called there.
    ///
    /// - Parameters:
    ///   - arguments: What the mutation is called with.
    ///   - context: The context of this call. Default: that of the request.
    ///   - onSuccess: Called with the value.
    ///   - onFailure: Called with the error. A call that was cancelled has none.
    ///   - onEnd: Called last, whatever came of the call: with a `CancellationError` if it was cancelled.
    @discardableResult
    public func submit<Arguments: Sendable, Result: Sendable>(
        _ arguments: Arguments,
        using context: QueryContext? = nil,
        onSuccess: (@Sendable (Result) async -> Void)? = nil,
        onFailure: (@Sendable (any Error) async -> Void)? = nil,
        onEnd: (@Sendable (Swift.Result<Result, any Error>) async -> Void)? = nil
    ) throws -> MutationCall<Arguments, Result> where State == MutationState<Arguments, Result> {
        let handlers = CallHandlers(onSuccess: onSuccess, onFailure: onFailure, onEnd: onEnd)
        return MutationCall(try Call.make(core, settings, boxing: arguments, using: context, handlers: handlers), of: self)
    }
}

extension StoreCore {
    /// Changes the log of a mutation's calls and publishes it, if the closure returns another one.
    ///
    /// - Parameter context: A context in whose session this has to happen; once that has ended, nothing happens and the result is `false`.
    @discardableResult
    func noteCalls(in context: QueryContext? = nil, _ update: @Sendable (CallLog) -> CallLog?) -> Bool {
        change { contents, input in
            if context?.belongsToEndedSession(besides: contents.base.context) == true { return false }
            contents.process(input) { _, record in
                if let log = update(record.notes as? CallLog ?? .empty) { record.notes = log }
                return RunMachine.Effects()
            }
            return true
        }
    }
}
