import TestSupport
import Testing

@testable import QueryKit

/// R15: which entries a budget releases, and in which order.
struct LedgerBudgetTests {
    private func limits(entries: Int = .max, bytes: Int = .max, part: Int = 128) -> Ledger.Limits {
        var limits = Ledger.Limits()
        (limits.entries, limits.bytes, limits.part) = (entries, bytes, part)
        return limits
    }

    private func left(_ test: TestLedger, _ numbers: ClosedRange<Int>) -> [Int] {
        numbers.filter { test.listed($0) != nil }
    }

    private func fetch(_ test: inout TestLedger, _ number: Int, _ settings: Settings = Settings(), bytes: Int = 0) {
        let entry = test.entry(number)
        test.event { $0.fetch(entry, Caller(settings), ttl: .zero) }
        guard let run = test.run(entry) else { return }
        test.event { $0.finish(run, attempt: 1, .success(AnyValue(number).measured(as: bytes))) }
    }

    @Test func `R15 the least recently used entry is released first, and reading without the lock is a use`() {
        var test = TestLedger(limits(entries: 3))
        for number in 1...3 { test.write(test.entry(number), number) }
        _ = test.entry(1).look()
        test.write(test.entry(2), 5)
        test.write(test.entry(4), 4)
        #expect(left(test, 1...4) == [1, 2, 4])
        // It counts once, as of the moment at which the budget has asked.
        test.write(test.entry(5), 5)
        test.write(test.entry(6), 6)
        #expect(left(test, 1...6) == [1, 5, 6])
    }

    @Test func `R15 what runs or is observed stays, and is released as soon as it has ended`() {
        var test = TestLedger(limits(entries: 1))
        let (entry, other) = (test.entry(1), test.entry(2))
        let observer = test.observe(entry, Settings(ttl: .infinity))
        test.finish(entry, 1)
        test.event { $0.fetch(other, Caller(Settings()), ttl: .zero) }
        #expect(left(test, 1...2) == [1, 2])
        test.finish(other, 2)
        #expect(left(test, 1...2) == [1])
        test.write(test.entry(3), 3)
        #expect(left(test, 1...3) == [1])
        test.event { $0.unsubscribe(entry, observer) }
        test.write(test.entry(4), 4)
        #expect(left(test, 1...4) == [4])
    }

    @Test func `R15 what is kept for ever neither counts nor is released, until it is used otherwise`() {
        var test = TestLedger(limits(entries: 2, bytes: 100))
        let forEver = Settings(retention: .infinity)
        for number in 1...3 { fetch(&test, number, forEver, bytes: 1_000) }
        for number in 4...5 { fetch(&test, number, bytes: 10) }
        #expect(left(test, 1...5) == [1, 2, 3, 4, 5])
        // Even its creation releases nothing.
        fetch(&test, 6, forEver, bytes: 10)
        #expect(left(test, 1...6) == [1, 2, 3, 4, 5, 6])
        test.event { $0.releaseMemory(.critical) }
        #expect(left(test, 1...6) == [1, 2, 3, 6])
        let observer = test.observe(test.entry(1), Settings(ttl: .infinity))
        test.finish(test.entry(1), 1)
        let entry = test.entry(1)
        test.event { $0.unsubscribe(entry, observer) }
        test.event { $0.releaseMemory(.critical) }
        #expect(left(test, 1...6) == [2, 3, 6])
        #expect(test.ledger[test.ledger.tables].claimed.entries == 0)
    }

    @Test func `R15 bytes count as they are shown, and the budget asks the oldest for room`() {
        var test = TestLedger(limits(bytes: 35))
        for number in 1...5 { fetch(&test, number, bytes: 10) }
        #expect(left(test, 1...5) == [3, 4, 5])
        let entry = test.entry(5)
        test.event { $0.write(entry, .success(AnyValue(0).measured(as: 20))) }
        #expect(left(test, 1...5) == [4, 5])
        #expect(test.ledger[test.ledger.tables].byteCount == 30)
        test.event { $0.write(entry, .success(AnyValue(0).measured(as: 40))) }
        #expect(left(test, 1...5) == [])
    }

    @Test func `R15 memory pressure releases half of the entries, or all of them if it is critical`() {
        var test = TestLedger()
        _ = test.observe(test.entry(0), Settings(ttl: .infinity))
        for number in 1...9 { test.write(test.entry(number), number) }
        test.event { $0.releaseMemory(.warning) }
        #expect(left(test, 0...9) == [0, 6, 7, 8, 9])
        test.event { $0.releaseMemory(.critical) }
        #expect(left(test, 0...9) == [0])
        // The pressure is over: what comes later stays.
        test.write(test.entry(1), 1)
        test.event { $0.releaseMemory(.warning) }
        test.write(test.entry(2), 1)
        test.write(test.entry(3), 1)
        #expect(left(test, 0...9).count > 2)
    }

    @Test func `R15 many entries are released in parts, and the client isn't settled until the last one`() {
        var test = TestLedger(limits(part: 10))
        for number in 1...25 { test.write(test.entry(number), number) }
        let late = test.entry(30)
        test.event { $0.releaseMemory(.critical) }
        #expect(left(test, 1...25).count == 15)
        #expect(test.effects.count { if case .trim = $0 { true } else { false } } == 1)
        #expect(test.ledger.work == 1)
        #expect(test.event { $0.trimNext() })
        // What is used before the last step is released, too.
        test.write(late, 30)
        while test.event({ $0.trimNext() }) {}
        #expect(left(test, 1...30) == [])
        #expect(test.ledger.work == 0)
    }

    @Test func `R15 a client without places still takes what is written and fetched`() {
        var test = TestLedger(limits(entries: 0))
        let entry = test.entry(1)
        #expect(test.ledger.isListed(entry))
        test.write(entry, 1)
        #expect(!test.ledger.isListed(entry))
        let (next, caller) = (test.entry(1), Caller(Settings()))
        test.event { $0.fetch(next, caller, ttl: .zero) }
        test.finish(next, 2)
        #expect(test.effects.contains { if case .resume(_, _, .success) = $0 { true } else { false } })
        #expect(!test.ledger.isListed(next))
    }

    @Test func `R15 a released entry keeps neither its value nor an answer about it`() {
        final class Value: Sendable {}
        var test = TestLedger()
        let entry = test.entry(1, isComparable: true)
        weak var (first, second): (Value?, Value?)
        do {
            let values = (Value(), Value())
            (first, second) = values
            test.event { $0.write(entry, .success(AnyValue(values.0))) }
            test.event { $0.write(entry, .success(AnyValue(values.1))) }
        }
        let questions = test.effects.compactMap { if case .ask(let question) = $0 { question } else { nil } }
        #expect(questions.count == 1)
        test.event { $0.releaseMemory(.critical) }
        for question in questions {
            question.value = question.base
            test.event { $0.take(question) }
            (question.base, question.value, question.shown) = (nil, nil, nil)
        }
        test.event { _ in }
        #expect(first == nil && second == nil)
        #expect(test.ledger[entry].value == nil)
        // Its deadline and its handles still have it.
        #expect(test.ledger.deadlines.count == 1)
    }

    @Test func `R15 deadlines of what has ended don't pile up`() {
        var test = TestLedger(limits(entries: 10))
        for number in 0..<2_000 { fetch(&test, number, Settings(timeout: Nanoseconds(.seconds(60)))) }
        #expect(test.ledger.deadlines.count <= 64)
        #expect(test.ledger[test.ledger.tables].count == 10)
        test.pass(400)
        #expect(test.ledger[test.ledger.tables].count == 0)
        #expect(test.ledger.deadlines.count == 0)
    }

    @Test func `R15 stale entries are released if they aren't in use`() {
        var test = TestLedger()
        let settings = Settings(ttl: Nanoseconds(.seconds(10)))
        test.pass(1)
        for number in 1...4 { fetch(&test, number, settings) }
        _ = test.observe(test.entry(1), settings)
        test.pass(5)
        fetch(&test, 3, settings)
        let marked = test.entry(4)
        test.event { $0.invalidate(.entries([marked]), .manual, refetch: .none) }
        test.event { $0.releaseStale($0.matches("**")) }
        #expect(left(test, 1...4) == [1, 2, 3])
        test.pass(6)
        test.event { $0.releaseStale($0.matches("**")) }
        #expect(left(test, 1...4) == [1, 3])
    }
}
