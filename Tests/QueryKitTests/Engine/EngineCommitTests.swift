import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// When a value includes what a call has changed, so that its layer goes (R22).
@Suite(.timeLimit(.minutes(5))) struct EngineCommitTests {
    /// An account whose balance a call increases by 5, at the steps that a test chooses.
    private final class Account: Sendable {
        let engine: Engine
        let balance = Lock(0)
        let commits = Lock<ClosedRange<UInt64>>(1...1)
        /// Held before each of these steps of a read or of the call.
        let gates: [String: Gate]

        init(_ engine: Engine, holding steps: [String]) {
            self.engine = engine
            gates = Dictionary(uniqueKeysWithValues: steps.map { ($0, Gate()) })
        }

        func pass(_ step: String) async throws { try await gates[step]?.pass() }

        func read() async throws -> Int {
            try await pass("note")
            Scope.current?.note([region("balance")])
            try await pass("read")
            Scope.current?.note(ReadMoment(commits.withLock { $0 }, of: self))
            let value = balance.withLock { $0 }
            try await pass("end")
            return value
        }

        func deposit() async throws {
            try await pass("begin")
            let commit = SourceCommit(2, of: self)
            Scope.current?.begin([region("balance")], at: commit)
            commits.withLock { $0 = 1...2 }
            try await pass("commit")
            balance.withLock { $0 += 5 }
            try await pass("settle")
            commits.withLock { $0 = 2...2 }
            try await pass("report")
            engine.changed([region("balance")])
            try await pass("return")
        }
    }

    private final class Deposit: CallCode {
        let account: Account
        let isNested: Bool

        init(_ account: Account, isNested: Bool = false) { (self.account, self.isNested) = (account, isNested) }

        func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
            do {
                if isNested {
                    let inner = CallEntry(engine.enter { $0.nextCall() }, outer: Scope.current?.call, work: Deposit(account))
                    engine.submit(inner)
                    _ = try await engine.result(of: inner)
                } else {
                    try await account.deposit()
                }
                return .success(AnyValue(0))
            } catch {
                return .failure(error)
            }
        }

        func append() async throws {}
        func remove() async {}
    }

    private let engine = Engine(clock: ManualClock())

    /// Subscribes to the balance, and waits for its first value.
    private func observe(_ account: Account) async -> (Coded, QuerySubscription, Lock<[Int]>) {
        let shown = Lock<[Int]>([])
        let request = Coded(engine, 1) { number in number == 1 ? try first(account) : try await account.read() }
        let subscription = request.observe { publication in
            guard let value = publication.state.current?.unboxed(as: Int.self) else { return }
            shown.withLock { if $0.last != value { $0.append(value) } }
        }
        await engine.settled()
        return (request, subscription, shown)
    }

    private func first(_ account: Account) throws -> Int {
        Scope.current?.note([region("balance")])
        return account.balance.withLock { $0 }
    }

    private func submit(_ account: Account, over request: Coded, isNested: Bool = false) {
        let layer: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Int.self) + 5) } }
        let work = Deposit(account, isNested: isNested)
        engine.enterNow { ledger in
            ledger.submit(CallEntry(ledger.nextCall(), layers: [(request.entry, layer)], work: work))
        }
    }

    private func isOptimistic(_ request: Coded) -> Bool { engine.state(request.entry).record.flags.contains(.optimistic) }

    private func reaches(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

    /// Holds a read and a call at one step each, lets the read end, and then the call. Returns what was shown between.
    private func land(readHeld: String, callHeld: String, isNested: Bool = false) async throws -> (value: Int?, isOptimistic: Bool) {
        let account = Account(engine, holding: [readHeld, callHeld])
        let (request, subscription, shown) = await observe(account)
        defer { subscription.cancel() }
        engine.invalidate(.entries([request.entry]), .manual)
        await account.gates[readHeld]!.arrived(1)
        submit(account, over: request, isNested: isNested)
        await account.gates[callHeld]!.arrived(1)
        account.gates[readHeld]!.open()
        await reaches { !engine.state(request.entry).record.showsFetching }
        let between = (request.value, isOptimistic(request))
        account.gates[callHeld]!.open()
        await engine.settled()
        #expect(request.value == 5 && !isOptimistic(request))
        #expect(shown.withLock { $0 } == [0, 5])
        return between
    }

    @Test(arguments: [true, false])
    func `R22 a run that reads after the commit removes the layer, although it began before the call`(isNested: Bool) async throws {
        let between = try await land(readHeld: "note", callHeld: "return", isNested: isNested)
        #expect(between == (5, false))
    }

    @Test func `R22 a run that read the commit before it was reported removes the layer`() async throws {
        #expect(try await land(readHeld: "read", callHeld: "report") == (5, false))
    }

    @Test func `R22 a run that read before the commit leaves the layer`() async throws {
        #expect(try await land(readHeld: "end", callHeld: "report") == (5, true))
    }

    @Test func `R22 of reads during the commit one is repeated, and the next one is shown beneath the layer`() async throws {
        let account = Account(engine, holding: ["commit"])
        let (request, subscription, shown) = await observe(account)
        submit(account, over: request)
        await account.gates["commit"]!.arrived(1)
        #expect(try await request.fetch(takesFresh: false) == 0)
        #expect(request.runs == 3 && request.value == 5 && isOptimistic(request))
        account.gates["commit"]!.open()
        await engine.settled()
        #expect(request.value == 5 && !isOptimistic(request) && shown.withLock { $0 } == [0, 5])
        subscription.cancel()
    }

    @Test func `R22 a private run that read during the commit gives its value to its caller only`() async throws {
        let account = Account(engine, holding: ["settle"])
        let (request, subscription, shown) = await observe(account)
        submit(account, over: request)
        await account.gates["settle"]!.arrived(1)
        let alone = Coded(engine, 1, isDeduplicated: false) { _ in try await account.read() }
        #expect(try await alone.fetch(takesFresh: false) == 5)
        #expect(request.value == 5 && isOptimistic(request))
        account.gates["settle"]!.open()
        await engine.settled()
        #expect(shown.withLock { $0 } == [0, 5])
        subscription.cancel()
    }

    @Test func `R22 a commit that has failed doesn't count as read`() async throws {
        let account = Account(engine, holding: ["return"])
        let (request, subscription, _) = await observe(account)
        let source = account
        let work = HeldWork(account.gates["return"]!) {
            let commit = SourceCommit(2, of: source)
            Scope.current?.begin([region("balance")], at: commit)
            Scope.current?.withdraw(commit)
        }
        let layer: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Int.self) + 5) } }
        engine.enterNow { $0.submit(CallEntry($0.nextCall(), layers: [(request.entry, layer)], work: work)) }
        await account.gates["return"]!.arrived(1)
        account.commits.withLock { $0 = 2...2 }
        _ = try await request.fetch(takesFresh: false)
        #expect(request.value == 5 && isOptimistic(request) && request.runs == 2)
        account.gates["return"]!.open()
        await engine.settled()
        subscription.cancel()
    }
}

private final class HeldWork: CallCode {
    let gate: Gate
    let work: @Sendable () -> Void

    init(_ gate: Gate, _ work: @escaping @Sendable () -> Void) { (self.gate, self.work) = (gate, work) }

    func perform(_ call: CallEntry, attempt: Int, in engine: Engine) async -> CallEntry.Outcome {
        work()
        try? await gate.pass()
        return .success(AnyValue(0))
    }

    func append() async throws {}
    func remove() async {}
}
