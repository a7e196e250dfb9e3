import Foundation
import TestSupport

@testable import QueryKit

/// A ledger for tests of single decisions. The test is its engine: it sees the effects, and calls no code.
struct TestLedger {
    var ledger = Ledger()
    /// The effects of the latest event.
    var effects: [Effect] = []
    /// What the ledger gave up in the latest event.
    var trash = Trash()
    private var milliseconds: Int64 = 0

    private struct Number: Hashable { let value: Int }

    init(_ limits: Ledger.Limits = Ledger.Limits()) {
        ledger.limits = limits
        ledger.places = Ledger.Places(limits.runs)
    }

    @discardableResult
    mutating func event<Result>(_ body: (inout Ledger) -> Result) -> Result {
        let result = body(&ledger)
        ledger.conclude()
        (effects, ledger.effects) = (ledger.effects, [])
        (trash, ledger.trash) = (ledger.trash, Trash())
        return result
    }

    mutating func pass(_ seconds: Int64) { pass(milliseconds: seconds * 1_000) }

    mutating func pass(milliseconds amount: Int64) {
        milliseconds += amount
        let instant = QueryInstant.zero.advanced(by: .milliseconds(milliseconds))
        ledger.time = QueryTimestamp(instant: instant, date: Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000))
        event { $0.fire() }
    }

    /// The listed entry of a number.
    func listed(_ number: Int) -> Entry? {
        let identity = QueryIdentity(Number(value: number))
        var next = ledger.head(identity.hash)
        while let entry = next {
            if ledger.isListed(entry), entry.key.isKey(of: identity) { return entry }
            next = entry.sibling
        }
        return nil
    }

    mutating func entry(_ number: Int, isComparable: Bool = false) -> Entry {
        if let listed = listed(number) { return listed }
        let identity = QueryIdentity(Number(value: number))
        let path: QueryPath = ["item", .value(number)]
        let limits = ledger.limits.runs.indices.filter { ledger.limits.runs[$0].pattern.matches(path) }
        let new = Entry(identity, path, isComparable: isComparable, limits: limits, sibling: ledger.head(identity.hash))
        _ = event { $0.insert(new) }
        return new
    }

    /// The runs whose attempts the latest event has begun.
    var started: [Run] { effects.compactMap { if case .start(let run, _) = $0 { run } else { nil } } }

    func run(_ entry: Entry) -> Run? { ledger[entry].run }

    /// Ends the run of an entry with a value.
    mutating func finish(_ entry: Entry, _ value: Int) {
        guard let run = ledger[entry].run else { return }
        let attempt = ledger[run].attempt
        event { $0.finish(run, attempt: attempt, .success(AnyValue(value))) }
    }

    /// Answers the questions of the latest event, as the engine does.
    mutating func answer() {
        for case .ask(let question) in effects {
            for update in question.updates { question.base = update.apply(question.base) ?? question.base }
            question.value = question.base
            for layer in question.layers { question.value = layer.apply(question.value) ?? question.value }
            event { $0.take(question) }
        }
    }

    mutating func write(_ entry: Entry, _ value: Int) { event { $0.write(entry, .success(AnyValue(value))) } }

    mutating func observe(_ entry: Entry, _ settings: Settings) -> Observer {
        let observer = Observer(settings) { _, _ in }
        _ = event { $0.subscribe(entry, observer, ttl: settings.ttl) }
        return observer
    }
}
