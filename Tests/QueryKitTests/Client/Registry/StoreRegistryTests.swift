import Testing

@testable import QueryKit

struct StoreRegistryTests {
    private var registry = StoreRegistry<FakeStore>()
    private static let minute = Duration.seconds(60)

    private func at(_ seconds: Int) -> QueryInstant { .zero.advanced(by: .seconds(seconds)) }

    private mutating func make(_ id: Int, path: QueryPath? = nil) -> FakeStore {
        let ticket = registry.reserve()
        let store = FakeStore(id, ticket, path: path)
        registry.insert(store, ticket, hash: store.key.identity.hash, path: store.path, expiry: at(60))
        return store
    }

    private mutating func find(_ id: Int) -> FakeStore? { registry.find(QueryIdentity(FakeRequest(id: id))) }

    @discardableResult
    private mutating func apply(_ activity: StoreActivity, _ store: FakeStore, at seconds: Int = 0) -> QueryInstant? {
        registry.noteActivity(activity, store, now: at(seconds), defaultRetention: Nanoseconds(Self.minute))
    }

    private func matching(_ pattern: QueryPattern) -> [ObjectIdentifier] {
        registry.stores(matching: pattern).map { ObjectIdentifier($0) }
    }

    private func surplus(stores: Int = .max, bytes: Int = .max) -> [ObjectIdentifier] {
        registry.surplus(storeLimit: stores, byteLimit: bytes).map { ObjectIdentifier($0) }
    }

    private mutating func verdict(_ store: FakeStore, entry: Int, at seconds: Int) -> String {
        switch registry.examine(store.ticket, entry: at(entry), now: at(seconds)) {
        case .nothing: "nothing"
        case .later(let instant): "later at \(instant.nanoseconds / 1_000_000_000)"
        case .expired(let expired): expired === store ? "expired" : "another expired"
        }
    }

    private func ids(_ stores: FakeStore...) -> [ObjectIdentifier] { stores.map { ObjectIdentifier($0) } }

    // MARK: Finding

    @Test mutating func `a store is found by its identity even if others have the same hash`() {
        let stores = (0..<12).map { make($0) }
        for (id, store) in stores.enumerated() { #expect(find(id) === store) }
        #expect(find(12) == nil)
        #expect(registry.count == 12)
        #expect(registry.idleCount == 12)
    }

    @Test mutating func `stores are found by pattern, even several with one path`() {
        let first = make(1, path: "a/b")
        let second = make(2, path: "a/b")
        let third = make(3, path: "a")
        #expect(Set(matching("a/b")) == Set(ids(first, second)))
        #expect(matching("a") == ids(third))
        #expect(matching("a/**").count == 3)
    }

    // MARK: Tickets

    @Test mutating func `a released slot is reused, and its old ticket becomes invalid`() {
        let unused = registry.reserve()
        registry.release(unused)
        let store = make(1)
        #expect(store.ticket.slot == unused.slot)
        #expect(store.ticket.generation == unused.generation + 1)
        registry.release(unused)
        #expect(registry.noteActivity(.running(), FakeStore(1, unused)) == nil)
        #expect(registry.runningCount == 0)
        #expect(registry.schedule(unused) == nil)
        #expect(registry.retireIfIdle(unused) == nil)
        #expect(verdict(FakeStore(1, unused), entry: 60, at: 1_000) == "nothing")
        #expect(find(1) === store)
        #expect(registry.count == 1)
    }

    @Test mutating func `a reserved slot contains no store yet`() {
        let ticket = registry.reserve()
        #expect(registry.count == 0)
        #expect(registry.noteActivity(.idle(), FakeStore(1, ticket)) == nil)
        #expect(registry.retireIfIdle(ticket) == nil)
        #expect(registry.reserve() != ticket)
    }

    // MARK: Use

    @Test mutating func `R15 a store is idle, observed or running, and one that is both counts as running`() {
        let store = make(1)
        apply(.running(isObserved: true), store)
        #expect([registry.runningCount, registry.idleCount, registry.count] == [1, 0, 1])
        #expect(registry.runningStores().map { ObjectIdentifier($0) } == ids(store))
        apply(.observed(), store)
        #expect([registry.runningCount, registry.idleCount, registry.count] == [0, 0, 1])
        apply(.idle(), store)
        #expect([registry.runningCount, registry.idleCount, registry.count] == [0, 1, 1])
        #expect(registry.runningStores().isEmpty)
    }

    // MARK: Deadlines

    @Test mutating func `R15 retention counts from the moment a store becomes idle`() {
        let store = make(1)
        #expect(registry.schedule(store.ticket) == at(60))
        apply(.observed(), store, at: 5)
        // The entry already in the queue is too early, and is renewed when it fires.
        #expect(apply(.idle(), store, at: 100) == nil)
        #expect(verdict(store, entry: 60, at: 120) == "later at 160")
        #expect(verdict(store, entry: 160, at: 159) == "later at 160")
        #expect(verdict(store, entry: 160, at: 160) == "expired")
    }

    @Test mutating func `R15 a request's retention takes precedence over the default, and infinite retention has no deadline`() {
        let short = make(1)
        #expect(apply(.idle(retention: .seconds(5)), short, at: 10) == at(15))
        let endless = make(2)
        #expect(apply(.idle(retention: .infinity), endless, at: 10) == nil)
        #expect(apply(.idle(), endless, at: 10) == at(70))
    }

    @Test mutating func `R15 a deadline that finds its store in use is dropped and set again when the store is idle`() {
        for activity in [StoreActivity.running(), .observed()] {
            let store = make(activity.isRunning ? 1 : 2)
            #expect(registry.schedule(store.ticket) == at(60))
            #expect(registry.schedule(store.ticket) == nil)
            apply(activity, store)
            #expect(verdict(store, entry: 60, at: 60) == "nothing")
            #expect(apply(.idle(), store, at: 90) == at(150))
        }
    }

    @Test mutating func `R15 a shorter retention sets an earlier deadline, and the old entry becomes obsolete`() {
        let store = make(1)
        #expect(registry.schedule(store.ticket) == at(60))
        #expect(apply(.idle(retention: .seconds(10)), store, at: 5) == at(15))
        #expect(apply(.idle(retention: .seconds(20)), store, at: 6) == nil)
        #expect(verdict(store, entry: 15, at: 15) == "later at 26")
        #expect(verdict(store, entry: 60, at: 60) == "nothing")
        #expect(verdict(store, entry: 26, at: 60) == "expired")
    }

    // MARK: Bytes and budgets

    @Test mutating func `R15 the byte counts of all stores are added up, and a store's new count replaces its old one`() {
        let first = make(1)
        let second = make(2)
        apply(.idle(bytes: 100), first)
        apply(.running(bytes: 30), second)
        #expect(registry.byteCount == 130)
        apply(.idle(bytes: 20), first)
        #expect(registry.byteCount == 50)
        _ = registry.retireIfIdle(first.ticket)
        #expect(registry.byteCount == 30)
        apply(.idle(bytes: .max), second)
        #expect(registry.byteCount == Int(Int32.max))
    }

    @Test mutating func `R15 the surplus is the least recently used stores, never those in use`() {
        let stores = (0..<5).map { make($0) }
        apply(.running(), stores[0])
        apply(.observed(), stores[1])
        #expect(find(2) === stores[2])
        #expect(surplus(stores: 5) == [])
        #expect(surplus(stores: 4) == ids(stores[3]))
        #expect(surplus(stores: 3) == ids(stores[3], stores[4]))
        #expect(surplus(stores: 0) == ids(stores[3], stores[4], stores[2]))
        apply(.idle(), stores[0])
        #expect(surplus(stores: 0) == ids(stores[3], stores[4], stores[2], stores[0]))
    }

    @Test mutating func `R15 stores with infinite retention are never surplus and count toward no limit`() {
        let stores = (0..<4).map { make($0) }
        for store in stores { apply(.idle(bytes: 100), store) }
        apply(.idle(retention: .infinity, bytes: 1_000), stores[0])
        apply(.observed(retention: .infinity, bytes: 1_000), stores[2])
        #expect(surplus(stores: 2, bytes: 200) == [])
        #expect(surplus(stores: 1) == ids(stores[1]))
        #expect(surplus(bytes: 199) == ids(stores[1]))
        #expect(surplus(stores: 0, bytes: 0) == ids(stores[1], stores[3]))
        #expect([registry.count, registry.byteCount, registry.idleCount] == [4, 2_200, 3])
        #expect(verdict(stores[0], entry: 60, at: 1_000) == "nothing")
        // Without infinite retention it counts like the others, and is the most recently used.
        apply(.idle(bytes: 500), stores[0])
        #expect(surplus(bytes: 500) == ids(stores[1], stores[3]))
        // A store created for a request with infinite retention.
        let ticket = registry.reserve()
        let made = FakeStore(9, ticket)
        registry.insert(made, ticket, hash: made.key.identity.hash, path: made.path, expiry: .never, isExempt: true)
        #expect(surplus(stores: 0) == ids(stores[1], stores[3], stores[0]))
        registry.release(ticket)
        #expect(registry.limited == (700, 3))
    }

    @Test mutating func `R15 the byte limit works like the store limit`() {
        let stores = (0..<3).map { make($0) }
        for store in stores { apply(.idle(bytes: 100), store) }
        #expect(surplus(bytes: 300) == [])
        #expect(surplus(bytes: 299) == ids(stores[0]))
        #expect(surplus(bytes: 100) == ids(stores[0], stores[1]))
        #expect(surplus(stores: 2, bytes: 100) == ids(stores[0], stores[1]))
        #expect(surplus(stores: 1, bytes: 250) == ids(stores[0], stores[1]))
    }
}
