/// The code of a call.
protocol CallCode: CallWork {
    /// Makes an attempt. If it fails, the recovery says what follows.
    func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome
    /// What follows an attempt that has taken too long.
    func expire(_ call: CallEntry, in engine: Engine) async -> CallEntry.Outcome
}

extension CallCode {
    func expire(_ call: CallEntry, in engine: Engine) async -> CallEntry.Outcome { .failure(CancellationError()) }
}

/// Calls of mutations: their attempts, and those who wait for them.
extension Engine {
    // MARK: Effects

    func perform(_ call: CallEntry, _ attempt: Int) async {
        let code = code(of: call)
        let outcome = await Scope.$current.withValue(Scope(call, self)) { await code.perform(call, attempt: attempt, in: self) }
        enterNow { $0.callEnded(call, attempt: attempt, outcome) }
    }

    func expire(_ call: CallEntry, _ attempt: Int) async {
        let outcome = await code(of: call).expire(call, in: self)
        enterNow { $0.callEnded(call, attempt: attempt, outcome) }
    }

    private func code(of call: CallEntry) -> any CallCode {
        guard let code = call.work as? any CallCode else { preconditionFailure("A call of an engine has code") }
        return code
    }

    func callHandlers(of call: CallEntry, with result: Result<AnyValue, any Error>) async {
        await call.handlers?.call(with: result)
        enter { $0.endWork() }
    }

    // MARK: Waiting

    /// The result of a call, before or after its end. If the task is cancelled, only the wait ends.
    func value(of call: CallEntry) async throws -> AnyValue { try await wait(for: call, owns: false) { $0.leave($1) } }

    /// The result of a call that the task has made. If the task is cancelled, the call is withdrawn.
    func result(of call: CallEntry) async throws -> AnyValue { try await wait(for: call, owns: true) { $0.giveUp(call, $1) } }

    private func wait(
        for call: CallEntry,
        owns: Bool,
        onCancel leave: @escaping @Sendable (inout Ledger, Caller) -> Void
    ) async throws -> AnyValue {
        let scope = Scope.current
        let reader = own(scope)
        var elsewhere: (scope: Scope, entry: Entry)?
        if reader == nil, let scope, let entry = call.shown?.entry {
            guard beginWait(of: scope, for: entry) else { throw enter { $0.cycle(at: entry) } }
            elsewhere = (scope, entry)
        }
        let caller = Caller(Settings(), reader: reader, elsewhere: elsewhere)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                enterNow(calling: .task) { ledger in
                    ledger[caller].continuation = continuation
                    ledger.wait(for: call, caller, owns: owns)
                }
            }
        } onCancel: {
            enterNow(calling: .task) { leave(&$0, caller) }
        }
    }
}
