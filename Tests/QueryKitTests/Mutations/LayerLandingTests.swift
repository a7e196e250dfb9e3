import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A layer is removed in the same change that shows its effect in the value, whenever the run that read it began (R22).
struct LayerLandingTests {
    private let account = Account()
    private let client: QueryClient
    private let store: QueryStore<Balance.State>
    private let subscription: QuerySubscription
    /// The shown values in order.
    private let shown = Recorder<Int?>()

    init() async throws {
        var context = QueryContext()
        context[AccountKey.self] = account
        client = QueryClient.test(context: context)
        account.connect(to: client)
        store = client.store(for: Balance())
        subscription = store.subscribe(with: QueryEventHandler { [shown] state, _ in shown.note(state.value) })
        await client.settled()
    }

    /// The shown values without repetitions.
    private var steps: [Int] { shown.all.compactMap(\.self).reduce(into: []) { if $0.last != $1 { $0.append($1) } } }

    /// Starts a run held at one step of its read and a call held at one step of its commit, and lets the run end. The call stays held.
    private func land(readHeld: Account.Step, callHeld: Account.Step) async throws -> Gate {
        let (reading, calling) = (account.hold(readHeld), account.hold(callHeld))
        store.refetch()
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await calling.arrived()
        reading.open()
        await reaches { !store.state.isFetching }
        return calling
    }

    @Test(arguments: [true, false])
    func `R22 a run that began before the call but reads after its commit removes the layer`(isNumbered: Bool) async throws {
        account.isNumbered = isNumbered
        let calling = try await land(readHeld: .beforeNote, callHeld: .afterCommit)
        #expect(store.value == 5 && !store.isOptimistic)
        calling.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 a run that read before the commit leaves the layer in place`() async throws {
        let calling = try await land(readHeld: .afterRead, callHeld: .afterCommit)
        calling.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
        #expect(steps == [0, 5])
    }

    @Test func `R22 a run that read the commit before the client was notified of it removes the layer`() async throws {
        let calling = try await land(readHeld: .afterNote, callHeld: .beforeTelling)
        #expect(store.value == 5 && !store.isOptimistic)
        calling.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 a value read during the commit is not shown, but read again`() async throws {
        let (reading, committing) = (account.hold(.afterNote), account.hold(.whileCommitting))
        store.refetch()
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await committing.arrived()
        // The reader sees the commit, but can't know it.
        account.commitEarly(5)
        let again = account.hold(.beforeNote)
        reading.open()
        await again.arrived()
        #expect(store.value == 5 && store.isOptimistic)
        let returning = account.hold(.afterCommit)
        committing.open()
        await returning.arrived()
        again.open()
        await reaches { !store.state.isFetching }
        #expect(store.value == 5 && !store.isOptimistic)
        returning.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 R18 a single caller whose read is rejected gets the value of the next read`() async throws {
        subscription.cancel()
        let (reading, committing) = (account.hold(.afterNote), account.hold(.whileCommitting))
        let fetched = Task { [store] in try await store.fetch() }
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await committing.arrived()
        account.commitEarly(5)
        let again = account.hold(.beforeNote)
        reading.open()
        await again.arrived()
        committing.open()
        again.open()
        #expect(try await fetched.value == 5)
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
    }

    @Test func `R22 a run caused by the change removes the layer, even if it reads an unchanged region`() async throws {
        account.isNumbered = false
        let returning = account.hold(.afterCommit)
        account.readsOnlyNotes = true
        try client.submit(Deposit(), with: 5)
        await returning.arrived()
        await reaches { account.reads == 2 && !store.state.isFetching }
        #expect(store.value == 5 && !store.isOptimistic)
        returning.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 a second ambiguous read in a row is shown with the layer`() async throws {
        let committing = account.hold(.whileCommitting)
        try client.submit(Deposit(), with: 5)
        await committing.arrived()
        #expect(try await store.fetch() == 0)
        // The following run may still be under way.
        await reaches { !store.state.isFetching }
        #expect(account.reads == 3 && store.value == 5 && store.isOptimistic)
        committing.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
    }

    @Test func `R22 a failed commit does not count as read`() async throws {
        let failing = account.hold(.instead)
        try client.submit(Deposit().retry(limit: 1, backoff: .constant(.zero)), with: 5)
        await failing.arrived()
        let again = account.hold(.beforeCommit)
        failing.fail(with: TestError())
        await again.arrived()
        #expect(try await store.fetch() == 0)
        #expect(store.value == 5 && store.isOptimistic)
        again.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
        #expect(steps == [0, 5])
    }

    @Test func `R22 a layer stays over values that the call has not changed yet`() async throws {
        let before = account.hold(.beforeCommit)
        account.addsNoteFirst = true
        try client.submit(Deposit(), with: 5)
        await before.arrived()
        _ = try await store.fetch()
        #expect(store.value == 5 && store.isOptimistic)
        before.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
        #expect(steps == [0, 5])
    }

    @Test func `R22 an intermediate value that already includes the change is not shown over the layer`() async throws {
        let (reading, returning) = (account.hold(.beforeNote), account.hold(.afterCommit))
        let ending = account.hold(.afterYield)
        store.refetch()
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await returning.arrived()
        reading.open()
        await ending.arrived()
        #expect(store.value == 5 && store.isOptimistic)
        ending.open()
        returning.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 a value taken from another store does not count as read after the commit`() async throws {
        let outer = client.store(for: Twice())
        let subscription = outer.subscribe(with: QueryEventHandler())
        await client.settled()
        let (looking, telling) = (account.hold(.beforeLook), account.hold(.beforeTelling))
        outer.refetch()
        await looking.arrived()
        try client.submit(Deposit(), with: 5)
        await telling.arrived()
        looking.open()
        await reaches { !outer.state.isFetching }
        #expect(outer.value == 10 && outer.isOptimistic)
        telling.open()
        await client.settled()
        #expect(outer.value == 10 && !outer.isOptimistic && store.value == 5)
        subscription.cancel()
    }

    @Test func `R22 a run that takes another run's fresh result knows what that run has read`() async throws {
        let copy = client.store(for: Copied())
        let subscription = copy.subscribe(with: QueryEventHandler())
        await client.settled()
        let (reading, telling) = (account.hold(.afterNote), account.hold(.beforeTelling))
        copy.refetch()
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await telling.arrived()
        reading.open()
        await reaches { !copy.state.isFetching }
        #expect(copy.value == 5 && !copy.isOptimistic && store.value == 5)
        telling.open()
        await client.settled()
        #expect(copy.value == 5 && steps == [0, 5])
        subscription.cancel()
    }

    @Test func `R18 R22 a run that waits for a rejected inner result reads again together with it`() async throws {
        account.isNumbered = false
        let reading = account.hold(.afterRead)
        let copy = client.store(for: Copied())
        // In its first run, its regions are known only through the run that it waits for.
        let subscription = copy.subscribe(with: QueryEventHandler())
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await reaches { account.balance == 5 }
        reading.open()
        await client.settled()
        #expect(copy.value == 5 && !copy.isOptimistic && store.value == 5)
        account.change(by: 1)
        await client.settled()
        #expect(copy.value == 6 && store.value == 6)
        subscription.cancel()
    }

    @Test func `R22 the value of a private run is not shown if it may include the change`() async throws {
        account.isNumbered = false
        let (reading, returning) = (account.hold(.afterNote), account.hold(.afterCommit))
        let read = Task { [client] in try await client.fetch(Balance().deduplicated(false)) }
        await reading.arrived()
        // Holds the run that the change causes, so that the private run ends first.
        let following = account.hold(.beforeNote)
        try client.submit(Deposit(), with: 5)
        await returning.arrived()
        reading.open()
        #expect(try await read.value == 5)
        #expect(store.value == 5 && store.isOptimistic)
        following.open()
        returning.open()
        await client.settled()
        #expect(store.value == 5 && steps == [0, 5])
    }

    @Test(arguments: [true, false])
    func `R22 a commit by a nested mutation removes the outer mutation's layer`(hasOwnLayer: Bool) async throws {
        let (reading, returning) = (account.hold(.beforeNote), account.hold(.afterCommit))
        store.refetch()
        await reading.arrived()
        try client.submit(Salary(isDeposit: hasOwnLayer), with: 5)
        await returning.arrived()
        reading.open()
        await reaches { !store.state.isFetching }
        #expect(store.value == 5 && !store.isOptimistic)
        returning.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
    }

    @Test func `R22 many calls in a row never show more or less than their layers promised`() async throws {
        account.isHurried = true
        let total = 200
        for _ in 0..<total {
            try client.submit(Deposit(), with: 1)
            if Bool.random() { await Task.yield() }
        }
        await client.settled()
        #expect(store.value == total && !store.isOptimistic)
        let steps = steps
        #expect(steps == steps.sorted() && steps.last == total, "\(steps)")
    }
}

// MARK: Source

/// An account with a balance. Tests can hold its reads and commits at each step.
private final class Account: Sendable {
    enum Step: Hashable {
        case beforeNote, afterNote, afterRead, afterYield, beforeLook
        case beforeCommit, instead, whileCommitting, beforeTelling, afterCommit
    }

    private struct State {
        var balance = 0
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var reads = 0
        var gates: [Step: Gate] = [:]
        var isNumbered = true
        var isHurried = false
        var addsNoteFirst = false
        var readsOnlyNotes = false
        weak var client: QueryClient?
    }

    private let state = Lock(State())
    private static let balance = QueryRegion(source: "bank", name: "balance")
    private static let notes = QueryRegion(source: "bank", name: "notes")

    func connect(to client: QueryClient) { state.withLock { $0.client = client } }

    var reads: Int { state.withLock { $0.reads } }
    var balance: Int { state.withLock { $0.balance } }
    var isNumbered: Bool {
        get { state.withLock { $0.isNumbered } }
        set { state.withLock { $0.isNumbered = newValue } }
    }
    var isHurried: Bool {
        get { state.withLock { $0.isHurried } }
        set { state.withLock { $0.isHurried = newValue } }
    }
    var addsNoteFirst: Bool {
        get { state.withLock { $0.addsNoteFirst } }
        set { state.withLock { $0.addsNoteFirst = newValue } }
    }

    /// Whether a read notes the region of the notes instead of the balance.
    var readsOnlyNotes: Bool {
        get { state.withLock { $0.readsOnlyNotes } }
        set { state.withLock { $0.readsOnlyNotes = newValue } }
    }

    /// Holds the next read or commit that reaches a step; later ones pass.
    func hold(_ step: Step) -> Gate {
        let gate = Gate()
        state.withLock { $0.gates[step] = gate }
        return gate
    }

    private func reach(_ step: Step) async throws {
        let gate = state.withLock { $0.gates.removeValue(forKey: step) }
        try await gate?.pass()
        if isHurried, Bool.random() { await Task.yield() }
    }

    func read(yield: (Int) -> Void) async throws -> Int {
        try await reach(.beforeNote)
        QueryReads.note([readsOnlyNotes ? Self.notes : Self.balance])
        try await reach(.afterNote)
        let (balance, moment) = state.withLock { state in
            state.reads += 1
            return (state.balance, state.isNumbered ? ReadMoment(state.ended...state.begun, of: self) : nil)
        }
        if let moment { QueryReads.current?.note(moment) }
        try await reach(.afterRead)
        if state.withLock({ $0.gates[.afterYield] != nil }) { yield(balance) }
        try await reach(.afterYield)
        return balance
    }

    /// Reads something other than the balance.
    func look() async throws {
        try await reach(.beforeLook)
        QueryReads.note([Self.notes])
        let commits = state.withLock { $0.ended...$0.begun }
        QueryReads.current?.note(ReadMoment(commits, of: self))
    }

    /// Makes a commit that is under way visible to readers.
    func commitEarly(_ amount: Int) { state.withLock { $0.balance += amount } }

    /// A change made by no mutation.
    func change(by amount: Int) {
        commitEarly(amount)
        state.withLock { $0.client }?.changed([Self.balance])
    }

    func deposit(_ amount: Int) async throws {
        let client = state.withLock { $0.client }
        if addsNoteFirst { client?.changed([Self.notes]) }
        try await reach(.beforeCommit)
        let writes = isNumbered ? QueryReads.current?.writes : nil
        let place = state.withLock { state in
            state.begun += 1
            return SourceCommit(state.begun, of: self)
        }
        writes?.begin([Self.balance], at: place)
        let before = state.withLock { $0.balance }
        do {
            try await reach(.instead)
        } catch {
            state.withLock { $0.ended = place.number }
            writes?.withdraw(place)
            throw error
        }
        try await reach(.whileCommitting)
        state.withLock { state in
            // Unless it was made visible early.
            if state.balance == before || isHurried(state) { state.balance += amount }
            state.ended = max(state.ended, place.number)
        }
        try await reach(.beforeTelling)
        client?.changed([Self.balance])
        try await reach(.afterCommit)
    }

    private func isHurried(_ state: borrowing State) -> Bool { state.isHurried }
}

private struct AccountKey: QueryContext.Key {
    static var defaultValue: Account { Account() }
}

private struct Balance: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context[AccountKey.self].read { continuation.yield($0) }
    }
}

/// The balance, fetched through another request.
private struct Copied: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.queryClient?.fetch(Balance()) ?? 0
    }
}

private struct Twice: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        // An existing value is accepted.
        let balance = try await context.queryClient?.fetch(Balance().ttl(.infinity)) ?? 0
        try await context[AccountKey.self].look()
        return 2 * balance
    }
}

/// A mutation that deposits through another one, with or without a layer.
private struct Salary: MutationRequest {
    let isDeposit: Bool

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        if isDeposit {
            try await context.queryClient?.mutate(Deposit(), with: amount)
        } else {
            try await context.queryClient?.mutate(PlainDeposit(), with: amount)
        }
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) throws { layers.update(Balance()) { $0 += amount } }
}

/// A deposit without a layer.
private struct PlainDeposit: MutationRequest {
    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context[AccountKey.self].deposit(amount)
    }
}

private struct Deposit: MutationRequest {
    var scope: String? { "bank" }

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context[AccountKey.self].deposit(amount)
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) throws {
        layers.update(Balance()) { $0 += amount }
        layers.update(Copied()) { $0 += amount }
        layers.update(Twice()) { $0 += 2 * amount }
    }
}
