import TestSupport
import Testing

@testable import QueryKit

/// Limits: which runs make an attempt, and which wait for a place.
struct LedgerLimitTests {
    private func limited(_ limits: [(Int, QueryPattern)]) -> TestLedger {
        var setting = Ledger.Limits()
        setting.runs = limits.map { Ledger.Limits.Runs(pattern: $1, count: $0) }
        return TestLedger(setting)
    }

    /// Fetches entries; `reader` waits for them.
    private func fetch(_ test: inout TestLedger, _ numbers: [Int], _ settings: Settings = Settings(), reader: Scope? = nil) {
        for number in numbers {
            let entry = test.entry(number)
            test.event { $0.fetch(entry, Caller(settings, reader: reader), ttl: .zero) }
        }
    }

    private func fetch(_ test: inout TestLedger, _ number: Int, _ priority: TaskPriority) async {
        let entry = test.entry(number)
        let caller = await Task.detached(priority: priority) { Caller(Settings()) }.value
        test.event { $0.fetch(entry, caller, ttl: .zero) }
    }

    private func working(_ test: TestLedger, _ numbers: ClosedRange<Int>) -> [Int] {
        numbers.filter { number in test.listed(number).flatMap { test.run($0) }.map { test.ledger[$0].phase == .working } ?? false }
    }

    private func fail(_ test: inout TestLedger, _ entry: Entry, then sequel: Run.Sequel) {
        guard let run = test.run(entry) else { return }
        let attempt = test.ledger[run].attempt
        test.event { $0.finish(run, attempt: attempt, .failure(TestError()), then: sequel) }
    }

    @Test func `runs beyond a limit wait in order, show as fetching, and are no work of their own`() {
        var test = limited([(2, "item/*")])
        fetch(&test, [1, 2, 3, 4, 5])
        #expect(working(test, 1...5) == [1, 2])
        #expect(test.ledger.work == 2)
        for number in 1...5 {
            let flags = test.ledger.state(test.entry(number)).record.flags
            #expect(flags.contains(.fetching) && !flags.contains(.paused))
        }
        test.finish(test.entry(2), 1)
        #expect(working(test, 1...5) == [1, 3])
        #expect(test.started.map(\.entry) == [test.entry(3)])
        fail(&test, test.entry(1), then: .end)
        test.finish(test.entry(3), 1)
        #expect(working(test, 1...5) == [4, 5])
        for number in 4...5 { test.finish(test.entry(number), 1) }
        #expect(test.ledger.work == 0)
        #expect(test.ledger.places.line(0).taken == 0)
    }

    @Test func `the most urgent run begins first, and an urgent caller moves the run that it joins forward`() async {
        var test = limited([(1, .all)])
        await fetch(&test, 0, .medium)
        for (number, priority) in [(1, TaskPriority.low), (2, .high), (3, .low), (4, .high)] { await fetch(&test, number, priority) }
        await fetch(&test, 3, .high)
        var order: [Int] = []
        while let number = working(test, 0...4).first {
            order.append(number)
            test.finish(test.entry(number), 1)
        }
        #expect(order == [0, 2, 3, 4, 1] || order == [0, 2, 4, 3, 1])
    }

    @Test func `a run that is given up leaves the queue, and one that waits for its next attempt has no place`() {
        var test = limited([(1, .all)])
        fetch(&test, [1, 2, 3])
        let entry = test.entry(2)
        test.event { $0.cancel(entry) }
        fail(&test, test.entry(1), then: .retry(after: Nanoseconds(.seconds(5))))
        #expect(working(test, 1...3) == [3])
        test.pass(5)
        // Its next attempt waits for the place, and keeps what the first one has read.
        #expect(working(test, 1...3) == [3])
        #expect(test.ledger[test.run(test.entry(1))!].phase == .queued(hasBegun: true))
        test.finish(test.entry(3), 1)
        #expect(working(test, 1...3) == [1])
        fail(&test, test.entry(1), then: .repeats(.repair))
        #expect(working(test, 1...3) == [1])
        #expect(test.ledger.places.line(0).taken == 1)
        test.finish(test.entry(1), 1)
        #expect(test.ledger.places.line(0).taken == 0)
    }

    @Test func `a run that gets its place without a network waits for the network, and gives the place on`() {
        var test = limited([(1, .all)])
        fetch(&test, [1])
        fetch(&test, [2], Settings(networkMode: .online))
        fetch(&test, [3])
        test.event { $0.setOnline(false) }
        test.finish(test.entry(1), 1)
        #expect(working(test, 1...3) == [3])
        #expect(test.ledger.state(test.entry(2)).record.flags.contains(.paused))
        test.event { $0.setOnline(true) }
        #expect(working(test, 1...3) == [3])
        test.finish(test.entry(3), 1)
        #expect(working(test, 1...3) == [2])
    }

    @Test func `a stream has a place until its first element`() {
        var test = limited([(1, .all)])
        let observer = test.observe(test.entry(1), Settings(isStream: true))
        fetch(&test, [2])
        #expect(working(test, 1...2) == [1])
        let run = test.run(test.entry(1))!
        _ = test.event { $0.stream(run, attempt: 1, AnyValue(1)) }
        #expect(working(test, 1...2) == [2])
        withExtendedLifetime(observer) {}
    }

    @Test func `R17 R18 a run that waits for a place reads as of its start, so a change before that doesn't concern it`() {
        var test = limited([(1, .all)])
        _ = test.observe(test.entry(1), Settings(ttl: .infinity))
        _ = test.observe(test.entry(2), Settings(ttl: .infinity))
        let entry = test.entry(2)
        test.event { $0.invalidate(.entries([entry]), .manual) }
        test.write(entry, 7)
        test.finish(test.entry(1), 1)
        #expect(working(test, 1...2) == [2])
        test.finish(entry, 2)
        #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 2)
        #expect(test.run(entry) == nil)
        #expect(!test.ledger.state(entry).record.flags.contains(.invalidated))
    }

    @Test func `a run that others wait for needs no place where they have one`() throws {
        var test = limited([(1, .all)])
        fetch(&test, [1])
        // It waits first, directly or through another one; then the run with the place begins to wait for it.
        fetch(&test, [2, 3])
        let outer = try #require(test.run(test.entry(1)))
        fetch(&test, [3], reader: Scope(outer))
        #expect(working(test, 1...3) == [1, 3])
        let middle = try #require(test.run(test.entry(3)))
        fetch(&test, [4], reader: Scope(middle))
        #expect(working(test, 1...4) == [1, 3, 4])
        fetch(&test, [2], reader: Scope(try #require(test.run(test.entry(4)))))
        #expect(working(test, 1...4) == [1, 2, 3, 4])
        #expect(test.ledger.places.line(0).taken == 1)
    }

    @Test(arguments: [false, true])
    func `a run that waits for a call lets pass what the call waits for`(_ callIsFirst: Bool) throws {
        var test = limited([(1, .all)])
        fetch(&test, [1, 2])
        let outer = Scope(try #require(test.run(test.entry(1))))
        let call = CallEntry(1)
        test.event { $0.submit(call) }
        if callIsFirst { fetch(&test, [2], reader: Scope(call)) }
        test.event { $0.wait(for: call, Caller(Settings(), reader: outer)) }
        if !callIsFirst { fetch(&test, [2], reader: Scope(call)) }
        #expect(working(test, 1...2) == [1, 2])
    }

    @Test func `a run that waits for a call lets pass what the calls before it wait for`() throws {
        var test = limited([(1, .all)])
        fetch(&test, [1, 2])
        let outer = Scope(try #require(test.run(test.entry(1))))
        let (first, second) = (CallEntry(1, scope: "scope"), CallEntry(2, scope: "scope"))
        test.event { $0.submit(first) }
        test.event { $0.submit(second) }
        test.event { $0.wait(for: second, Caller(Settings(), reader: outer)) }
        #expect(working(test, 1...2) == [1])
        fetch(&test, [2], reader: Scope(first))
        #expect(working(test, 1...2) == [1, 2])
    }
}
