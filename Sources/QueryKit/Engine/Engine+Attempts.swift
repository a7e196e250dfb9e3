/// Attempts: the code of a request, and what follows when it fails.
extension Engine {
    func carryOut(_ run: Run, _ attempt: Int) async {
        let ending = await Scope.$current.withValue(Scope(run, self)) { await fetch(run, attempt) }
        await end(run, attempt, ending)
    }

    /// How the code of an attempt has ended.
    private enum Ending {
        case value(AnyValue)
        case cancelled
        /// The request refuses what it is asked for, so no attempt can help.
        case refused(any Error)
        /// - Parameter isInterruption: Whether a stream has broken off.
        case failed(any Error, isInterruption: Bool = false)
    }

    private func fetch(_ run: Run, _ attempt: Int) async -> Ending {
        guard let app = run.settings.app, let typing = run.entry.typing else { return .cancelled }
        do { if attempt == 1 { try app.request.validate(in: app.context) } } catch { return .refused(error) }
        do {
            try Task.checkCancellation()
            let taker = AttemptTaker(self, run, attempt)
            return .value(measured(try await typing.value(of: app.request, in: app.context, taker), run.entry))
        } catch {
            let interruption = error as? StreamInterruption
            let error = interruption?.error ?? error
            // A cancelled fetch may throw another error.
            if error is CancellationError || Task.isCancelled { return .cancelled }
            return .failed(error, isInterruption: interruption != nil)
        }
    }

    func expire(_ run: Run, _ attempt: Int) async {
        let error = QueryError.timeout(after: run.settings.app?.context.settings.timeout ?? .zero, at: run.entry.path)
        let trials = enter { $0[run].trials }
        let sequel = await self.sequel(of: run, trials, after: error)
        enterNow { $0.finish(run, attempt: attempt, .failure(error), then: sequel) }
    }

    private func end(_ run: Run, _ attempt: Int, _ ending: Ending) async {
        switch ending {
        case .value(let value): enterNow { $0.finish(run, attempt: attempt, .success(value)) }
        case .cancelled: enterNow { $0.finish(run, attempt: attempt, .cancelled) }
        case .refused(let error): enterNow { $0.finish(run, attempt: attempt, .failure(error)) }
        case .failed(let error, let isInterruption):
            guard let trials = enter({ $0.fail(run, attempt: attempt) }) else { return }
            let sequel = await self.sequel(of: run, trials, after: error, isInterruption: isInterruption)
            enterNow { $0.finish(run, attempt: attempt, .failure(error), then: sequel) }
        }
    }

    /// Recovery, retry, backoff, repair and authorization are code of the app.
    private func sequel(of run: Run, _ trials: Run.Trials, after error: any Error, isInterruption: Bool = false) async -> Run.Sequel {
        guard let context = run.settings.app?.context else { return .end }
        // An interrupted stream is opened again until its run is cancelled.
        let limit = isInterruption ? .max : run.isByLibrary ? 3 : 0
        func delay(_ number: Int) -> Nanoseconds { Nanoseconds(context.retry.backoff.delay(afterFailures: number)) }
        switch trials.next(after: Run.Trials.Failure(error, in: context, defaultLimit: limit)) {
        case .end: return .end
        case .retry(let number): return .retry(after: delay(number))
        case .whenOnline(let number): return .whenOnline(orAfter: number.map(delay))
        case .ask(.repair): return await context.repair?(error, context) == true ? .repeats(.repair) : .end
        case .ask(.authorization): return await context.authorization?(error, context) == true ? .repeats(.authorization) : .end
        }
    }
}

extension Run.Trials.Failure {
    /// Asks the recovery and the retry of a request about an error.
    ///
    /// - Parameter defaultLimit: How many retries are allowed if the request doesn't say so.
    init(_ error: any Error, in context: QueryContext, defaultLimit: Int) {
        let step = context.recovery.step(after: error)
        // For a `QueryError`, its underlying error decides.
        let convertible = error as? any QueryErrorConvertible ?? (error as? QueryError)?.underlying as? any QueryErrorConvertible
        self.init(
            step: step,
            isAccepted: step != .retry && step != .waitForNetwork || context.retry.condition(error),
            dependsOnNetwork: convertible?.dependsOnNetwork ?? true,
            limit: context.retry.limit ?? defaultLimit,
            networkMode: context.networkMode
        )
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
