/// Who waits for whom among the runs of this process, so that requests which wait for each other in a circle are told instead of hanging.
///
/// Only a fetch inside a fetch enters it; all others pay nothing.
struct WaitGraph: Sendable {
    static let shared = Lock(WaitGraph())

    private var waits: [ObjectIdentifier: [any AnyQueryStore]] = [:]

    /// Whether nobody waits for anybody.
    var isEmpty: Bool { waits.isEmpty }

    /// Notes that the run of one store waits for another store. If that would close a circle, answers with it and notes nothing.
    mutating func enter(_ waiting: any AnyQueryStore, waitsFor store: any AnyQueryStore) -> [any AnyQueryStore]? {
        if let way = way(from: store, to: waiting) { return [waiting] + way }
        waits[ObjectIdentifier(waiting), default: []].append(store)
        return nil
    }

    mutating func leave(_ waiting: any AnyQueryStore, waitsFor store: any AnyQueryStore) {
        let key = ObjectIdentifier(waiting)
        guard let index = waits[key]?.firstIndex(where: { $0 === store }) else { return }
        waits[key]?.remove(at: index)
        if waits[key]?.isEmpty == true { waits[key] = nil }
    }

    /// The stores on the way, both ends included.
    private func way(from start: any AnyQueryStore, to end: any AnyQueryStore) -> [any AnyQueryStore]? {
        var open = [start]
        var before: [ObjectIdentifier: any AnyQueryStore] = [:]
        while let store = open.popLast() {
            if store === end {
                var way = [store]
                while let last = way.last, last !== start, let previous = before[ObjectIdentifier(last)] { way.append(previous) }
                return way.reversed()
            }
            for next in waits[ObjectIdentifier(store)] ?? [] where before[ObjectIdentifier(next)] == nil && next !== start {
                before[ObjectIdentifier(next)] = store
                open.append(next)
            }
        }
        return nil
    }
}
