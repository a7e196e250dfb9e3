import TestSupport
import Testing

@testable import QueryKit

/// Stores that are retired but still referenced, and random operations against a simple model.
struct StoreRegistryRetirementTests {
    private var registry = StoreRegistry<FakeStore>()

    private mutating func make(_ id: Int) -> FakeStore {
        let ticket = registry.reserve()
        let store = FakeStore(id, ticket)
        registry.insert(store, ticket, hash: store.key.identity.hash, path: store.path, expiry: .zero)
        return store
    }

    private mutating func find(_ id: Int) -> FakeStore? { registry.find(QueryIdentity(FakeRequest(id: id))) }

    @discardableResult
    private mutating func apply(_ activity: StoreActivity, _ store: FakeStore) -> QueryInstant? {
        registry.noteActivity(activity, store)
    }

    @Test mutating func `a retired store is not listed or counted, but found as long as it is referenced`() {
        var store: FakeStore? = make(1)
        let ticket = store?.ticket
        #expect(registry.retireIfIdle(ticket ?? registry.reserve()) === store)
        #expect(registry.count == 0)
        #expect(registry.idleCount == 0)
        #expect(registry.stores(matching: .all).isEmpty)
        #expect(registry.surplus(storeLimit: 0, byteLimit: 0).isEmpty)
        #expect(find(1) === store)
        #expect(registry.retireIfIdle(ticket ?? registry.reserve()) == nil)
        store = nil
        #expect(find(1) == nil)
    }

    @Test mutating func `the registry keeps a store alive until it is retired`() {
        weak let store = make(1)
        #expect(store != nil)
        if let ticket = store?.ticket { _ = registry.retireIfIdle(ticket) }
        #expect(store == nil)
    }

    @Test(arguments: [.running(), .observed(), .idle()] as [StoreActivity])
    func `a retired store is revived as soon as it is used again`(_ activity: StoreActivity) {
        var copy = self
        let store = copy.make(1)
        copy.apply(.idle(bytes: 100), store)
        _ = copy.registry.retireIfIdle(store.ticket)
        copy.apply(activity, store)
        #expect(copy.registry.count == 1)
        #expect(copy.registry.stores(matching: ["fake", 1]).first === store)
        #expect(copy.find(1) === store)
        #expect(copy.registry.byteCount == 0)
        #expect(copy.registry.idleCount == (activity.isIdle ? 1 : 0))
        #expect(copy.registry.runningCount == (activity.isRunning ? 1 : 0))
        #expect(copy.registry.retireIfIdle(store.ticket) === (activity.isIdle ? store : nil))
    }

    @Test mutating func `a retired store that is idle and empty stays retired`() {
        let store = make(1)
        _ = registry.retireIfIdle(store.ticket)
        #expect(apply(.idle(isEmpty: true), store) == nil)
        #expect(registry.count == 0)
    }

    @Test mutating func `reviving a store that is already revived changes nothing`() {
        let store = make(1)
        _ = registry.revive(store, path: store.path, defaultRetention: Nanoseconds(.seconds(60)))
        #expect(registry.count == 1)
        #expect(registry.idleCount == 1)
        _ = registry.retireIfIdle(store.ticket)
        _ = registry.revive(store, path: store.path, defaultRetention: Nanoseconds(.seconds(60)))
        _ = registry.revive(store, path: store.path, defaultRetention: Nanoseconds(.seconds(60)))
        #expect(registry.count == 1)
        #expect(registry.stores(matching: .all).count == 1)
        #expect(registry.retireIfIdle(store.ticket) === store)
    }

    @Test mutating func `a search returns the stores that it compared on its way`() {
        let stores = (0..<9).map { make($0) }
        _ = registry.retireIfIdle(stores[8].ticket)
        var passed: [FakeStore] = []
        let found = registry.find(QueryIdentity(FakeRequest(id: 8)), passing: &passed)
        #expect(found === stores[8])
        #expect(passed.allSatisfy { $0 === stores[0] || $0 === stores[4] })
        passed = []
        let missed = registry.find(QueryIdentity(FakeRequest(id: 12)), passing: &passed)
        #expect(missed == nil)
        #expect(Set(passed.map { ObjectIdentifier($0) }) == Set([0, 4, 8].map { ObjectIdentifier(stores[$0]) }))
    }

    @Test(arguments: [.running(), .observed()] as [StoreActivity]) func `R15 a store in use is not retired`(_ activity: StoreActivity) {
        var copy = self
        let store = copy.make(1)
        copy.apply(activity, store)
        #expect(copy.registry.retireIfIdle(store.ticket) == nil)
        #expect(copy.registry.count == 1)
    }

    @Test mutating func `when a retired store was deallocated, its slot and identity can be reused`() {
        var store: FakeStore? = make(1)
        let ticket = store?.ticket ?? registry.reserve()
        _ = registry.retireIfIdle(ticket)
        store = nil
        registry.release(ticket)
        registry.release(ticket)
        let second = make(1)
        #expect(second.ticket.slot == ticket.slot)
        #expect(second.ticket != ticket)
        #expect(find(1) === second)
        #expect(registry.reserve().slot != ticket.slot)
    }

    @Test mutating func `a new store can take the place of a retired one that is being deallocated`() {
        var old: FakeStore? = make(1)
        let ticket = old?.ticket ?? registry.reserve()
        _ = registry.retireIfIdle(ticket)
        old = nil
        let second = make(1)
        #expect(find(1) === second)
        registry.release(ticket)
        #expect(find(1) === second)
        #expect(registry.count == 1)
    }

    @Test mutating func `removing all stores leaves none, and their tickets become invalid`() {
        let kept = make(1)
        let running = make(2)
        let retired = make(3)
        let reserved = registry.reserve()
        apply(.running(bytes: 10), running)
        _ = registry.retireIfIdle(retired.ticket)
        #expect(Set(registry.removeAll().map { ObjectIdentifier($0) }) == [ObjectIdentifier(kept), ObjectIdentifier(running)])
        #expect([registry.count, registry.byteCount, registry.idleCount, registry.runningCount] == [0, 0, 0, 0])
        #expect(registry.stores(matching: .all).isEmpty)
        for id in 1...3 { #expect(find(id) == nil) }
        for store in [kept, running, retired] {
            apply(.running(), store)
            registry.release(store.ticket)
        }
        registry.release(reserved)
        #expect(registry.count == 0)
        #expect(Set((0..<6).map { _ in registry.reserve().slot }).count == 6)
    }

    @Test(arguments: 0..<10) func `random operations match a simple model`(_ seed: Int) {
        var dice = Dice(seed: seed)
        var registry = StoreRegistry<FakeStore>()
        var model = RegistryModel()
        for _ in 0..<1_500 {
            let id = dice.roll(25)
            let identity = QueryIdentity(FakeRequest(id: id))
            switch dice.roll(6) {
            case 0, 1:
                #expect(registry.find(identity) === model.find(id))
                guard model.stores[id] == nil else { break }
                let ticket = registry.reserve()
                let store = FakeStore(id, ticket)
                registry.insert(store, ticket, hash: store.key.identity.hash, path: store.path, expiry: .zero)
                model.insert(id, store)
            case 2, 3:
                guard let store = model.stores[id] else { break }
                let bytes = dice.roll(100)
                let activity = dice.pick([
                    StoreActivity.idle(bytes: bytes), .running(bytes: bytes), .observed(bytes: bytes),
                    .idle(retention: .infinity, bytes: bytes), .running(retention: .infinity, bytes: bytes),
                    .observed(retention: .infinity, bytes: bytes),
                ])
                _ = registry.noteActivity(activity, store)
                model.apply(activity, id)
            case 4:
                guard let store = model.stores[id] else { break }
                #expect(registry.retireIfIdle(store.ticket) === model.retire(id))
            default:
                guard let store = model.stores[id], !model.isKept(id) else { break }
                registry.release(store.ticket)
                model.release(id)
            }
            model.check(registry)
        }
    }
}

/// The stores of each kind, in arrays.
private struct RegistryModel {
    var stores: [Int: FakeStore] = [:]
    private var bytes: [Int: Int] = [:]
    private var idle: [Int] = []
    private var running: [Int] = []
    private var observed: [Int] = []
    /// Idle, with infinite retention.
    private var kept: [Int] = []
    /// With infinite retention, in use or not.
    private var exempt: Set<Int> = []

    private var listed: [Int] { idle + running + observed + kept }

    func isKept(_ id: Int) -> Bool { listed.contains(id) }

    mutating func find(_ id: Int) -> FakeStore? {
        if let index = idle.firstIndex(of: id) { idle.append(idle.remove(at: index)) }
        return stores[id]
    }

    mutating func insert(_ id: Int, _ store: FakeStore) {
        stores[id] = store
        idle.append(id)
    }

    mutating func apply(_ activity: StoreActivity, _ id: Int) {
        leave(id)
        bytes[id] = activity.byteCount
        if activity.retention == .infinity { exempt.insert(id) }
        if activity.isRunning {
            running.append(id)
        } else if activity.isObserved {
            observed.append(id)
        } else if exempt.contains(id) {
            kept.append(id)
        } else {
            idle.append(id)
        }
    }

    mutating func retire(_ id: Int) -> FakeStore? {
        guard idle.contains(id) else { return nil }
        leave(id)
        return stores[id]
    }

    mutating func release(_ id: Int) {
        stores[id] = nil
    }

    private mutating func leave(_ id: Int) {
        bytes[id] = nil
        exempt.remove(id)
        for list in [\RegistryModel.idle, \.running, \.observed, \.kept] { self[keyPath: list].removeAll { $0 == id } }
    }

    func check(_ registry: StoreRegistry<FakeStore>) {
        #expect(registry.count == listed.count)
        #expect(registry.idleCount == idle.count + kept.count)
        #expect(registry.limited.count == listed.count - exempt.count)
        #expect(registry.limited.byteCount == bytes.reduce(0) { exempt.contains($1.key) ? $0 : $0 + $1.value })
        #expect(registry.runningCount == running.count)
        #expect(registry.byteCount == bytes.values.reduce(0, +))
        #expect(registry.runningStores().map(\.identity) == running.map { QueryIdentity(FakeRequest(id: $0)) })
        #expect(registry.surplus(storeLimit: 0, byteLimit: 0).map(\.identity) == idle.map { QueryIdentity(FakeRequest(id: $0)) })
        #expect(Set(registry.stores(matching: "fake/*").map(\.path)) == Set(listed.map { ["fake", $0] }))
    }
}
