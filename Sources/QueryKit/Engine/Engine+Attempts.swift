/// Attempts: the code of a request, and what follows when it fails.
extension Engine {
    func carryOut(_ run: Run, _ attempt: Int) async {
        let outcome = await Scope.$current.withValue(Scope(run, self)) { await fetch(run, attempt) }
        await end(run, attempt, outcome)
    }

    private func fetch(_ run: Run, _ attempt: Int) async -> Run.Outcome {
        guard let app = run.settings.app, let typing = run.entry.typing else { return .cancelled }
        do {
            if attempt == 1 { try app.request.validate(in: app.context) }
            try Task.checkCancellation()
            let taker = AttemptTaker(self, run, attempt)
            return .success(measured(try await typing.value(of: app.request, in: app.context, taker), run.entry))
        } catch {
            return error is CancellationError || Task.isCancelled ? .cancelled : .failure(error)
        }
    }

    func expire(_ run: Run, _ attempt: Int) async {
        let timeout = run.settings.app?.context.settings.timeout ?? .zero
        let error = QueryError(
            .timeout,
            "The request took longer than \(timeout). Try again, or allow it more time with timeout(_:).",
            path: run.entry.path
        )
        await end(run, attempt, .failure(error))
    }

    /// Recovery, authorization, repair and backoff are code of the app, so they are asked before the ledger decides.
    private func end(_ run: Run, _ attempt: Int, _ outcome: Run.Outcome) async {
        var sequel = Run.Sequel.end
        if case .failure(let error) = outcome { sequel = await self.sequel(of: run, after: error) }
        enterNow { $0.finish(run, attempt: attempt, outcome, then: sequel) }
    }

    private func sequel(of run: Run, after error: any Error) async -> Run.Sequel {
        guard let context = run.settings.app?.context else { return .end }
        let (failures, hasBegun) = enter { ledger in (ledger[run].failures, ledger.isCurrent(run)) }
        guard hasBegun else { return .end }
        let retry = context.retry
        let isAllowed = failures < retry.limit ?? (run.isByLibrary ? 3 : 0) && retry.condition(error)
        let delay = isAllowed ? Nanoseconds(retry.backoff.delay(afterFailures: failures + 1)) : nil
        switch context.recovery.step(after: error) {
        case .fail: return .end
        case .retry: return delay.map { .retry(after: $0) } ?? .end
        case .waitForNetwork: return retry.condition(error) ? .whenOnline(orAfter: delay) : .end
        // Both are asked at most once for each run.
        case .repair where failures > 0, .authorize where failures > 0: return .end
        case .repair: return await context.repair?(error, context) == true ? .repeats : .end
        case .authorize: return await context.authorization?(error, context) == true ? .repeats : .end
        }
    }
}

/// Receives the values that an attempt yields.
private final class AttemptTaker: YieldTaker {
    private let engine: Engine
    private let run: Run
    private let attempt: Int

    init(_ engine: Engine, _ run: Run, _ attempt: Int) { (self.engine, self.run, self.attempt) = (engine, run, attempt) }

    func take(_ value: AnyValue, _ kind: YieldKind) {
        let value = engine.measured(value, run.entry)
        engine.enterNow { ledger in
            switch kind {
            case .partial: _ = ledger.yield(run, attempt: attempt, value)
            case .live: _ = ledger.stream(run, attempt: attempt, value)
            }
        }
    }
}

extension StateTyping {
    /// Fetches the value of a request of this type.
    func value<Request: QueryRequest>(
        of request: Request,
        in context: QueryContext,
        _ taker: any YieldTaker
    ) async throws -> AnyValue {
        boxes.box(try await request.fetch(in: context, with: QueryContinuation(taker)))
    }
}
