/// The events of the call, which are created only while there are listeners.
extension Call {
    /// The call for display; `nil` if it is over.
    private var mutationOrigin: QueryOrigin.Mutation? {
        cause.origin?.mutation ?? queues?.number(of: id).map { QueryOrigin.Mutation(path: path, call: $0) }
    }

    /// The cause with the call as its origin, if the call is known to its client.
    private func makeCause() -> QueryCause {
        guard let mutation = mutationOrigin else { return .manual }
        return QueryCause.manual.from(store.host.origin(.mutation, of: .nothing, in: mutation))
    }

    /// Reports that the call was made. Called before the call begins anything.
    func reportStart() {
        guard store.host.wantsEvents else { return }
        beganAt = context.clock.now
        cause = makeCause()
        store.report(.mutationStarted, cause)
    }

    /// Reports the end of the call. Called before the changes that a success causes.
    func reportEnd(with result: Result<AnyValue, any Error>) {
        guard store.host.wantsEvents else { return }
        let now = context.clock.now
        let duration = beganAt.map { $0.duration(to: now) }
        // The cause has no origin yet if the events had no listener when the call began.
        let cause = cause.origin == nil ? makeCause() : cause
        switch result {
        case .success: store.report(.mutationSucceeded, cause, nil, duration)
        case .failure(let error) where error is CancellationError: store.report(.mutationCancelled, cause, nil, duration)
        case .failure(let error): store.report(.mutationFailed, cause, error, duration)
        }
    }

    /// The cause of an invalidation by the success of the call.
    func cause(ofInvalidating pattern: QueryPattern) -> QueryCause {
        store.host.announce(.invalidated(pattern), as: .invalidation, of: .pattern(pattern), in: mutationOrigin)
    }
}
