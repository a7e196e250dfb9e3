public import Foundation

/// One call of a mutation: wait for it, cancel it, or make it again.
///
/// ```swift
/// let call = try client.submit(LogFood(), with: food)
/// let entry = try await call.value
/// ```
///
/// A call goes on whether you keep this value or not. Its state, such as the number of its attempts, is in ``run``.
public struct MutationCall<Arguments: Sendable, Value: Sendable>: Identifiable, Sendable {
    /// Tells calls apart, also across launches: the `mutationID` of the call's context.
    public var id: UUID { call.id }

    /// What the call is about.
    public var arguments: Arguments { call.arguments.unboxed(as: Arguments.self) }

    private let call: Call
    private let store: QueryStore<MutationState<Arguments, Value>>

    init(_ call: Call, of store: QueryStore<MutationState<Arguments, Value>>) { (self.call, self.store) = (call, store) }

    /// What the call returns.
    ///
    /// Throws the error of the call, or `CancellationError` if the call was cancelled. If the waiting task is cancelled, only the wait ends.
    public var value: Value {
        get async throws { try await call.outcome.get().unboxed(as: Value.self) }
    }

    /// How far the call has come, as its store shows it; `nil` when it is no longer in the ``MutationState/history``.
    public var run: MutationRun<Arguments, Value>? { store.state.history.last { $0.id == id } }

    /// Cancels the call and removes it from the journal, also if it has ended there with its store or session. Does nothing after a success.
    public func cancel() {
        if case .success = call.outcome.result { return }
        store.cancelMutation(id)
    }

    /// Makes the call again, after it has failed or was cancelled.
    ///
    /// The call keeps its ``id``, so that a server can tell that it may have seen it. It gets a new one if the server has refused it, which is
    /// what ``QueryRecovery`` says with `.fail` or `.authorize`: a server may answer a repetition with the refusal that it remembers.
    ///
    /// Throws ``QueryError/Code/sessionEnded`` if the session of the call has ended: another user must not make it.
    ///
    /// - Returns: The new call. If the latest call that was made in this way is on its way or has succeeded, that one.
    @discardableResult
    public func retry() throws -> MutationCall {
        var latest = call
        while let successor = latest.outcome.successor { latest = successor }
        guard case .failure(let error) = latest.outcome.result else { return MutationCall(latest, of: store) }
        let isRefused = latest.context.isRefusal(error)
        let succession = latest.outcome.succession()
        if let successor = succession.call { return MutationCall(successor, of: store) }
        let origin: Call.Origin = isRefused ? .new(succession.id) : .repeated(latest.id)
        let successor = try Call.make(latest.mutation, store.core, store.settings, with: latest.arguments, using: latest.context, origin)
        if isRefused { store.core.noteReplacement(of: latest.id) }
        succession.set(successor)
        return MutationCall(successor, of: store)
    }
}

extension QueryStore {
    /// Makes the latest call of the history again that is not on its way, if it has failed or was cancelled; see ``MutationCall/retry()``.
    ///
    /// - Returns: The new call; `nil` if the latest call has succeeded or is made again already, or if there is none.
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
        // Of two who make it again at the same moment, one does.
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
    /// Whether an error means that the server has refused the call: then it is made again under another id.
    fileprivate func isRefusal(_ error: any Error) -> Bool {
        !(error is CancellationError) && [.fail, .authorize].contains(recovery.step(after: error))
    }
}

extension StoreCore {
    /// Notes that another call is made in place of one, or is not after all; `false` if that was noted already.
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
