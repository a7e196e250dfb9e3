import Foundation

@testable import QueryKit

/// The code of requests: attempts that read the source, fetch other requests, or deliver elements.
extension LedgerLife {
    /// The code of an attempt that is under way.
    final class Attempt {
        let run: Run
        let number: Int
        let started: QueryInstant
        var steps: [Step]
        var value: Value
        /// The fetch that it awaits.
        var inner: (caller: Caller, entry: Entry, skipsCycle: Bool)?
        /// Refetches that it awaits.
        var awaited: (list: Refetches, signal: Signal)?
        var isCancelled = false
        let scope: Scope
        /// The region of a stream, once it is open, and whether an element is due.
        var source: Int?
        var hasElement = false

        init(_ run: Run, _ number: Int, at started: QueryInstant, _ steps: [Step], _ value: Value) {
            (self.run, self.number, self.started, self.steps, self.value) = (run, number, started, steps, value)
            scope = Scope(run)
        }

        /// Whether it can continue.
        var isReady: Bool { isCancelled || (source == nil ? inner == nil && awaited == nil : hasElement) }
    }

    func start(_ run: Run, _ number: Int) {
        let request = self.number(of: run.entry)
        checkSession(of: run)
        checkNetwork(of: run, number)
        var (steps, value) = (code(request), Value())
        if run.aim == .next {
            // The other pages are those of the value at the start.
            if let base = ledger[run.entry].base?.unboxed(as: Value.self) { (steps, value) = ([], base) }
            value.isMixed = value.isMixed || value.isChanged
            steps.append(.read(value.pageCount % 2))
            value.pageCount += 1
        }
        (value.moment, value.aim) = (fresh(), run.aim)
        attempts.append(Attempt(run, number, at: ledger.now, steps, value))
    }

    func step(_ attempt: Attempt) {
        note("step of \(describe(attempt))")
        if attempt.isCancelled {
            if let inner = attempt.inner?.caller {
                attempt.inner = nil
                event { $0.leave(inner) }
            }
            if let (list, signal) = attempt.awaited { event { $0.leave(list, signal) } }
            return finish(attempt, .cancelled)
        }
        if attempt.source != nil { return deliverElement(attempt) }
        guard !attempt.steps.isEmpty else {
            if isFailing, roll(3) == 0 { return finish(attempt, roll(4) == 3 ? .cancelled : .failure(Failure(number: fresh()))) }
            return finish(attempt, .success(attempt.value.boxed))
        }
        switch attempt.steps.removeFirst() {
        case .read(let number):
            event { $0.note([region(number)], attempt.scope) }
            attempt.scope.note(ReadMoment(readable, of: database))
            attempt.value.reads[number] = versions[number]
        case .yield:
            var partial = attempt.value
            partial.isPartial = true
            let value = partial.boxed
            event { _ = $0.yield(attempt.run, attempt: attempt.number, value) }
        case .fetch(let inner, let skipsCycle):
            hasNested = true
            let caller = Caller(settings(inner, isDeduplicated: roll(6) != 1), takesFresh: true, reader: attempt.scope)
            kept.append(caller)
            asked[ObjectIdentifier(caller)] = (inner, reported)
            let (entry, ttl) = (entry(inner), caller.settings.ttl)
            attempt.inner = (caller, entry, skipsCycle)
            event { $0.fetch(entry, caller, ttl: ttl) }
        case .open(let number):
            attempt.source = number
            attempt.hasElement = true
        }
    }

    private func deliverElement(_ attempt: Attempt) {
        if isFailing, roll(3) == 0 { return finish(attempt, .failure(Failure(number: fresh()))) }
        attempt.hasElement = false
        attempt.value.reads[attempt.source!] = versions[attempt.source!]
        let wasLive = ledger[attempt.run].phase == .live
        trials[ObjectIdentifier(attempt.run)]?.retries = 0
        if wasLive { attempt.value.moment = fresh() }
        let value = attempt.value.boxed
        event { _ = $0.stream(attempt.run, attempt: attempt.number, value) }
        if wasLive { checkElement(attempt.run.entry) }
    }

    /// The inner fetch of an attempt has ended.
    func `continue`(_ attempt: Attempt, _ result: Result<AnyValue, any Error>) {
        guard let inner = attempt.inner else { return }
        attempt.inner = nil
        switch result {
        case .success(let value): attempt.value.take(value.unboxed(as: Value.self))
        case .failure(let error):
            let isCycle = (error as? QueryError)?.code == .cycle
            if isCycle { checkCycle(attempt.run, inner.caller, inner.entry) }
            if isCycle, inner.skipsCycle { return }
            finish(attempt, error is CancellationError ? .cancelled : .failure(error))
        }
    }

    private func finish(_ attempt: Attempt, _ outcome: Run.Outcome) {
        attempts.removeAll { $0 === attempt }
        guard case .failure(let error) = outcome else { return event { $0.finish(attempt.run, attempt: attempt.number, outcome) } }
        guard event({ $0.fail(attempt.run, attempt: attempt.number) }) != nil else { return }
        failures.append(Failed(run: attempt.run, attempt: attempt.number, error: error))
    }

    /// A failed attempt whose run waits for what the app says.
    struct Failed {
        let run: Run
        let attempt: Int
        let error: any Error
    }

    /// The app says what follows a failure.
    func recover(_ failed: Failed) {
        let run = failed.run
        note("recovery of \(number(of: run.entry))")
        var sequel = Run.Sequel.end
        if isFailing {
            let failure = Run.Trials.Failure(
                step: [.fail, .retry, .waitForNetwork, .repair, .authorize][roll(5)],
                isAccepted: roll(8) != 7,
                dependsOnNetwork: roll(3) != 0,
                limit: 2,
                networkMode: run.settings.networkMode
            )
            let delay = [Nanoseconds.zero, Nanoseconds(.seconds(3))][roll(2)]
            switch ledger[run].trials.next(after: failure) {
            case .end: break
            case .retry: sequel = .retry(after: delay)
            case .whenOnline(let number): sequel = .whenOnline(orAfter: number.map { _ in delay })
            case .ask(let help): sequel = roll(4) == 0 ? .end : .repeats(help)
            }
            if ledger.isCurrent(run) { noteTrial(run, failure, sequel) }
        }
        event { $0.finish(run, attempt: failed.attempt, .failure(failed.error), then: sequel) }
    }

    /// How often the runs were tried again.
    struct Trial {
        var retries = 0
        var helps: [Run.Trials.Help] = []
        var dependsOnNetwork = false
    }

    private func noteTrial(_ run: Run, _ failure: Run.Trials.Failure, _ sequel: Run.Sequel) {
        var trial = trials[ObjectIdentifier(run)] ?? Trial()
        trial.dependsOnNetwork = failure.dependsOnNetwork && failure.step == .retry || failure.step == .waitForNetwork
        switch sequel {
        case .end: break
        case .repeats(let help): trial.helps.append(help)
        case .retry: trial.retries += 1
        case .whenOnline(let delay): if delay != nil, !ledger.network.isOffline { trial.retries += 1 }
        }
        if trial.retries > failure.limit { problems.append("request \(number(of: run.entry)) is retried too often") }
        if Set(trial.helps).count < trial.helps.count { problems.append("request \(number(of: run.entry)) is helped twice") }
        kept.append(run)
        trials[ObjectIdentifier(run)] = trial
    }

    /// R12: what depends on the network isn't tried without one.
    private func checkNetwork(of run: Run, _ number: Int) {
        guard ledger.network.isOffline, ledger.isCurrent(run) else { return }
        let hasFailed = trials[ObjectIdentifier(run)]?.dependsOnNetwork == true
        switch run.settings.networkMode {
        case .always: return
        case .offlineFirst: if !hasFailed { return }
        case .online: break
        }
        problems.append("attempt \(number) of \(self.number(of: run.entry)) is made without a network")
    }

    private func describe(_ attempt: Attempt) -> String {
        let run = ledger[attempt.run].number
        let step = attempt.source != nil ? "element" : attempt.steps.first.map { "\($0)" } ?? "end"
        return "\(number(of: attempt.run.entry)), run \(run).\(attempt.number), \(attempt.isCancelled ? "cancelled " : "")\(step)"
    }
}
