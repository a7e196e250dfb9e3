import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The tasks of runs are as urgent as their most urgent callers.
@Suite(.timeLimit(.minutes(5))) struct EnginePriorityTests {
    private let clock = ManualClock()
    private let engine: Engine
    private let gate = Gate()

    init() { engine = Engine(clock: clock) }

    /// A caller whose task nothing awaits, because that would raise it.
    private func call(_ coded: Coded, at priority: TaskPriority) {
        Task.detached(priority: priority) { try await coded.fetch(takesFresh: false) }
    }

    private func callers(of coded: Coded) -> Int {
        engine.enter { ledger in ledger[coded.entry].run.map { ledger[$0].callers.count + ledger[$0].nextCallers.count } ?? 0 }
    }

    /// Waits until the code of a run has a priority; the most that it has had, if that never comes.
    private static func waitFor(_ priority: TaskPriority) async -> TaskPriority {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while Task.currentPriority < priority, ContinuousClock.now < end { await Task.yield() }
        return Task.currentPriority
    }

    @Test func `a run has the priority of its first caller, and so have its later attempts`() async {
        let seen = Lock<[TaskPriority]>([])
        let coded = Coded(engine, 1, retries: 1, backoff: .seconds(1)) { [gate] number in
            seen.withLock { $0.append(Task.currentPriority) }
            try await gate.pass()
            if number == 1 { throw TestError() }
            return number
        }
        call(coded, at: .low)
        await gate.arrived()
        gate.letThrough()
        await engine.settled()
        clock.advance(by: .seconds(1))
        await gate.arrived(2)
        gate.open()
        await engine.settled()
        #expect(seen.withLock { $0 } == [.low, .low])
    }

    @Test func `a more urgent caller raises the run that it joins, and one that this run waits for`() async {
        let seen = Lock<[TaskPriority]>([])
        let inner = Coded(engine, 1) { [gate] _ in
            try await gate.pass()
            seen.withLock { $0.append(Task.currentPriority) }
            let last = await Self.waitFor(.high)
            seen.withLock { $0.append(last) }
            return 1
        }
        let outer = Coded(engine, 2) { _ in try await inner.fetch() }
        call(outer, at: .low)
        await gate.arrived()
        gate.open()
        while seen.withLock({ $0.isEmpty }) { await Task.yield() }
        call(outer, at: .high)
        await engine.settled()
        #expect(seen.withLock { $0 } == [.low, .high])
    }

    @Test func `a caller that waits for the next run raises the one before it`() async {
        let seen = Lock<TaskPriority?>(nil)
        let coded = Coded(engine, 1) { [gate] number in
            if number > 1 { return number }
            try await gate.pass()
            let last = await Self.waitFor(.high)
            seen.withLock { $0 = last }
            return number
        }
        call(coded, at: .low)
        await gate.arrived()
        engine.enterNow { $0.invalidate(.entries([coded.entry]), .manual) }
        call(coded, at: .high)
        while callers(of: coded) < 2 { await Task.yield() }
        gate.open()
        await engine.settled()
        #expect(seen.withLock { $0 } == .high)
        #expect(coded.runs == 2)
    }

    @Test func `a caller of the same priority, or of a lower one, raises nothing`() async {
        let coded = Coded(engine, 1) { [gate] _ in
            try await gate.pass()
            return 1
        }
        call(coded, at: .high)
        await gate.arrived()
        for priority in [TaskPriority.high, .low] { call(coded, at: priority) }
        while callers(of: coded) < 3 { await Task.yield() }
        #expect(engine.enter { $0[coded.entry].run?.task.priority } == .high)
        gate.open()
        await engine.settled()
    }
}
