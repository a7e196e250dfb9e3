/// The simplest store: an object with a number.
final class PlainStore {
    var value: Int
    var isOutdated = false

    init(_ value: Int) { self.value = value }
}

/// The simplest client: a dictionary from requests to stores, under a lock.
final class PlainClient: Sendable {
    private let stores: Guarded<[Item: PlainStore]>

    init(itemCount: Int = 0) {
        stores = Guarded([:])
        for id in 0..<itemCount { insert(Item(id: id)) }
    }

    func insert(_ request: Item) {
        let store = PlainStore(request.id)
        stores.withLock { $0[request] = store }
    }

    func find(_ request: Item) -> PlainStore? {
        stores.withLock { $0[request] }
    }

    func value(of request: Item) async -> Int? {
        stores.withLock { $0[request]?.value }
    }
}
