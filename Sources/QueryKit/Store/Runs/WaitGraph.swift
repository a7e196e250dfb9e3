/// The waits between the stores of one client. Detects cycles, so that requests that wait for each other get an error instead of hanging.
///
/// Only a fetch inside a fetch adds a wait, so other fetches cost nothing. A wait between stores of two clients is stored in both graphs:
/// each graph stores the end that belongs to its client. A path through several stores is followed from graph to graph, and the locks of
/// two graphs are never held at the same time.
final class WaitGraph: Sendable {
    private typealias Arrows = [ObjectIdentifier: [StoreCore]]

    private struct Contents {
        /// The stores that the runs of a store wait for, and the stores whose runs wait for a store.
        var waits: Arrows = [:]
        var awaited: Arrows = [:]
    }

    private let contents = Lock(Contents())

    /// Whether there are no waits.
    var isEmpty: Bool { contents.withLock { $0.waits.isEmpty && $0.awaited.isEmpty } }

    /// Adds a wait of one store's run for another store. If that would close a cycle, returns the stores of the cycle and adds nothing.
    static func enter(_ waiting: StoreCore, waitsFor store: StoreCore) -> [StoreCore]? {
        add(waiting, store)
        // Added before the search, so that if two waits close a cycle at the same time, at least one of them sees the other.
        guard let path = path(from: store, to: waiting) else { return nil }
        leave(waiting, waitsFor: store)
        return [waiting] + path
    }

    static func leave(_ waiting: StoreCore, waitsFor store: StoreCore) {
        change(waiting, store) { arrows, start, end in
            let key = ObjectIdentifier(start)
            guard let index = arrows[key]?.firstIndex(where: { $0 === end }) else { return }
            arrows[key]?.remove(at: index)
            if arrows[key]?.isEmpty == true { arrows[key] = nil }
        }
    }

    /// A store and all stores whose runs wait for it, directly or through other runs.
    static func all(waitingFor store: StoreCore) -> Set<ObjectIdentifier> { reach(from: store, by: { $0.awaited }) }

    /// The stores whose runs wait for a store, directly or through other runs, the nearest first.
    static func stores(waitingFor store: StoreCore) -> [StoreCore] {
        var reached: Set = [ObjectIdentifier(store)]
        var found: [StoreCore] = []
        var open = [store][...]
        while let store = open.popFirst() {
            for next in next(store, by: { $0.awaited }) where reached.insert(ObjectIdentifier(next)).inserted {
                found.append(next)
                open.append(next)
            }
        }
        return found
    }

    /// A store and all stores that its runs wait for, directly or through other runs.
    static func all(awaitedBy store: StoreCore) -> Set<ObjectIdentifier> { reach(from: store, by: { $0.waits }) }

    private static func add(_ waiting: StoreCore, _ store: StoreCore) {
        change(waiting, store) { arrows, start, end in arrows[ObjectIdentifier(start), default: []].append(end) }
    }

    /// Changes both ends of a wait.
    private static func change(
        _ waiting: StoreCore,
        _ store: StoreCore,
        _ change: (_ arrows: inout Arrows, _ start: StoreCore, _ end: StoreCore) -> Void
    ) {
        let (graph, other) = (waiting.host.waits, store.host.waits)
        graph.contents.withLock { contents in
            change(&contents.waits, waiting, store)
            if graph === other { change(&contents.awaited, store, waiting) }
        }
        if graph !== other { other.contents.withLock { change(&$0.awaited, store, waiting) } }
    }

    private static func next(_ store: StoreCore, by direction: (Contents) -> Arrows) -> [StoreCore] {
        store.host.waits.contents.withLock { direction($0)[ObjectIdentifier(store)] ?? [] }
    }

    private static func reach(from start: StoreCore, by direction: (Contents) -> Arrows) -> Set<ObjectIdentifier> {
        var reached: Set = [ObjectIdentifier(start)]
        var open = [start]
        while let store = open.popLast() {
            for next in next(store, by: direction) where reached.insert(ObjectIdentifier(next)).inserted { open.append(next) }
        }
        return reached
    }

    /// The stores on the path between two stores, including both; `nil` if there is no path.
    private static func path(from start: StoreCore, to end: StoreCore) -> [StoreCore]? {
        var open = [start]
        var before: [ObjectIdentifier: StoreCore] = [:]
        while let store = open.popLast() {
            if store === end {
                var path = [store]
                while let last = path.last, last !== start, let previous = before[ObjectIdentifier(last)] { path.append(previous) }
                return path.reversed()
            }
            for next in next(store, by: { $0.waits }) where before[ObjectIdentifier(next)] == nil && next !== start {
                before[ObjectIdentifier(next)] = store
                open.append(next)
            }
        }
        return nil
    }
}
