import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Attempts of runs with real tasks (R11, R12, R26). What follows a failure is tested by ``RunTrialsTests``.
@Suite(.timeLimit(.minutes(5))) struct EngineAttemptTests {
    private let clock = ManualClock()
    private let engine: Engine

    init() { engine = Engine(clock: clock) }

    private func setOnline(_ isOnline: Bool) { engine.enterNow { $0.setOnline(isOnline) } }

    private func isPaused(_ coded: Coded) -> Bool { engine.state(coded.entry).record.flags.contains(.paused) }

    private func isOnline() -> Bool { !engine.enter { $0.network.isOffline } }

    private struct LocalError: QueryErrorConvertible {
        var code: QueryError.Code?
        var queryError: QueryError? { code.map { QueryError($0) } }
        var dependsOnNetwork: Bool { false }
    }

    // MARK: Network

    @Test(arguments: [TestError(), QueryError(.timeout), QueryError(.networkUnavailable)] as [any Error])
    func `R12 each failure without a network waits for it, and a caller waits too`(_ error: any Error) async throws {
        let coded = Coded(engine, 1) { [engine] number in
            if engine.enter({ $0.network.isOffline }) { throw error }
            return number
        }
        setOnline(false)
        async let value = coded.fetch()
        while !isPaused(coded) { await Task.yield() }
        clock.advance(by: .seconds(3_600))
        await engine.settled()
        #expect(coded.runs == 1)
        setOnline(true)
        #expect(try await value == 2)
    }

    @Test func `R12 an error that doesn't depend on the network is retried without one`() async {
        let coded = Coded(engine, 1, retries: 2) { _ in throw LocalError() }
        setOnline(false)
        let subscription = coded.observe()
        await engine.settled()
        #expect(coded.runs == 3 && !isPaused(coded))
        subscription.cancel()
    }

    @Test func `R12 damaged data is repaired without a network, and its value is shown`() async throws {
        let coded = Coded(engine, 1) {
            $0.repair = { _, _ in true }
        } code: { number in
            if number == 1 { throw LocalError(code: .databaseCorruption) }
            return number
        }
        setOnline(false)
        #expect(try await coded.fetch() == 2)
    }

    @Test func `R12 a network that is lost during the backoff pauses the run, and a pause is no retry`() async {
        let gate = Lock<Gate?>(nil)
        let coded = Coded(engine, 1, retries: 1, backoff: .seconds(5)) { number in
            try await gate.withLock { $0 }?.pass()
            if number < 4 { throw TestError() }
            return number
        }
        let subscription = coded.observe()
        await engine.settled()
        setOnline(false)
        clock.advance(by: .seconds(5))
        await engine.settled()
        #expect(coded.runs == 1 && isPaused(coded))
        // Each attempt fails after the network is lost again.
        for runs in 2...3 {
            let next = Gate()
            gate.withLock { $0 = next }
            setOnline(true)
            await next.arrived()
            setOnline(false)
            next.open()
            await engine.settled()
            #expect(coded.runs == runs && isPaused(coded))
        }
        gate.withLock { $0 = nil }
        setOnline(true)
        await engine.settled()
        #expect(coded.value == 4)
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R12 in the mode online a run pauses before its first attempt, and before later ones`(isDeduplicated: Bool) async throws {
        let coded = Coded(engine, 1, isDeduplicated: isDeduplicated, retries: 1, backoff: .seconds(5)) {
            $0.networkMode = .online
        } code: { number in
            if number == 1 { throw LocalError() }
            return number
        }
        setOnline(false)
        async let value = coded.fetch()
        while !isPaused(coded) { await Task.yield() }
        #expect(coded.runs == 0)
        setOnline(true)
        while clock.alarmCount == 0 { await Task.yield() }
        await engine.settled()
        setOnline(false)
        clock.advance(by: .seconds(5))
        await engine.settled()
        #expect(coded.runs == 1 && isPaused(coded))
        setOnline(true)
        #expect(try await value == 2)
    }

    // MARK: Help

    @Test(arguments: [QueryError.Code.databaseCorruption, .insufficientPermissions])
    func `R26 a run asks for a repair or an authorization once, and a later run asks again`(_ code: QueryError.Code) async {
        let asked = Lock(0)
        let help: @Sendable (any Error, QueryContext) async -> Bool = { _, _ in
            asked.withLock { $0 += 1 }
            return true
        }
        let coded = Coded(engine, 1) {
            ($0.repair, $0.authorization) = (help, help)
        } code: { _ in
            throw QueryError(code)
        }
        for runs in 1...2 {
            await #expect(throws: QueryError.self) { try await coded.fetch() }
            #expect(asked.withLock { $0 } == runs && coded.runs == 2 * runs)
        }
    }

    @Test func `R26 a run asks for both, also after retries, and a refused one ends it`() async {
        let asked = Lock<[String]>([])
        let coded = Coded(engine, 1, retries: 2) {
            $0.repair = { _, _ in
                asked.withLock { $0.append("repair") }
                return true
            }
            $0.authorization = { _, _ in
                asked.withLock { $0.append("authorization") }
                return false
            }
        } code: { number in
            throw [TestError(), QueryError(.databaseCorruption), TestError(), QueryError(.insufficientPermissions)][number - 1] as any Error
        }
        await #expect(throws: QueryError.self) { try await coded.fetch() }
        #expect(asked.withLock { $0 } == ["repair", "authorization"])
        #expect(coded.runs == 4)
    }

    @Test func `R26 R33 an authorization may take longer than an attempt, and the client isn't settled until it has ended`() async throws {
        let gate = Gate()
        let coded = Coded(engine, 1) {
            $0.timeout = .seconds(10)
            $0.authorization = { _, _ in (try? await gate.pass()) != nil }
        } code: { number in
            if number == 1 { throw QueryError(.insufficientPermissions) }
            return number
        }
        async let value = coded.fetch()
        await gate.arrived()
        clock.advance(by: .seconds(60))
        #expect(engine.enter { $0.work } > 0)
        gate.open()
        #expect(try await value == 2)
    }

    @Test func `R7 an authorization is cancelled with its run, also after a timeout`() async {
        let (gate, stubborn) = (Gate(), Gate(ignoresCancellation: true))
        let coded = Coded(engine, 1) {
            $0.timeout = .seconds(10)
            $0.recovery = QueryRecovery { _, _ in .authorize }
            $0.authorization = { _, _ in (try? await gate.pass()) != nil }
        } code: { number in
            try await stubborn.pass()
            return number
        }
        let caller = Task { try await coded.fetch() }
        await stubborn.arrived()
        clock.advance(by: .seconds(10))
        await gate.arrived()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        // The gate lets it go, because its task is cancelled.
        while gate.heldCount > 0 { await Task.yield() }
        stubborn.open()
        await engine.settled()
        #expect(coded.value == nil)
    }

    // MARK: Before the first attempt

    @Test func `R26 what the request refuses is final, whatever the recovery says`() async {
        let coded = Coded(engine, 1, retries: 3, isValid: false) {
            $0.recovery = QueryRecovery { _, _ in .retry }
        } code: {
            $0
        }
        await #expect(throws: QueryError.self) { try await coded.fetch() }
        #expect(coded.runs == 0)
    }

    @Test func `R26 an attempt without any time fails before it begins`() async {
        let coded = Coded(engine, 1) {
            $0.timeout = .zero
        } code: {
            $0
        }
        let error = await #expect(throws: QueryError.self) { try await coded.fetch() }
        #expect(error?.code == .timeout && coded.runs == 0)
    }

    @Test func `R33 settled waits for the end of an attempt that has timed out while it awaited another request`() async {
        let gate = Gate(ignoresCancellation: true)
        let inner = Coded(engine, 1) { number in
            try await gate.pass()
            return number
        }
        let asking = Gate()
        let outer = Coded(engine, 2) {
            $0.timeout = .seconds(10)
            $0.recovery = QueryRecovery { _, _ in .authorize }
            $0.authorization = { _, _ in (try? await asking.pass()) != nil }
        } code: { number in
            // The wait of a task of its own doesn't end with the attempt.
            number == 1 ? try await Task { try await inner.fetch() }.value : 7
        }
        let subscription = outer.observe()
        await gate.arrived()
        clock.advance(by: .seconds(10))
        await asking.arrived()
        #expect(engine.enter { ledger in ledger[outer.entry].run.map { ledger[$0].waits } } == 0)
        asking.open()
        gate.open()
        await engine.settled()
        #expect(outer.value == 7)
        subscription.cancel()
    }
}
