import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Runs that fetch from another client.
@Suite(.timeLimit(.minutes(5))) struct ElsewhereTests {
    private let clock = ManualClock()
    private let (first, second): (Engine, Engine)

    init() { (first, second) = (Engine(clock: clock), Engine(clock: clock)) }

    @Test(arguments: [true, false])
    func `R18 a run depends on what it takes from another client, fresh or not`(isFresh: Bool) async throws {
        let inner = Coded(second, 1, ttl: .seconds(9)) { number in
            Scope.current?.note([region("t")])
            return number
        }
        if isFresh { _ = try await inner.fetch() }
        let parts = Lock<[RegionSet]>([])
        let outer = Coded(first, 1) { _ in
            let (value, reads) = try await Scope.collecting { try await inner.fetch() }
            parts.withLock { $0.append(reads) }
            return value * 10
        }
        let subscription = outer.observe()
        await first.settled()
        while outer.value == nil { await Task.yield() }
        #expect(outer.value == 10 && outer.reads == [region("t")])
        #expect(parts.withLock { $0.first?.regions } == [region("t")])
        second.changed([region("t")])
        first.changed([region("t")])
        while outer.value != 20 { await Task.yield() }
        #expect(inner.runs == 2)
        subscription.cancel()
    }

    @Test func `R18 a change between the end of a run and the run of another client that takes its value is not lost`() async throws {
        let gate = Gate()
        let inner = Coded(second, 1, ttl: .seconds(9)) { number in
            Scope.current?.note([region("t")])
            if number == 1 { try await gate.pass() }
            return number
        }
        let outer = Coded(first, 1) { _ in try await inner.fetch() }
        let subscription = outer.observe()
        await gate.arrived(1)
        // The outer run doesn't know the region yet.
        first.changed([region("t")])
        second.changed([region("t")])
        gate.open()
        while outer.value != 2 { await Task.yield() }
        #expect(outer.runs == 2)
        subscription.cancel()
    }

    @Test func `R33 R7 a run that waits for another client isn't work, and leaves when its caller does`() async throws {
        let gate = Gate()
        let inner = Coded(second, 1) { _ in
            Scope.current?.note([region("t")])
            try await gate.pass()
            return 1
        }
        let outer = Coded(first, 1) { _ in try await inner.fetch() }
        let caller = Task { try await outer.fetch() }
        await gate.arrived(1)
        await first.settled()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await second.settled()
        #expect(inner.engine.enter { $0[inner.entry].run == nil })
        await first.settled()
        #expect(first.enter { $0.work } == 0 && second.enter { $0.work } == 0)
        gate.open()
    }

    @Test(arguments: [2, 3])
    func `R18 requests of two clients that wait for each other fail`(length: Int) async throws {
        let requests = Lock<[Coded]>([])
        for index in 0..<length {
            // Of three requests, two are of the same client.
            let new = Coded([first, second, first][index], index) { _ in
                try await requests.withLock { $0[(index + 1) % length] }.fetch()
            }
            requests.withLock { $0.append(new) }
        }
        for index in 0..<length {
            let error = await #expect(throws: QueryError.self) { try await requests.withLock { $0[index] }.fetch() }
            #expect(error?.code == .cycle)
        }
        await first.settled()
        await second.settled()
        #expect(first.enter { $0.work } == 0 && second.enter { $0.work } == 0)
    }

    @Test func `R18 a change by a run of another client concerns every entry`() async throws {
        let reader = Coded(second, 1) { number in
            Scope.current?.note([region("t")])
            return number
        }
        let subscription = reader.observe()
        await second.settled()
        let second = second
        let writer = Coded(first, 1) { _ in
            second.changed([region("t")])
            return 1
        }
        _ = try await writer.fetch()
        await second.settled()
        #expect(reader.value == 2)
        subscription.cancel()
    }
}
