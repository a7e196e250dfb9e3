import Foundation

@testable import QueryKit

/// The engine of a life: it carries out effects, and continues one of the things that are under way.
extension LedgerLife {
    @discardableResult
    func event<Result>(_ body: (inout Ledger) -> Result) -> Result {
        let result = body(&ledger)
        ledger.conclude()
        let effects = ledger.effects
        ledger.effects = []
        ledger.trash = Trash()
        for effect in effects { carryOut(effect) }
        return result
    }

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .start(let run, let number): start(run, number)
        case .cancel(let run, let number):
            for attempt in attempts where attempt.run === run && attempt.number == number { attempt.isCancelled = true }
        case .raise: break
        case .beginTriggers(let active): triggers.append(active)
        case .endTriggers(let active): triggers.removeAll { $0 === active }
        case .expire(let run, let number):
            failures.append(Failed(run: run, attempt: number, error: Failure(number: -1)))
        case .resume(let caller, _, let result): resume(caller, result)
        case .deliver(let entry):
            if deliveries.contains(where: { $0 === entry }) { problems.append("two threads deliver at once") }
            deliveries.append(entry)
        case .deliverOnMain: mainTurns += 1
        case .ask(let question): questions.append(question)
        case .follow: follows += 1
        case .trim: trims += 1
        case .exchange(let entries): exchanges.append(.asked(entries))
        case .setTimer(let instant):
            // As the engine does: an effect that an earlier one has overtaken sets no later timer.
            timer = min(timer, instant)
        case .begin(let call, let attempt): workingCalls.append((call, attempt))
        case .cancelCall(let call, _): workingCalls.removeAll { $0.call === call }
        case .expireCall(let call, let attempt): event { $0.callEnded(call, attempt: attempt, .failure(Failure(number: -1))) }
        case .release(let call): releases.append(call)
        case .askTurn(let call, let attempt): turns.append((call, attempt))
        case .extend: event { $0.extended() }
        case .resumeFree(let call, let attempt): looks.append((call, attempt))
        case .callHandlers: event { $0.endWork() }
        case .append(let call): appends.append(call)
        case .remove(let call): removals.append(call)
        case .settle(let signal, _, _): if !hear(signal) { settledCount += 1 }
        }
    }

    private func resume(_ caller: Caller, _ result: Result<AnyValue, any Error>) {
        answers[ObjectIdentifier(caller), default: 0] += 1
        if answers[ObjectIdentifier(caller)]! > 1 { problems.append("a caller was answered twice") }
        callers.removeAll { $0 === caller }
        checkAnswer(result, to: caller)
        if let attempt = attempts.first(where: { $0.inner?.caller === caller }) { `continue`(attempt, result) }
    }

    // MARK: What is under way

    /// Continues something that is under way. Returns false if nothing is.
    func proceed(_ choice: Int) -> Bool {
        let ready = attempts.filter(\.isReady)
        let counts = [
            ready.count, questions.count, deliveries.count, min(mainTurns, 1), min(follows, 1), workingCalls.count, appends.count,
            removals.count, exchanges.count, lookups.count, halves.count, trims,
            failures.count, commits.count, turns.count, looks.count, releases.count,
        ]
        let total = counts.reduce(0, +)
        if total == 0 { return false }
        var (kind, index) = (0, choice % total)
        while index >= counts[kind] {
            index -= counts[kind]
            kind += 1
        }
        switch kind {
        case 0: step(ready[index])
        case 1: answer(questions.remove(at: index))
        case 2: deliver(deliveries.remove(at: index))
        case 3: showOnMain()
        case 4: follow()
        case 5: endCall(workingCalls.remove(at: index))
        case 6: append(appends.remove(at: index))
        case 7: removeFromJournal(removals.remove(at: index))
        case 8: exchange(exchanges.remove(at: index))
        case 9: restore(lookups.remove(at: index))
        case 10: followLater(halves.remove(at: index))
        case 11: continueTrimming()
        case 12: recover(failures.remove(at: index))
        case 13: proceed(commits[index])
        case 14: answer(turns.remove(at: index))
        case 15: look(looks.remove(at: index))
        default: release(releases.remove(at: index))
        }
        return true
    }

    /// Calls code of the app.
    private func answer(_ first: Question) {
        let all = [first] + first.others
        note("answer \(all.map { "\(number(of: $0.entry)) \($0.kind.name)" })")
        for question in all {
            if case .conditions = question.kind {
                question.isEnabled = isEnabled
                continue
            }
            for update in question.updates { question.base = update.apply(question.base) ?? question.base }
            question.value = question.base
            for layer in question.layers { question.value = layer.apply(question.value) ?? question.value }
            guard let new = question.value?.unboxed(as: Value.self) else { continue }
            guard question.entry.isComparable, let old = question.shown else { continue }
            question.isEqual = new == old.unboxed(as: Value.self)
        }
        event { $0.take(first) }
    }

    private func deliver(_ entry: Entry) {
        note("deliver \(number(of: entry))")
        guard let (publication, observers) = event({ $0.nextDelivery(entry) }) else { return }
        for observer in observers { receive(publication, observer) }
        event { $0.delivered(publication) }
        deliveries.append(entry)
    }

    private func showOnMain() {
        note("main turn")
        mainTurns -= 1
        for (publication, observers) in event({ $0.takeMainTurn() }) { for observer in observers { receive(publication, observer) } }
        checkMainTurn()
        event { $0.endWork() }
    }

    private func followLater(_ entered: Ledger.Entered) {
        note("second half of a change of \(entered.entries.map { number(of: $0) })")
        event { ledger in
            ledger.followLater(entered)
            ledger.endWork()
        }
    }

    private func follow() {
        note("follow")
        if !event({ $0.followNext() }) { follows -= 1 }
    }
}

extension Question.Kind {
    fileprivate var name: String {
        switch self {
        case .value: "value"
        case .end(let run): "end of \(ObjectIdentifier(run).hashValue % 1_000)"
        case .conditions: "conditions"
        }
    }
}
