/// Entries in the order of their use, with their sizes. A pure value without a clock.
struct MemoryTable {
    private struct Row {
        let key: QueryCacheKey
        var entry: QueryCacheEntry
        var expiry: QueryInstant
        var byteCount: Int
    }

    private var rows: [Row?] = []
    private var links: [StoreLinks] = []
    private var vacant: [UInt32] = []
    private var numbers: [QueryCacheKey: UInt32] = [:]
    private var order = StoreList()
    private(set) var byteCount = 0

    var count: Int { order.count }

    var keys: [QueryCacheKey] { Array(numbers.keys) }

    /// The entry for a key. Reading it counts as a use. An expired entry is removed.
    mutating func get(_ key: QueryCacheKey, now: QueryInstant) -> QueryCacheEntry? {
        guard let number = numbers[key], let row = rows[Int(number)] else { return nil }
        if row.expiry <= now {
            remove(key)
            return nil
        }
        order.remove(number, &links)
        order.append(number, &links)
        return row.entry
    }

    mutating func set(_ entry: QueryCacheEntry, _ key: QueryCacheKey, expiry: QueryInstant) {
        remove(key)
        let number: UInt32
        if let free = vacant.popLast() {
            number = free
        } else {
            number = UInt32(rows.count)
            rows.append(nil)
            links.append(StoreLinks())
        }
        let bytes = entry.data.count + key.byteCount
        rows[Int(number)] = Row(key: key, entry: entry, expiry: expiry, byteCount: bytes)
        numbers[key] = number
        order.append(number, &links)
        byteCount += bytes
    }

    mutating func invalidate(_ key: QueryCacheKey) {
        if let number = numbers[key] { rows[Int(number)]?.entry.isInvalidated = true }
    }

    mutating func remove(_ key: QueryCacheKey) {
        guard let number = numbers.removeValue(forKey: key) else { return }
        byteCount -= rows[Int(number)]?.byteCount ?? 0
        rows[Int(number)] = nil
        order.remove(number, &links)
        vacant.append(number)
    }

    /// Removes the least recently used entries until the rest is within the budgets.
    mutating func trim(byteLimit: Int, countLimit: Int) {
        while byteCount > byteLimit || count > countLimit, let oldest = rows[safe: order.oldest] { remove(oldest.key) }
    }
}

extension Array {
    /// The element at an index, which may be the number for "none".
    fileprivate subscript<Wrapped>(safe index: UInt32) -> Wrapped? where Element == Wrapped? {
        index == StoreLinks.none ? nil : self[Int(index)]
    }
}

extension QueryCacheKey {
    /// The approximate number of bytes that a key takes in a cache: its texts, and a fixed part for its places in the tables.
    package var byteCount: Int {
        path.reduce(160 + type.utf8.count) { $0 + 16 + $1.utf8.count } + (session?.utf8.count ?? 0) + (appVersion?.utf8.count ?? 0)
    }
}
