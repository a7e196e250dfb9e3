import Foundation
import QueryKitTesting
import TestSupport

@testable import QueryKit

/// What random calls work on: a server that counts each idempotency key, and a journal that may be slow or fail.
final class CallWorld: Sendable {
    /// The item that a call adds to two lists: its own and the list of all items.
    struct Item: Codable, Hashable, Sendable {
        let id: Int
        let list: Int

        /// Whether the server refuses the item on every attempt.
        var isRefused: Bool { id % 9 == 4 }
    }

    struct Effect: Sendable {
        let item: Item
        let key: UUID
        let session: String?
        let scope: String?
        let isDurable: Bool
    }

    private struct State {
        var effects: [Effect] = []
        var received: [UUID: Int] = [:]
        /// Items with an attempt that failed although there was a network.
        var failed: Set<Int> = []
        var written: [Int] = []
        var dice: Dice
        var isCalm = false
        var isHeld = false
        /// Operations of the journal that may fail.
        var failing: Set<String> = []
    }

    let gate = Gate()
    let journal = MemoryMutationJournal()
    /// Whether attempts fail although there is a network.
    let failsAtTimes: Bool
    private let state: Lock<State>

    init(seed: Int, failsAtTimes: Bool) {
        self.failsAtTimes = failsAtTimes
        state = Lock(State(dice: Dice(seed: seed)))
    }

    func roll(_ count: Int) -> Int { state.withLock { $0.dice.roll(count) } }

    // MARK: Server

    var effects: [Effect] { state.withLock { $0.effects } }

    func hasFailed(_ item: Item) -> Bool { state.withLock { $0.failed.contains(item.id) } }

    /// The items of one list, or of the list of all items.
    func items(_ list: Int?, in session: String?, of effects: [Effect]? = nil) -> [Item] {
        (effects ?? self.effects).filter { $0.session == session && (list == nil || $0.item.list == list) }.map(\.item)
    }

    func hold(_ isHeld: Bool) {
        state.withLock { $0.isHeld = isHeld }
        if !isHeld { gate.letThrough() }
    }

    func apply(_ item: Item, scope: String?, isDurable: Bool, in context: QueryContext) async throws {
        guard let key = context.mutationID else { throw TestError("no key") }
        let (isHeld, luck) = state.withLock { ($0.isHeld, $0.isCalm ? 0 : $0.dice.roll(12)) }
        if isHeld { try await gate.pass() }
        let isOnline = context.networkObserver?.isOnline != false
        // A request may be lost on its way to the server, or its response on the way back.
        if !isOnline, luck % 2 == 0 { throw URLError(.notConnectedToInternet) }
        if failsAtTimes, luck >= 10 { state.withLock { _ = $0.failed.insert(item.id) } }
        if failsAtTimes, luck == 11 { throw TestError("failed before") }
        if item.isRefused { throw QueryError(.invalidParameters, "refused") }
        let effect = Effect(item: item, key: key, session: context.session, scope: scope, isDurable: isDurable)
        state.withLock { state in
            state.received[key, default: 0] += 1
            if state.received[key] == 1 { state.effects.append(effect) }
        }
        if !isOnline { throw URLError(.networkConnectionLost) }
        if failsAtTimes, luck == 10 { throw TestError("failed after") }
    }

    // MARK: Journal

    /// The items of journaled calls, in the order of the journal.
    var written: [Int] { state.withLock { $0.written } }

    func fail(_ operations: Set<String>) { state.withLock { $0.failing = operations } }

    /// Stops all failures and opens all gates.
    func calm() {
        state.withLock { state in
            (state.isCalm, state.isHeld, state.failing) = (true, false, [])
        }
        gate.open()
    }

    fileprivate func operate<Result>(_ name: String, _ work: () async throws -> Result) async throws -> Result {
        let (pauses, fails) = state.withLock { state -> (Int, Bool) in
            (state.dice.roll(4), state.failing.contains(name) && state.dice.roll(3) == 0)
        }
        for _ in 0..<pauses { await Task.yield() }
        // An operation may fail although it has done its work.
        if fails, pauses % 2 == 0 { throw TestError("\(name) failed") }
        let result = try await work()
        for _ in 0..<pauses / 2 { await Task.yield() }
        if fails { throw TestError("\(name) failed afterwards") }
        return result
    }

    fileprivate func note(writings entries: [MutationJournalEntry]) throws {
        let items = try entries.map { try JSONDecoder().decode(Item.self, from: $0.arguments).id }
        state.withLock { state in state.written.append(contentsOf: items.filter { !state.written.contains($0) }) }
    }
}

/// The journal of a world, as a process sees it.
struct WorldJournal: SharedMutationJournal {
    let world: CallWorld

    func append(_ entry: MutationJournalEntry) async throws { throw TestError("without a lease") }

    func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws {
        try await world.operate("append") {
            try await world.journal.append(entry, leasedTo: lease)
            // Includes entries that another process has just written, so that the notes have the order of the journal.
            try world.note(writings: try await world.journal.entries())
        }
    }

    func remove(_ id: UUID) async throws { try await world.operate("remove") { try await world.journal.remove(id) } }
    func entries() async throws -> [MutationJournalEntry] { try await world.operate("entries") { try await world.journal.entries() } }
    func clear() async throws { try await world.operate("clear") { try await world.journal.clear() } }

    func setAside(_ id: UUID, because reason: String) async throws {
        try await world.operate("setAside") { try await world.journal.setAside(id, because: reason) }
    }

    func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim {
        try await world.operate("claim") { try await world.journal.claim(session: session, for: lease, at: date) }
    }

    func turn(of id: UUID, for lease: MutationLease, at date: Date) async throws -> MutationTurn {
        try await world.operate("turn") { try await world.journal.turn(of: id, for: lease, at: date) }
    }

    func extend(_ ids: [UUID], to lease: MutationLease) async throws {
        try await world.operate("extend") { try await world.journal.extend(ids, to: lease) }
    }

    func release(_ ids: [UUID], by holder: UUID) async throws {
        try await world.operate("release") { try await world.journal.release(ids, by: holder) }
    }
}

// MARK: Requests

extension QueryContext {
    private enum WorldKey: Key {
        static var defaultValue: CallWorld { CallWorld(seed: 0, failsAtTimes: false) }
    }

    private enum LaidKey: Key {
        static var defaultValue: Recorder<Int> { Recorder() }
    }

    var world: CallWorld {
        get { self[WorldKey.self] }
        set { self[WorldKey.self] = newValue }
    }

    /// The items whose layers a process has laid, in that order.
    var laid: Recorder<Int> {
        get { self[LaidKey.self] }
        set { self[LaidKey.self] = newValue }
    }
}

/// One of the lists, or the list of all items.
struct ItemList: QueryRequest {
    let list: Int?

    var path: QueryPath { ["items", list ?? -1] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
        context.world.items(list, in: context.session).map(\.id)
    }
}

/// A call that adds an item. The server keeps the items of a scope in order.
protocol AddItem: MutationRequest where Arguments == CallWorld.Item, Value == Int {
    var isDurable: Bool { get }
}

extension AddItem {
    func mutate(with item: CallWorld.Item, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.world.apply(item, scope: scope, isDurable: isDurable, in: context)
        return item.id
    }

    func optimistic(with item: CallWorld.Item, in layers: inout QueryLayers) {
        layers.context.laid.note(item.id)
        for list in [item.list, nil] {
            layers.update(ItemList(list: list)) { items in
                if !items.contains(item.id) { items.append(item.id) }
            }
        }
    }

    func invalidates(with item: CallWorld.Item, value: Int) -> [QueryPattern] {
        [.path(ItemList(list: item.list).path), .path(ItemList(list: nil).path)]
    }
}

struct AddDurably: AddItem, DurableMutationRequest {
    let scope: String?
    var path: QueryPath { ["add", "durably", scope ?? ""] }
    var isDurable: Bool { true }
}

struct AddPlainly: AddItem {
    let scope: String?
    var path: QueryPath { ["add", "plainly", scope ?? ""] }
    var isDurable: Bool { false }
}
