/// Entries in the order of their use, with their sizes. A pure value without a clock.
struct MemoryTable {
    private struct Slot {
        let key: QueryCacheKey
        var entry: QueryCacheEntry
        var expiry: QueryInstant
        var byteCount: Int
    }

    private var slots: [Slot?] = []
    private var links: [StoreLinks] = []
    private var vacant: [UInt32] = []
    private var places: [QueryCacheKey: UInt32] = [:]
    private var order = StoreList()
    private(set) var byteCount = 0

    var count: Int { order.count }

    var keys: [QueryCacheKey] { Array(places.keys) }

    /// The entry for a key. Reading it counts as a use. An expired entry is removed.
    mutating func get(_ key: QueryCacheKey, now: QueryInstant) -> QueryCacheEntry? {
        guard let place = places[key], let slot = slots[Int(place)] else { return nil }
        if slot.expiry <= now {
            remove(key)
            return nil
        }
        order.remove(place, &links)
        order.append(place, &links)
        return slot.entry
    }

    mutating func set(_ entry: QueryCacheEntry, _ key: QueryCacheKey, expiry: QueryInstant) {
        remove(key)
        let place: UInt32
        if let free = vacant.popLast() {
            place = free
        } else {
            place = UInt32(slots.count)
            slots.append(nil)
            links.append(StoreLinks())
        }
        let bytes = entry.data.count + key.byteCount
        slots[Int(place)] = Slot(key: key, entry: entry, expiry: expiry, byteCount: bytes)
        places[key] = place
        order.append(place, &links)
        byteCount += bytes
    }

    mutating func invalidate(_ key: QueryCacheKey) {
        if let place = places[key] { slots[Int(place)]?.entry.isInvalidated = true }
    }

    mutating func remove(_ key: QueryCacheKey) {
        guard let place = places.removeValue(forKey: key) else { return }
        byteCount -= slots[Int(place)]?.byteCount ?? 0
        slots[Int(place)] = nil
        order.remove(place, &links)
        vacant.append(place)
    }

    /// Removes the least recently used entries until the rest is within the budgets.
    mutating func trim(byteLimit: Int, countLimit: Int) {
        while byteCount > byteLimit || count > countLimit, let oldest = slots[safe: order.oldest] { remove(oldest.key) }
    }
}

extension Array {
    /// The element at a place, which may be the number for "none".
    fileprivate subscript<Wrapped>(safe place: UInt32) -> Wrapped? where Element == Wrapped? {
        place == StoreLinks.none ? nil : self[Int(place)]
    }
}

extension QueryCacheKey {
    /// The approximate number of bytes that a key takes in a cache: its texts, and a fixed part for its places in the tables.
    package var byteCount: Int {
        path.reduce(160 + type.utf8.count) { $0 + 16 + $1.utf8.count } + (session?.utf8.count ?? 0) + (appVersion?.utf8.count ?? 0)
    }
}
