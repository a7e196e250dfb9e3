/// Who waits for whom among the runs of this process, so that requests which wait for each other in a circle are told instead of hanging.
///
/// Only a fetch inside a fetch enters it; all others pay nothing.
struct WaitGraph: Sendable {
    static let shared = Lock(WaitGraph())

    private var waits: [ObjectIdentifier: [any AnyQueryStore]] = [:]

    /// Notes that the run of one store waits for another store; throws, and notes nothing, if that would close a circle.
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
        var open = [[start]]
        var seen: Set<ObjectIdentifier> = []
        while let way = open.popLast() {
            guard let last = way.last, seen.insert(ObjectIdentifier(last)).inserted else { continue }
            if last === end { return way }
            for next in waits[ObjectIdentifier(last)] ?? [] { open.append(way + [next]) }
        }
        return nil
    }
}

/// The run in which the present task works, so that a fetch inside a fetch is known as such.
struct RunScope: Sendable {
    @TaskLocal static var current: RunScope?

    let store: any AnyQueryStore

    /// Runs `wait`, during which the present run, if there is one, depends on a store.
    static func waiting<Result>(
        for store: any AnyQueryStore,
        isolation: isolated (any Actor)? = #isolation,
        _ wait: () async throws -> Result
    ) async throws -> Result {
        guard let waiting = current?.store else { return try await wait() }
        if let circle = WaitGraph.shared.withLock({ $0.enter(waiting, waitsFor: store) }) {
            let way = circle.map(\.path.description).joined(separator: " → ")
            throw QueryError(.cycle, "Requests wait for each other in a circle: \(way).", path: store.path)
        }
        defer { WaitGraph.shared.withLock { $0.leave(waiting, waitsFor: store) } }
        return try await wait()
    }
}
