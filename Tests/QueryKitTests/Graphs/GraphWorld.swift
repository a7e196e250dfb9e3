import QueryKitTesting
import TestSupport

@testable import QueryKit

/// Random requests that fetch each other, and the sources that they read. Computes the value of a fresh fetch without a client.
final class GraphWorld: Sendable {
    /// How a change of a source reaches the requests that read it.
    enum Announcement: CaseIterable {
        case region, tag, path
    }

    struct Node: Sendable {
        let id: Int
        /// The sources that it reads directly.
        let sources: [Int]
        /// The requests that it fetches, all with higher numbers.
        let inner: [Int]
        /// Whether it accepts fresh cached values of those requests.
        let takesFresh: Bool
        /// Whether it fails if the sum of what it reads directly is even.
        let failsByData: Bool
        /// Whether it uses a value of its own in place of that of an inner request that fails by its data.
        let fallsBack: Bool
        /// Whether its tags are computed from its result.
        var computesTags: Bool
        let isPersisted: Bool
    }

    let seed: Int
    let nodes: [Node]
    let announcements: [Announcement]
    let gate = Gate()
    let failsAtTimes: Bool
    /// Whether requests fetch others concurrently. Then the gate holds none: a run that waits for two others counts as working again once
    /// one of them has ended, so `settled()` would wait for the one that is held.
    private let isParallel: Bool
    private let values: Lock<[Int]>
    private let steps = Lock(0)
    private let isCalm = Lock(false)
    private let whereabouts = Lock<[Int: String]>([:])

    init(seed: Int) {
        self.seed = seed
        var dice = Dice(seed: seed)
        let sourceCount = 1 + dice.roll(3)
        let count = 2 + dice.roll(5)
        announcements = (0..<sourceCount).map { _ in dice.pick(Announcement.allCases) }
        var nodes = (0..<count).map { id in
            let others = Array(id + 1..<count)
            let inner = others.filter { _ in dice.roll(others.count) < 2 }
            let own = (0..<sourceCount).filter { _ in dice.roll(3) == 0 }
            return Node(
                id: id,
                sources: own.isEmpty && inner.isEmpty ? [dice.roll(sourceCount)] : own,
                inner: inner,
                takesFresh: dice.roll(4) > 0,
                failsByData: !own.isEmpty && dice.roll(3) > 0,
                fallsBack: dice.roll(3) == 0,
                computesTags: dice.roll(2) == 0,
                isPersisted: dice.roll(4) == 0
            )
        }
        // Without a result there are no computed tags.
        for id in nodes.indices where Self.mayFail(id, nodes) { nodes[id].computesTags = false }
        self.nodes = nodes
        failsAtTimes = dice.roll(4) == 0
        isParallel = dice.roll(3) == 0
        values = Lock(Array(repeating: 0, count: sourceCount))
    }

    static func region(_ source: Int) -> QueryRegion { QueryRegion(source: "graph", name: "\(source)") }

    // MARK: Expected values

    /// The value of a fetch that begins and ends now; `nil` if the fetch fails.
    func truth(_ id: Int, session: String?) -> Int? {
        let values = values.withLock { $0 }
        return Self.truth(id, nodes, values, session)
    }

    private static func truth(_ id: Int, _ nodes: [Node], _ values: [Int], _ session: String?) -> Int? {
        let node = nodes[id]
        let read = node.sources.map { values[$0] }
        if node.fails(read) { return nil }
        let inner = node.inner.compactMap { truth($0, nodes, values, session) ?? (node.fallsBack ? fallback : nil) }
        return inner.count == node.inner.count ? mix(id, session, read + inner) : nil
    }

    private static let fallback = -1

    private static func mayFail(_ id: Int, _ nodes: [Node]) -> Bool {
        nodes[id].failsByData || nodes[id].inner.contains { mayFail($0, nodes) }
    }

    private static func mix(_ id: Int, _ session: String?, _ parts: [Int]) -> Int {
        let start = id + 1 + (session.flatMap { Int($0) } ?? 0) * 1000
        return parts.reduce(start) { ($0 &* 31 &+ $1 &+ 7) & 0xff_ffff }
    }

    /// The sources that a request reads, directly or through others.
    func allSources(of id: Int) -> Set<Int> {
        nodes[id].inner.reduce(into: Set(nodes[id].sources)) { $0.formUnion(allSources(of: $1)) }
    }

    /// The tags that a request must have.
    func tags(of id: Int) -> Set<QueryTag> {
        Set(allSources(of: id).filter { announcements[$0] == .tag }.map { QueryTag("graph \($0)") })
    }

    /// Changes a source and notifies a client as the source would, starting with requests that others fetch.
    func change(_ source: Int, in client: QueryClient) {
        values.withLock { $0[source] += 1 }
        switch announcements[source] {
        case .region: client.changed([Self.region(source)])
        case .tag: client.invalidate(tags: [QueryTag("graph \(source)")])
        case .path:
            for node in nodes.reversed() where allSources(of: node.id).contains(source) {
                client.invalidate(.path(GraphRequest(node.id).path))
            }
        }
    }

    // MARK: Fetches

    /// The gate at which each fetch waits.
    var underWay: [String] { whereabouts.withLock { $0.sorted { $0.key < $1.key }.map(\.value) } }

    func fetch(_ id: Int, in context: QueryContext) async throws -> Int {
        let node = nodes[id]
        let number = steps.withLock { step in
            step += 1
            return step
        }
        whereabouts.withLock { $0[number] = "\(id) begins" }
        defer { whereabouts.withLock { $0[number] = nil } }
        try await pause()
        var read: [Int] = []
        for source in node.sources {
            if announcements[source] == .region { QueryReads.note([Self.region(source)]) }
            read.append(values.withLock { $0[source] })
            try await pause()
        }
        if node.fails(read) { throw GraphFailure() }
        whereabouts.withLock { $0[number] = "\(id) waits for others" }
        let inner = try await innerValues(of: node, in: context)
        whereabouts.withLock { $0[number] = "\(id) ends" }
        try await pause()
        return Self.mix(id, context.session, read + inner)
    }

    private func innerValues(of node: Node, in context: QueryContext) async throws -> [Int] {
        if !isParallel {
            var values: [Int] = []
            for id in node.inner {
                values.append(try await inner(id, of: node, in: context))
                try await pause()
            }
            return values
        }
        return try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for (place, id) in node.inner.enumerated() {
                group.addTask { (place, try await self.inner(id, of: node, in: context)) }
            }
            var values = Array(repeating: 0, count: node.inner.count)
            for try await (place, value) in group { values[place] = value }
            return values
        }
    }

    private func inner(_ id: Int, of node: Node, in context: QueryContext) async throws -> Int {
        guard let client = context.queryClient else { throw CancellationError() }
        let request = GraphRequest(id).ttl(.infinity)
        do {
            return node.takesFresh ? try await client.fetch(request) : try await client.store(for: request).fetch()
        } catch is GraphFailure where node.fallsBack {
            return Self.fallback
        }
    }

    private func pause() async throws {
        let step = steps.withLock { step in
            step += 1
            return step
        }
        var dice = Dice(seed: seed &* 7919 &+ step)
        if isCalm.withLock({ $0 }) { return }
        switch dice.roll(12) {
        case 0..<3: for _ in 0...dice.roll(4) { await Task.yield() }
        case 3..<5 where !isParallel: try await gate.pass()
        case 5 where failsAtTimes && dice.roll(2) == 0: throw TestError()
        default: break
        }
    }

    /// Lets all fetches complete without failures.
    func calm() {
        isCalm.withLock { $0 = true }
        gate.open()
    }
}

/// The error of a request that fails by its data, and of those that fetch it.
struct GraphFailure: Error {}

extension GraphWorld.Node {
    func fails(_ read: [Int]) -> Bool { failsByData && read.reduce(0, +).isMultiple(of: 2) }
}

extension QueryContext {
    private enum GraphKey: Key {
        static var defaultValue: GraphWorld { GraphWorld(seed: 0) }
    }

    var graph: GraphWorld {
        get { self[GraphKey.self] }
        set { self[GraphKey.self] = newValue }
    }
}

/// One request of the graph.
struct GraphRequest: QueryRequest {
    let id: Int

    init(_ id: Int) { self.id = id }

    var path: QueryPath { ["graph", id % 2, id] }

    func setup(context: inout QueryContext) {
        let tags = context.graph.tags(of: id)
        if context.graph.nodes[id].computesTags {
            context.settings.computedTags = ComputedTags<Int> { _ in tags }
        } else {
            context.settings.tags = Array(tags)
        }
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.graph.fetch(id, in: context)
    }
}
