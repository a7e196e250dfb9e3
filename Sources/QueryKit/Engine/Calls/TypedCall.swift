import Foundation

/// The code of one call: the mutation with its arguments, and what its settings say about failures.
final class TypedCall: CallWork {
    let mutation: any AnyMutation
    let arguments: AnyValue
    let settings: Settings
    /// The context of the call, which has its id and its arguments.
    let context: QueryContext
    /// What was asked already. A repair and an authorization are asked at most once.
    private let asked = Lock(Asked())

    private struct Asked {
        var repair = false
        var authorization = false
    }

    init(_ mutation: any AnyMutation, _ arguments: AnyValue, _ settings: Settings, _ context: QueryContext) {
        (self.mutation, self.arguments, self.settings, self.context) = (mutation, arguments, settings, context)
    }

    // MARK: Attempts

    func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
        guard let request = settings.app?.request, let typing = call.shown?.entry.typing else { return .failure(CancellationError()) }
        do {
            if attempt == 1 { try request.validate(in: context) }
            try Task.checkCancellation()
            let value = try await typing.value(of: request, in: context, CallTaker(engine, call, attempt))
            return .success(value, invalidates: mutation.invalidates(with: arguments, value: value))
        } catch {
            if Task.isCancelled { return .failure(CancellationError()) }
            return .failure(error, await verdict(on: error, call, engine))
        }
    }

    func expire(_ call: CallEntry, in engine: Engine) async -> CallEntry.Outcome {
        let limit = context.settings.timeout ?? .zero
        let error = QueryError(
            .timeout,
            "The request took longer than \(limit). Try again, or allow it more time with timeout(_:).",
            path: call.shown?.entry.path
        )
        return .failure(error, await verdict(on: error, call, engine))
    }

    /// What follows a failed attempt.
    private func verdict(on error: any Error, _ call: CallEntry, _ engine: Engine) async -> CallEntry.Verdict {
        // What the validation refuses is refused again.
        if error is CancellationError { return .refused }
        let (retry, retries) = (context.retry, engine.enter { $0[call].retries })
        let isAllowed = retry.condition(error)
        let again: CallEntry.Verdict =
            isAllowed && retries < retry.limit ?? 0
            ? .retry(after: Nanoseconds(retry.backoff.delay(afterFailures: retries + 1))) : .refused
        switch context.recovery.step(after: error) {
        case .fail: return .refused
        case .retry: return isAllowed && call.networkMode == .offlineFirst && error.dependsOnNetwork ? .whenOnline(or: again) : again
        case .waitForNetwork: return isAllowed ? .whenOnline(or: again) : again
        case .repair:
            guard let repair = context.repair, asked.withLock({ $0.repair.raise() }) else { return .refused }
            return await repair(error, context) ? .repeats : .refused
        case .authorize:
            guard let authorization = context.authorization, asked.withLock({ $0.authorization.raise() }) else { return .refused }
            return await authorization(error, context) ? .repeats : .refused
        }
    }

    // MARK: Journal

    func append() async throws {}

    func remove() async {}
}

/// Receives the values that an attempt of a call yields.
private final class CallTaker: YieldTaker {
    private let engine: Engine
    private let call: CallEntry
    private let attempt: Int

    init(_ engine: Engine, _ call: CallEntry, _ attempt: Int) { (self.engine, self.call, self.attempt) = (engine, call, attempt) }

    func take(_ value: AnyValue, _ kind: YieldKind) { engine.enterNow { $0.yield(call, attempt: attempt, value) } }
}

extension Bool {
    /// Sets the value; returns false if it was set before.
    fileprivate mutating func raise() -> Bool {
        defer { self = true }
        return !self
    }
}

extension Error {
    /// Whether the error may be due to the network. For a ``QueryError``, its underlying error decides.
    fileprivate var dependsOnNetwork: Bool {
        if let error = self as? any QueryErrorConvertible { return error.dependsOnNetwork }
        return ((self as? QueryError)?.underlying as? any QueryErrorConvertible)?.dependsOnNetwork ?? true
    }
}
