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
        var isReady: Bool { isCancelled || (source == nil ? inner == nil : hasElement) }
    }

    func start(_ run: Run, _ number: Int) {
        let request = self.number(of: run.entry)
        checkSession(of: run)
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
        var sequel = Run.Sequel.end
        if case .failure = outcome, isFailing {
            sequel = [.end, .retry(after: Nanoseconds(.seconds(3))), .repeats, .whenOnline(orAfter: nil)][roll(4)]
        }
        event { $0.finish(attempt.run, attempt: attempt.number, outcome, then: sequel) }
    }

    private func describe(_ attempt: Attempt) -> String {
        let run = ledger[attempt.run].number
        let step = attempt.source != nil ? "element" : attempt.steps.first.map { "\($0)" } ?? "end"
        return "\(number(of: attempt.run.entry)), run \(run).\(attempt.number), \(attempt.isCancelled ? "cancelled " : "")\(step)"
    }
}
