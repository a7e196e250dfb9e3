/// Who waits for whom among the runs of this process, so that requests which wait for each other in a circle are told instead of hanging.
///
/// Only a fetch inside a fetch enters it; all others pay nothing.
struct WaitGraph: Sendable {
    static let shared = Lock(WaitGraph())

    private typealias Arrows = [ObjectIdentifier: [StoreCore]]

    /// Each wait from both ends.
    private var waits: Arrows = [:]
    private var awaited: Arrows = [:]

    /// Whether nobody waits for anybody.
    var isEmpty: Bool { waits.isEmpty && awaited.isEmpty }

    /// Notes that the run of one store waits for another store. If that would close a circle, answers with it and notes nothing.
    mutating func enter(_ waiting: StoreCore, waitsFor store: StoreCore) -> [StoreCore]? {
        if let way = way(from: store, to: waiting) { return [waiting] + way }
        waits[ObjectIdentifier(waiting), default: []].append(store)
        awaited[ObjectIdentifier(store), default: []].append(waiting)
        return nil
    }

    mutating func leave(_ waiting: StoreCore, waitsFor store: StoreCore) {
        Self.remove(store, of: waiting, &waits)
        Self.remove(waiting, of: store, &awaited)
    }

    private static func remove(_ end: StoreCore, of start: StoreCore, _ arrows: inout Arrows) {
        let key = ObjectIdentifier(start)
        guard let index = arrows[key]?.firstIndex(where: { $0 === end }) else { return }
        arrows[key]?.remove(at: index)
        if arrows[key]?.isEmpty == true { arrows[key] = nil }
    }

    /// A store and all whose runs wait for it, by way of others too.
    func all(waitingFor store: StoreCore) -> Set<ObjectIdentifier> { Self.reach(from: store, awaited) }

    /// A store and all that its runs wait for, by way of others too.
    func all(awaitedBy store: StoreCore) -> Set<ObjectIdentifier> { Self.reach(from: store, waits) }

    private static func reach(from start: StoreCore, _ arrows: Arrows) -> Set<ObjectIdentifier> {
        var reached: Set = [ObjectIdentifier(start)]
        var open = [ObjectIdentifier(start)]
        while let key = open.popLast() {
            for next in arrows[key] ?? [] where reached.insert(ObjectIdentifier(next)).inserted { open.append(ObjectIdentifier(next)) }
        }
        return reached
    }

    /// The stores on the way, both ends included.
    private func way(from start: StoreCore, to end: StoreCore) -> [StoreCore]? {
        var open = [start]
        var before: [ObjectIdentifier: StoreCore] = [:]
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
