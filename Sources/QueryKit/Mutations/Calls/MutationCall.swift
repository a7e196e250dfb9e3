public import Foundation

/// One call of a mutation. Use it to wait for the call, cancel it, or repeat it.
///
/// ```swift
/// let call = try client.submit(LogFood(), with: food)
/// let entry = try await call.value
/// ```
///
/// The call continues even if you release this value. Its state, such as the number of attempts, is in ``run``.
public struct MutationCall<Arguments: Sendable, Value: Sendable>: Identifiable, Sendable {
    /// Identifies the call, also across launches: the `mutationID` of the call's context.
    public var id: UUID { call.id }

    /// The arguments of the call.
    public var arguments: Arguments { call.arguments.unboxed(as: Arguments.self) }

    private let call: Call
    private let store: QueryStore<MutationState<Arguments, Value>>

    init(_ call: Call, of store: QueryStore<MutationState<Arguments, Value>>) { (self.call, self.store) = (call, store) }

    /// The result of the call.
    ///
    /// Throws the error of the call, or a `CancellationError` if the call was cancelled. If the waiting task is cancelled, only the wait
    /// ends.
    public var value: Value {
        get async throws { try await call.outcome.get().unboxed(as: Value.self) }
    }

    /// The call as its store shows it; `nil` when it is no longer in the ``MutationState/history``.
    public var run: MutationRun<Arguments, Value>? { store.state.history.last { $0.id == id } }

    /// Cancels the call and removes it from the journal, even if it ended because its store was removed or its session ended. No effect
    /// after a success.
    public func cancel() {
        if case .success = call.outcome.result { return }
        store.cancelMutation(id)
    }

    /// Repeats a call that has failed or was cancelled.
    ///
    /// The call keeps its ``id``, so that a server can recognize it. It gets a new id if the server has rejected it, that is, if
    /// ``QueryRecovery`` chooses `.fail` or `.authorize`: the server might otherwise repeat the rejection that it stored for the old id.
    ///
    /// Throws ``QueryError/Code/sessionEnded`` if the session of the call has ended, because another user must not repeat it.
    ///
    /// - Returns: The new call; or the latest repetition, if the call was already repeated and that repetition is pending or has succeeded.
    @discardableResult
    public func retry() throws -> MutationCall {
        var latest = call
        while let successor = latest.outcome.successor { latest = successor }
        guard case .failure(let error) = latest.outcome.result else { return MutationCall(latest, of: store) }
        let isRefused = latest.context.isRefusal(error)
        let retry = latest.outcome.retry()
        if let successor = retry.call { return MutationCall(successor, of: store) }
        let origin: Call.Origin = isRefused ? .new(retry.id) : .repeated(latest.id)
        let successor = try Call.make(latest.mutation, store.core, store.settings, with: latest.arguments, using: latest.context, origin)
        if isRefused { store.core.noteReplacement(of: latest.id) }
        retry.set(successor)
        return MutationCall(successor, of: store)
    }
}

extension QueryStore {
    /// Repeats the latest ended call of the history, if that call failed or was cancelled; see ``MutationCall/retry()``.
    ///
    /// - Returns: The new call; `nil` if the latest call has succeeded or was already repeated, or if there is none.
    @discardableResult
    public func retryLatest<Arguments: Sendable, Result: Sendable>() throws -> MutationCall<Arguments, Result>?
    where State == MutationState<Arguments, Result> {
        guard let latest = state.history.last(where: { !$0.isPending && !$0.isReplaced }) else { return nil }
        let error: any Error
        switch latest.status {
        case .failed(let failure): error = failure
        case .cancelled: error = CancellationError()
        case .waiting, .running, .paused, .succeeded: return nil
        }
        let isRefused = context.isRefusal(error)
        // If two callers repeat it at the same time, only one of them succeeds.
        if isRefused, !core.noteReplacement(of: latest.id) { return nil }
        do {
            let origin: Call.Origin = isRefused ? .new(UUID()) : .repeated(latest.id)
            let call = try Call.make(settings.request.mutation, core, settings, with: AnyValue(latest.arguments), origin)
            return MutationCall(call, of: self)
        } catch {
            if isRefused { core.noteReplacement(of: latest.id, isReplaced: false) }
            throw error
        }
    }
}

extension QueryContext {
    /// Whether an error means that the server has refused the call. Then it is repeated under another id.
    func isRefusal(_ error: any Error) -> Bool {
        !(error is CancellationError) && [.fail, .authorize].contains(recovery.step(after: error))
    }
}

extension StoreCore {
    /// Notes whether another call is made instead of the call with this id. Returns `false` if that was already noted.
    @discardableResult
    fileprivate func noteReplacement(of id: UUID, isReplaced: Bool = true) -> Bool {
        let isNew = SharedFlag()
        noteCalls { log in
            log.changing(id) { call in
                if call.isReplaced != isReplaced { isNew.raise() }
                call.isReplaced = isReplaced
            }?.log
        }
        return isNew.isRaised
    }
}
