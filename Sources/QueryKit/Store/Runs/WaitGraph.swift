/// The waits between the stores of one client, so that requests that wait for each other in a circle get an error instead of hanging.
///
/// Only a fetch inside a fetch enters it; all others pay nothing. A wait that leads from one client to another is noted in both, at the end
/// that belongs to each. A way through several stores is followed from graph to graph, and no two of their locks are held at once.
final class WaitGraph: Sendable {
    private typealias Arrows = [ObjectIdentifier: [StoreCore]]

    private struct Contents {
        /// What the runs of a store wait for, and whose runs wait for a store.
        var waits: Arrows = [:]
        var awaited: Arrows = [:]
    }

    private let contents = Lock(Contents())

    /// Whether there are no waits.
    var isEmpty: Bool { contents.withLock { $0.waits.isEmpty && $0.awaited.isEmpty } }

    /// Notes that the run of one store waits for another store. If that closes a circle, returns the circle and notes nothing.
    static func enter(_ waiting: StoreCore, waitsFor store: StoreCore) -> [StoreCore]? {
        add(waiting, store)
        // Noted before the search: of two waits that close a circle at the same time, one at least sees the other.
        guard let way = way(from: store, to: waiting) else { return nil }
        leave(waiting, waitsFor: store)
        return [waiting] + way
    }

    static func leave(_ waiting: StoreCore, waitsFor store: StoreCore) {
        change(waiting, store) { arrows, start, end in
            let key = ObjectIdentifier(start)
            guard let index = arrows[key]?.firstIndex(where: { $0 === end }) else { return }
            arrows[key]?.remove(at: index)
            if arrows[key]?.isEmpty == true { arrows[key] = nil }
        }
    }

    /// A store and all whose runs wait for it, by way of others too.
    static func all(waitingFor store: StoreCore) -> Set<ObjectIdentifier> { reach(from: store, by: { $0.awaited }) }

    /// The stores whose runs wait for a store, by way of others too, the nearest first.
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

    /// A store and all that its runs wait for, by way of others too.
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

    /// The stores on the way, both ends included.
    private static func way(from start: StoreCore, to end: StoreCore) -> [StoreCore]? {
        var open = [start]
        var before: [ObjectIdentifier: StoreCore] = [:]
        while let store = open.popLast() {
            if store === end {
                var way = [store]
                while let last = way.last, last !== start, let previous = before[ObjectIdentifier(last)] { way.append(previous) }
                return way.reversed()
            }
            for next in next(store, by: { $0.waits }) where before[ObjectIdentifier(next)] == nil && next !== start {
                before[ObjectIdentifier(next)] = store
                open.append(next)
            }
        }
        return nil
    }
}
