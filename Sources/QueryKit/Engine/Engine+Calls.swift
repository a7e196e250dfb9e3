/// Calls of mutations.
extension Engine {
    func perform(_ call: CallEntry, _ attempt: Int) async {
        guard let work = call.work else { return }
        let (result, verdict) = await Scope.$current.withValue(Scope(call, self)) { await work.perform(attempt: attempt) }
        enterNow { $0.callEnded(call, attempt: attempt, result, verdict) }
    }

    func append(_ call: CallEntry) async {
        var failure: (any Error)?
        do { try await call.work?.append() } catch { failure = error }
        enterNow { [failure] in $0.journaled(call, failure) }
    }

    func remove(_ call: CallEntry) async {
        await call.work?.remove()
        enter { $0.removed(call) }
    }

    /// Makes a call and awaits its result.
    func mutate(_ make: @escaping @Sendable (_ number: UInt64) -> CallEntry, _ settings: Settings) async throws -> AnyValue {
        let call = make(enter { $0.nextCall() })
        let caller = Caller(settings)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                enterNow(calling: .task) { ledger in
                    ledger[caller].continuation = continuation
                    ledger.submit(call, caller)
                }
            }
        } onCancel: {
            enter(calling: .task) { $0.leave(call, caller) }
        }
    }
}
