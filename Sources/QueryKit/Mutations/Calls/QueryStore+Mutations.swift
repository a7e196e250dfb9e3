import Foundation

extension QueryStore {
    /// Calls the mutation and waits for its result. Its layers show immediately.
    ///
    /// Calls are independent of each other, unless they share a ``MutationRequest/scope``. If the calling task is cancelled, so is the
    /// call: it stops waiting or running, and its layers and its journal entry are removed. The method throws immediately and does not wait
    /// until this is done. If the journal is writing the call at that moment, the entry is removed after the write.
    public func mutate<Arguments: Sendable, Result: Sendable>(
        with arguments: Arguments,
        using context: QueryContext? = nil
    ) async throws -> Result where State == MutationState<Arguments, Result> {
        try await mutate(with: arguments, using: context) {}
    }

    /// Like ``mutate(with:using:)``. `begun` is called when the layers show, before the first suspension.
    nonisolated(nonsending) func mutate<Arguments: Sendable, Result: Sendable>(
        with arguments: Arguments,
        using context: QueryContext? = nil,
        _ begun: () -> Void
    ) async throws -> Result where State == MutationState<Arguments, Result> {
        let call = try Call.make(core, settings, boxing: arguments, using: context)
        begun()
        return try await call.outcome.get { call.giveUp() }.unboxed(as: Result.self)
    }

    /// Calls the mutation without waiting for it, for example for a button. The state and the returned call show its progress.
    ///
    /// When this method returns, the optimistic changes of the mutation are visible. The call continues even if you release the returned
    /// value; see ``MutationCall``. Each closure is called at most once, and may suspend. A closure that is marked with `@MainActor` is
    /// called on the main actor.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the call.
    ///   - context: The context of this call. Default: the context of the request.
    ///   - onSuccess: Called with the result.
    ///   - onFailure: Called with the error, unless the call was cancelled.
    ///   - onEnd: Called last in all cases: with a `CancellationError` if the call was cancelled.
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

extension QueryStore {
    /// Hides the error of the mutation, for example when the user closes an alert.
    ///
    /// Afterwards, the state is as if the failed calls had been cancelled: ``QueryStateProtocol/error`` is `nil`, and
    /// ``MutationState/status`` is the status from before these calls. Calls that are still running continue, and the next failure is shown
    /// again. The ``MutationState/history`` keeps the failed calls, so ``retryLatest()`` can still repeat the latest one.
    public func dismissError<Arguments: Sendable, Result: Sendable>() where State == MutationState<Arguments, Result> {
        core.dismissError()
    }
}

extension StoreCore {
    fileprivate func dismissError() {
        change { contents, input in
            contents.process(input) { _, record in
                record.dismissError()
                return RunMachine.Effects()
            }
            return ()
        }
    }

    /// Changes the log of a mutation's calls, and publishes it if the closure returns another log.
    ///
    /// - Parameter context: A context whose session must not have ended. If it has, nothing happens and the result is `false`.
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
