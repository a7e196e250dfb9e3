import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A layer goes in the same change that shows what it promised, whenever the run began that read it (R22).
@Suite(.timeLimit(.minutes(5))) struct LayerLandingTests {
    private let account = Account()
    private let client: QueryClient
    private let store: QueryStore<Balance.State>
    private let subscription: QuerySubscription
    /// What was shown, one after the other.
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

    /// What was shown, without repetitions.
    private var steps: [Int] { shown.all.compactMap(\.self).reduce(into: []) { if $0.last != $1 { $0.append($1) } } }

    /// Lets a run end that is held at one step of its read until a call has come to a step of its commit. The call is still held there.
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
    func `R22 a run that began before the call and reads after its commit takes the layer along`(isNumbered: Bool) async throws {
        account.isNumbered = isNumbered
        let calling = try await land(readHeld: .beforeNote, callHeld: .afterCommit)
        #expect(store.value == 5 && !store.isOptimistic)
        calling.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 a run that read before the commit leaves the layer where it is`() async throws {
        let calling = try await land(readHeld: .afterRead, callHeld: .afterCommit)
        calling.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
        #expect(steps == [0, 5])
    }

    @Test func `R22 a run that read the commit before the client was told of it takes the layer along`() async throws {
        let calling = try await land(readHeld: .afterNote, callHeld: .beforeTelling)
        #expect(store.value == 5 && !store.isOptimistic)
        calling.open()
        await client.settled()
        #expect(steps == [0, 5])
    }

    @Test func `R22 what was read just while the commit came about is read again, and not shown`() async throws {
        let (reading, committing) = (account.hold(.afterNote), account.hold(.whileCommitting))
        store.refetch()
        await reading.arrived()
        try client.submit(Deposit(), with: 5)
        await committing.arrived()
        // The reader sees it, and can't tell.
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

    @Test func `R22 R18 a single caller whose read is refused gets what is read after it`() async throws {
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

    @Test func `R22 a run that the change has caused takes the layer along, whatever it reads by then`() async throws {
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

    @Test func `R22 a result of which that can't be told twice in a row is shown with the layer`() async throws {
        let committing = account.hold(.whileCommitting)
        try client.submit(Deposit(), with: 5)
        await committing.arrived()
        #expect(try await store.fetch() == 0)
        // The run that follows may still be under way.
        await reaches { !store.state.isFetching }
        #expect(account.reads == 3 && store.value == 5 && store.isOptimistic)
        committing.open()
        await client.settled()
        #expect(store.value == 5 && !store.isOptimistic)
    }

    @Test func `R22 a commit that failed is not taken for one that was read`() async throws {
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

    @Test func `R22 a layer stays over what the call has not changed yet`() async throws {
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

    @Test func `R22 an intermediate value that holds the change already is not shown over the layer`() async throws {
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

    @Test func `R22 what a run takes over was not read when the run reads something itself`() async throws {
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

    @Test func `R22 a run that takes over what another one has just read takes its sight over too`() async throws {
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

    @Test func `R18 R22 who waits for a result that is refused reads again with it`() async throws {
        account.isNumbered = false
        let reading = account.hold(.afterRead)
        let copy = client.store(for: Copied())
        // Its first run: nothing is known of what it reads but by the one that it waits for.
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

    @Test func `R22 the value of a private run is not shown if it may hold the change`() async throws {
        account.isNumbered = false
        let (reading, returning) = (account.hold(.afterNote), account.hold(.afterCommit))
        let read = Task { [client] in try await client.fetch(Balance().deduplicated(false)) }
        await reading.arrived()
        // What the change brings about is held, so that the private run is over first.
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
    func `R22 what a mutation inside another one commits takes the layer of the outer one along`(hasOwnLayer: Bool) async throws {
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

    @Test func `R22 many calls one after the other never show more or less than was promised`() async throws {
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

// MARK: The source

/// An account with a balance, whose reads and commits a test can hold at each step.
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

    /// Whether a read says that it has read the notes, and not the balance.
    var readsOnlyNotes: Bool {
        get { state.withLock { $0.readsOnlyNotes } }
        set { state.withLock { $0.readsOnlyNotes = newValue } }
    }

    /// Holds the next one who comes to a step; those after it pass.
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

    /// Reads something else than the balance.
    func look() async throws {
        try await reach(.beforeLook)
        QueryReads.note([Self.notes])
        let commits = state.withLock { $0.ended...$0.begun }
        QueryReads.current?.note(ReadMoment(commits, of: self))
    }

    /// Lets a commit that is under way be read already.
    func commitEarly(_ amount: Int) { state.withLock { $0.balance += amount } }

    /// A change that is no mutation's.
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
            return CommitPlace(state.begun, of: self)
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
            // Unless it has come about early.
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

/// The balance, which another request fetches.
private struct Copied: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.queryClient?.fetch(Balance()) ?? 0
    }
}

private struct Twice: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        // A value that is there already does.
        let balance = try await context.queryClient?.fetch(Balance().ttl(.infinity)) ?? 0
        try await context[AccountKey.self].look()
        return 2 * balance
    }
}

/// A mutation that deposits by another one, or as that does.
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

/// A deposit that shows only when it has come true.
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
