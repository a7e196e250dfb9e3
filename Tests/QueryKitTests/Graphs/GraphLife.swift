import QueryKitTesting
import TestSupport

@testable import QueryKit

/// A random life of a graph: clients observe, fetch and receive changes, one client after the other over the same cache.
///
/// Whenever all work is at rest, each value must be that of a fresh fetch or stale; with an enabled observer, it must also be refetching.
final class GraphLife {
    private typealias Store = QueryStore<QueryState<Int?, Int>>

    private struct Observer {
        let node: Int
        let isEnabled: Bool
        let hearing: GraphHearing
        let subscription: QuerySubscription
    }

    private let world: GraphWorld
    private let clock = ManualClock()
    private let cache: MemoryQueryCache
    private var dice: Dice
    private var client: QueryClient
    private var session: String?
    private var observers: [Observer] = []
    private var callers: [Task<Void, Never>] = []
    private var changes: [Task<Void, Never>] = []
    /// Whether this life cancels, resets, removes and marks without refetching, after which an observed value may stay stale.
    private let severs: Bool
    private(set) var log: [String] = []

    init(seed: Int) {
        world = GraphWorld(seed: seed)
        cache = MemoryQueryCache(clock: clock)
        dice = Dice(seed: seed &+ 1_000_003)
        severs = dice.roll(2) == 0
        client = Self.makeClient(world, clock, nil)
        for node in world.nodes { log.append("\(node)") }
        log.append("\(world.announcements)")
    }

    private static func makeClient(_ world: GraphWorld, _ clock: ManualClock, _ session: String?) -> QueryClient {
        var context = QueryContext()
        context.clock = clock
        context.graph = world
        context.session = session
        // A retry would wait for the clock.
        context.retry = QueryRetry(limit: 0)
        return QueryClient(context: context)
    }

    /// A description of what is wrong, or `nil`.
    func run(steps: Int) async -> String? {
        for number in 0..<steps {
            await step()
            if number % 6 == 5, let fault = await fault() { return fault }
        }
        note("calm")
        world.calm()
        if let fault = await fault() { return fault }
        guard await ends(within: .seconds(10), { [callers] in for caller in callers { await caller.value } }) else {
            return "a caller waits forever: \(outstanding)"
        }
        for observer in observers { observer.subscription.cancel() }
        return observers.lazy.compactMap(\.hearing.fault).first
    }

    // MARK: Steps

    private func step() async {
        let node = dice.roll(world.nodes.count)
        switch dice.roll(100) {
        case 0..<22: observe(node)
        case 22..<30:
            guard !observers.isEmpty else { return }
            let observer = observers.remove(at: dice.roll(observers.count))
            note("leave \(observer.node)")
            observer.subscription.cancel()
        case 30..<42: fetch(node)
        case 42..<46:
            guard !callers.isEmpty else { return }
            note("cancel a caller")
            callers[dice.roll(callers.count)].cancel()
        case 46..<68: change()
        case 68..<72:
            let refetch = dice.pick([QueryRefetch.active, .active, .all, severs ? .none : .active])
            note("invalidate \(node % 2)/** \(refetch)")
            client.invalidate(["graph", .value(QueryPath.Element(node % 2)), .rest], refetch: refetch)
        case 72..<80:
            note("open")
            world.gate.letThrough()
        case 80..<84:
            note("open once")
            world.gate.openOnce()
        case 84..<88:
            let seconds = dice.pick([1, 10, 400])
            note("advance \(seconds)")
            clock.advance(by: .seconds(seconds))
        case 88..<91:
            note("refetch \(node)")
            client.refetch(.path(GraphRequest(node).path))
        case 91..<95 where severs: sever(node)
        case 95: beginSession()
        case 96: await relaunch()
        default: for _ in 0...dice.roll(8) { await Task.yield() }
        }
    }

    private func store(_ node: Int, _ ttl: Duration, isEnabled: Bool = true) -> Store {
        let request = GraphRequest(node).ttl(ttl).enabled(isEnabled)
        return world.nodes[node].isPersisted ? client.store(for: request.persisted(in: cache)) : client.store(for: request)
    }

    private func observe(_ node: Int) {
        let ttl = dice.pick([Duration.zero, .seconds(10), .infinity])
        let isEnabled = dice.roll(5) > 0
        let hearing = GraphHearing(isSlow: dice.roll(10) == 0)
        note("observe \(node) ttl \(ttl) enabled \(isEnabled)")
        let subscription = store(node, ttl, isEnabled: isEnabled).subscribe(with: hearing.handler)
        observers.append(Observer(node: node, isEnabled: isEnabled, hearing: hearing, subscription: subscription))
    }

    private func fetch(_ node: Int) {
        let takesFresh = dice.roll(2) == 0
        note("fetch \(node)\(takesFresh ? "" : " in any case")")
        let (client, store) = (client, store(node, .infinity))
        callers.append(Task { _ = try? await takesFresh ? client.fetch(GraphRequest(node).ttl(.infinity)) : store.fetch() })
    }

    private func change() {
        let source = dice.roll(world.announcements.count)
        let isElsewhere = dice.roll(2) == 0
        note("change \(source)\(isElsewhere ? " elsewhere" : "")")
        guard isElsewhere else { return world.change(source, in: client) }
        changes.append(Task { [world, client] in world.change(source, in: client) })
    }

    private func sever(_ node: Int) {
        let pattern = QueryPattern.path(GraphRequest(node).path)
        switch dice.roll(4) {
        case 0:
            note("cancel \(node)")
            client.cancel(pattern)
        case 1:
            note("reset \(node)")
            client.reset(pattern)
        case 2:
            note("remove \(node)")
            client.remove(pattern)
        default:
            note("clear")
            client.clear()
        }
    }

    private func beginSession() {
        session = "\(dice.roll(3))"
        note("session \(session ?? "")")
        client.reset(session: session)
    }

    /// Deallocates the client with everything under way, and starts another one over the same cache.
    private func relaunch() async {
        note("relaunch")
        for change in changes { await change.value }
        changes = []
        for observer in observers { observer.subscription.cancel() }
        for caller in callers { caller.cancel() }
        for caller in callers { await caller.value }
        (observers, callers) = ([], [])
        client = Self.makeClient(world, clock, session)
    }

    // MARK: Invariants

    /// Waits until all work is at rest, then checks each value.
    private func fault() async -> String? {
        for change in changes { await change.value }
        changes = []
        guard await ends(within: .seconds(10), { [client] in await client.settled() }) else {
            return "settled() doesn't return: \(outstanding)"
        }
        for observer in observers {
            if let fault = observer.hearing.fault { return "\(fault) at \(observer.node)" }
        }
        for node in world.nodes {
            let store = client.store(for: GraphRequest(node.id).ttl(.infinity))
            let (state, isStale) = glance(at: store)
            let truth = world.truth(node.id, session: session)
            let mustRefetch = observers.contains { $0.node == node.id && $0.isEnabled } && !severs
            guard state.status.success != nil else {
                if state.error is GraphFailure, mustRefetch, !state.isFetching, let truth {
                    return "\(node.id) is observed and failed, and a fetch would return \(truth): \(StateSummary(state))"
                }
                // Values that failed at random or were never fetched show that.
                continue
            }
            if isStale, mustRefetch, !state.isFetching, !world.failsAtTimes {
                return "\(node.id) is observed and stale, and nothing refetches it: \(StateSummary(state))"
            }
            if state.value != truth, !isStale {
                let expected = truth.map { "return \($0)" } ?? "fail"
                return "\(node.id) shows \(state.value ?? -1) as fresh, and a fetch would \(expected): \(StateSummary(state))"
            }
        }
        return nil
    }

    /// A state and whether it was stale at one moment, because a new caller may begin a run between two reads.
    private func glance(at store: Store) -> (state: QueryState<Int?, Int>, isStale: Bool) {
        while true {
            let (state, isStale) = (store.state, store.isStale)
            if store.state.revision == state.revision { return (state, isStale) }
        }
    }

    /// What the current client and the gate still hold.
    private var outstanding: String {
        let stores = world.nodes.map { node in
            let core = client.store(for: GraphRequest(node.id)).core
            let (waiters, run) = core.contents.withLock { ($0.waiters.count, $0.machine.run) }
            return "\(node.id): \(waiters) callers, run \(run.map { "\($0)" } ?? "none")"
        }
        return
            "\(world.underWay), the gate holds \(world.gate.heldCount), work \(client.core.work.count), \(stores.joined(separator: "; "))"
    }

    private func note(_ text: String) { log.append(text) }
}

/// Records what an observer receives, and whether it receives it in order and one call at a time.
final class GraphHearing: Sendable {
    private let received = Lock<(revision: Int, isInside: Bool, fault: String?)>((-1, false, nil))
    private let isSlow: Bool

    init(isSlow: Bool) { self.isSlow = isSlow }

    var fault: String? { received.withLock { $0.fault } }

    var handler: QueryEventHandler<QueryState<Int?, Int>> {
        QueryEventHandler { [self] state, _ in
            received.withLock { received in
                if received.isInside { received.fault = "a handler was called while it was being called" }
                if Int(state.revision) <= received.revision {
                    received.fault = "revision \(state.revision) came after \(received.revision)"
                }
                received.revision = Int(state.revision)
                received.isInside = true
            }
            if isSlow {
                let end = ContinuousClock.now + .microseconds(200)
                while ContinuousClock.now < end {}
            }
            received.withLock { $0.isInside = false }
        }
    }
}
