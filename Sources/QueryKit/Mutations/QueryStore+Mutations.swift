public import Foundation

extension QueryStore {
    /// Calls the mutation: its layers show at once, and the value comes when it has come true.
    ///
    /// Calls are independent of each other, but for those that share a ``MutationRequest/scope``. When the caller is cancelled, so is the call:
    /// it leaves its line or its attempt, its layers go, and the journal forgets it. The caller returns at once and does not wait for that; a journal
    /// that is just writing the call down finishes first.
    public func mutate<Arguments: Sendable, Result: Sendable>(
        with arguments: Arguments,
        using context: QueryContext? = nil
    ) async throws -> Result where State == MutationState<Arguments, Result> {
        let call = try MutationCall(self, arguments, using: context)
        let task = call.start()
        return try await withTaskCancellationHandler {
            try await call.outcome.get()
        } onCancel: {
            call.giveUp(task)
        }
    }

    /// Calls the mutation and goes on: for a button that need not wait. How it went can be seen in the state.
    ///
    /// When this returns, the layers show. The call goes on whatever becomes of its caller; see ``cancelMutation(_:)``.
    ///
    /// - Returns: The id of the call in the ``MutationState/history``.
    @discardableResult
    public func submit<Arguments: Sendable, Result: Sendable>(
        _ arguments: Arguments,
        using context: QueryContext? = nil
    ) throws -> UUID where State == MutationState<Arguments, Result> {
        let call = try MutationCall(self, arguments, using: context)
        // The client's lines own the task and cancel it.
        call.start()
        return call.id
    }

    /// Cancels one call and removes it from the journal. Does nothing when the call is over.
    public func cancelMutation<Arguments, Result>(_ id: MutationRun<Arguments, Result>.ID)
    where State == MutationState<Arguments, Result> {
        context.mutationHost?.lines.withdraw(id)
    }

    /// Changes the history and publishes it, if the closure says that it did.
    ///
    /// - Parameter context: A context in whose session this has to happen; once that has ended, nothing happens and the result is `false`.
    @discardableResult
    func note<Arguments, Result>(
        in context: QueryContext? = nil,
        _ update: @Sendable (inout [MutationRun<Arguments, Result>]) -> Bool
    ) -> Bool where State == MutationState<Arguments, Result> {
        core.change { contents, input in
            if context?.belongsToEndedSession(besides: contents.base.context) == true { return false }
            contents.process(input) { _, record in
                var runs = (record.notes as? MutationHistory<Arguments, Result>)?.runs ?? []
                if update(&runs) { record.notes = MutationHistory(runs) }
                return RunMachine.Effects()
            }
            return true
        }
    }
}
