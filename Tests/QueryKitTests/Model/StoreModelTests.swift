import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// Drives real stores with real tasks at random, and compares each published state with `ReferenceStore`.
///
/// After each step the test waits for what the reference expects, and for nothing else.
struct StoreModelTests {
    private static let seeds = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 100 : 10_000

    @Test
    func
        `any sequence of fetches, subscriptions, invalidations, changes, writes, mutations, outages and time shows the states of the reference`()
        async throws
    {
        let first = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        for seed in first.map({ $0..<($0 + 1) }) ?? 0..<Self.seeds {
            var driver = ModelDriver(seed: seed)
            if let difference = await driver.run(steps: 60) {
                Issue.record("Seed \(seed): \(difference)\n\(driver.log.joined(separator: "\n"))")
                return
            }
        }
    }
}

private struct ModelDriver {
    private static let count = 4

    private var dice: Dice
    private let clock = ManualClock()
    private let backend = ModelBackend()
    private let accounts = ModelLedger()
    private let network = ManualNetworkObserver()
    private var line = ReferenceLine()
    private var calls: [Int: UUID] = [:]
    /// Keeps the mutations' store alive, so that the number of stores is known.
    private var mutations: [QuerySubscription] = []
    private let client: QueryClient
    private var stores: [QueryStore<QueryState<Int?, Int>>] = []
    private var states: [Recorder<String>] = []
    private var references: [ReferenceStore] = []
    private var subscriptions: [(store: Int, id: Int, subscription: QuerySubscription)] = []
    private var callers: [(store: Int, id: Int, task: Task<Void, Never>)] = []
    private let outcomes = Recorder<(Int, String)>()
    private var nextId = 0
    private var now = 0
    private(set) var log: [String] = []

    init(seed: Int) {
        dice = Dice(seed: seed)
        var context = QueryContext()
        context.clock = clock
        context[ModelBackendKey.self] = backend
        context[ModelLedgerKey.self] = accounts
        context.networkObserver = network
        // The reference knows which runs are paused before they fetch anything.
        context.networkMode = .online
        client = QueryClient(context: context, configuration: .isolated)
        for id in 0..<Self.count {
            let recorder = Recorder<String>()
            let ttl = [0, 10, 10, 1_000_000][id]
            let isEnabled = id != 2
            let handler = QueryEventHandler<QueryState<Int?, Int>> { state, _ in
                recorder.note("\(state.revision) \(StateSummary(state))\(state.isOptimistic ? " optimistic" : "")")
            }
            let request = ModelRequest(id: id).ttl(.seconds(ttl)).enabled(isEnabled).retry(limit: 0).onEvent(handler)
            stores.append(client.store(for: request))
            states.append(recorder)
            references.append(ReferenceStore(ttl: ttl, isEnabled: isEnabled, now: 0))
        }
        for scope in [nil, "s"] {
            mutations.append(client.store(for: ModelMutation(scope: scope)).subscribe(with: QueryEventHandler()))
        }
    }

    /// Returns the first difference, or `nil`.
    mutating func run(steps: Int) async -> String? {
        for _ in 0..<steps {
            step()
            if let difference = await difference() { return difference }
        }
        for subscription in subscriptions { subscription.subscription.cancel() }
        for caller in callers { caller.task.cancel() }
        client.cancelMutations()
        for caller in callers { await caller.task.value }
        return nil
    }

    private mutating func step() {
        let index = Int.random(in: 0..<Self.count, using: &dice)
        let store = stores[index]
        let kind = Int.random(in: 0..<130, using: &dice)
        nextId += 1
        switch kind {
        case 0..<16:
            note("fetch \(index) as \(nextId)")
            references[index].fetch(nextId)
            let (id, outcomes) = (nextId, outcomes)
            let task = Task {
                do { outcomes.note((id, "\(try await store.fetch())")) } catch {
                    outcomes.note((id, error is CancellationError ? "cancelled" : "\(error)"))
                }
            }
            callers.append((index, id, task))
        case 16..<26:
            guard let caller = callers.randomElement(using: &dice) else { return }
            note("cancel caller \(caller.id) of \(caller.store)")
            references[caller.store].cancel(caller: caller.id, now)
            caller.task.cancel()
        case 26..<38:
            note("subscribe \(index) as \(nextId)")
            references[index].subscribe(nextId, now)
            subscriptions.append((index, nextId, store.subscribe(with: QueryEventHandler())))
        case 38..<48:
            guard !subscriptions.isEmpty else { return }
            let one = subscriptions.remove(at: Int.random(in: 0..<subscriptions.count, using: &dice))
            note("unsubscribe \(one.id) of \(one.store)")
            references[one.store].unsubscribe(one.id, now)
            one.subscription.cancel()
        case 48..<60:
            invalidate(index)
        case 60..<67:
            let value = Int.random(in: 0..<4, using: &dice)
            note("write \(value) to \(index)")
            references[index].write(value, now)
            store.setValue(value)
        case 67..<88:
            end(index)
        case 88..<91:
            let value = Int.random(in: 0..<4, using: &dice)
            guard references[index].run?.isPaused == false else { return }
            note("yield \(value) from \(index)")
            references[index].yield(value, now)
            backend.yield(index, value)
        case 91..<94:
            let seconds = [1, 5, 10, 150, 300].randomElement(using: &dice) ?? 1
            note("advance by \(seconds)")
            now += seconds
            let mayGoOn = line.advance(to: now)
            for index in references.indices {
                if mayGoOn { references[index].goOn() }
                references[index].advance(to: now)
            }
            clock.advance(by: .seconds(seconds))
        case 94..<96:
            note("cancel run of \(index)")
            references[index].cancelRun(now)
            store.cancel()
        case 96..<98:
            note("reset \(index)")
            references[index].reset(now)
            store.reset()
        case 98..<100:
            // Runs that wait for mutations continue when those end, which happens independently of the clearing.
            guard !line.holdsRuns else { return }
            note("clear")
            let ended = Dictionary(grouping: line.pending) { line.mutations[$0]?.step.store ?? 0 }
            // The reset takes effect when it is entered, and the calls end after that.
            for index in references.indices where references[index].isKept {
                references[index].reset(now, expiring: references[index].subscribers.isEmpty)
            }
            for (index, ids) in ended { references[index].removeLayers(of: Set(ids), now) }
            line.endAll()
            client.clear()
        case 100..<106:
            let region = Int.random(in: 0..<3, using: &dice)
            note("change \(region)")
            change(region)
            client.changed([ModelBackend.region(region)])
        case 106..<114:
            mutate(index)
        case 114..<122:
            endMutation()
        case 122..<124:
            guard let id = line.pending.randomElement(using: &dice), let call = calls[id] else { return }
            note("cancel mutation \(id)")
            finish(id, fails: true)
            client.store(for: ModelMutation(scope: nil)).cancelMutation(call)
        default:
            let isOnline = line.isOffline
            note(isOnline ? "online" : "offline")
            let mayGoOn = line.set(isOffline: !isOnline, now)
            for index in references.indices {
                references[index].isOffline = !isOnline
                if mayGoOn { references[index].goOn() }
            }
            network.set(isOnline: isOnline)
        }
    }

    private mutating func change(_ region: Int, by mutation: Int? = nil) {
        if let mutation {
            for index in references.indices { references[index].tell(mutation, region) }
        }
        for index in references.indices where references[index].isKept && references[index].reads.contains(region) {
            if let mutation { references[index].landLayer(mutation) }
            references[index].invalidate()
            references[index].foldLayers()
        }
    }

    private mutating func mutate(_ index: Int) {
        let step = ModelMutation.Step(
            id: nextId,
            store: index,
            amount: Int.random(in: 0..<3, using: &dice) * 100,
            invalidates: Bool.random(using: &dice),
            region: Bool.random(using: &dice) ? Int.random(in: 0..<3, using: &dice) : nil
        )
        let scope = Bool.random(using: &dice) ? "s" : nil
        note("mutate \(step) scope \(scope ?? "none")")
        references[index].addLayer(ReferenceStore.Layer(mutation: step.id, amount: step.amount))
        line.add(step, scope: scope)
        calls[step.id] = try? client.store(for: ModelMutation(scope: scope)).submit(step).id
    }

    private mutating func endMutation() {
        guard let id = line.running.randomElement(using: &dice) else { return }
        let fails = Int.random(in: 0..<3, using: &dice) == 0
        note("end mutation \(id)\(fails ? " with an error" : "")")
        finish(id, fails: fails)
        accounts.end(id, fails: fails)
    }

    private mutating func finish(_ id: Int, fails: Bool) {
        guard let step = line.mutations[id]?.step else { return }
        if fails {
            references[step.store].removeLayers(of: [id], now)
        } else {
            if let region = step.region { change(region, by: id) }
            references[step.store].landLayer(id)
            if step.invalidates { references[step.store].invalidate() }
            references[step.store].finishLayer(id)
            if references[step.store].isIdle { references[step.store].expiry = now + ReferenceStore.retention }
        }
        if line.end(id) {
            for index in references.indices { references[index].goOn() }
        }
    }

    private mutating func invalidate(_ index: Int) {
        let pattern: QueryPattern =
            [["model", .any, .value(index)], ["model", .value(index % 2), .rest], .all].randomElement(using: &dice) ?? .all
        let refetch = [QueryRefetch.active, .active, .active, .all, .none].randomElement(using: &dice) ?? .active
        note("invalidate \(pattern) \(refetch)")
        for index in references.indices where references[index].isKept && pattern.matches(ModelRequest(id: index).path) {
            references[index].invalidate(refetchAll: refetch == .all, only: refetch == .none)
        }
        client.invalidate(pattern, refetch: refetch)
    }

    private mutating func end(_ index: Int) {
        guard references[index].run?.isPaused == false else { return }
        let fails = Int.random(in: 0..<4, using: &dice) == 0
        let result: Result<Int, TestFailure> = fails ? .failure(TestFailure(name: "e\(nextId % 2)")) : .success(nextId % 5)
        note("end \(index) with \(result.name)")
        references[index].end(result, now)
        backend.end(index, result)
    }

    private mutating func note(_ text: String) { log.append(text) }

    /// Waits until everything that the reference expects has happened, then compares.
    private mutating func difference() async -> String? {
        for round in 0... {
            let mismatch = mismatch()
            guard let mismatch else { break }
            if round > 1_000_000 { return mismatch }
            await Task.yield()
        }
        for index in stores.indices {
            let now = stores[index].state
            let state = "\(now.revision) \(StateSummary(now))\(now.isOptimistic ? " optimistic" : "")"
            if let last = references[index].published.last, last != state { return "store \(index) is «\(state)», not «\(last)»" }
        }
        return nil
    }

    private func mismatch() -> String? {
        for index in stores.indices {
            let reference = references[index]
            if states[index].all != reference.published {
                return "store \(index) published \(states[index].all.suffix(4)), not \(reference.published.suffix(4))"
            }
            if backend.count(index) != reference.fetches {
                return "store \(index): \(backend.count(index)) fetches, not \(reference.fetches)"
            }
            let (waiters, subscribers) = stores[index].core.contents.withLock { ($0.waiters.count, Int($0.machine.subscribers)) }
            let expected = (reference.run?.callers.count ?? 0) + (reference.run?.lateCallers.count ?? 0)
            if waiters != expected { return "store \(index): \(waiters) waiters, not \(expected)" }
            if subscribers != reference.subscribers.count { return "store \(index): \(subscribers) subscribers" }
            // Layers that no run will remove are removed just after the failed run; the next step must not come in between.
            let isFolding = stores[index].core.contents.withLock { $0.machine.run == nil && $0.rare?.layers.waitsForLanding == true }
            if isFolding { return "store \(index): a layer is about to become part of the value" }
            // The client learns of a run's end after the handlers and counts retention from then; time must not pass in between.
            if stores[index].core.contents.withLock({ $0.outbox.isBusy }) { return "store \(index): a delivery is under way" }
        }
        let expected = references.reduce(into: [:]) { $0.merge($1.outcomes) { first, _ in first } }
        let actual = Dictionary(outcomes.all, uniquingKeysWith: { first, _ in first })
        if actual != expected { return "outcomes \(actual.sorted { $0.key < $1.key }), not \(expected.sorted { $0.key < $1.key })" }
        let pending = calls.filter { client.core.mutationQueues.contains($0.value) }.keys.sorted()
        if pending != line.pending { return "mutations \(pending) are on their way, not \(line.pending)" }
        let waiting = client.core.network?.waiting ?? (mutations: 0, runs: 0)
        if waiting.mutations != line.mutations.count(where: { $0.value.phase == .paused }) { return "\(waiting.mutations) mutations wait" }
        if waiting.runs != references.count(where: { $0.run?.isPaused == true }) { return "\(waiting.runs) runs wait for the network" }
        if Set(accounts.arrived) != Set(line.begun) { return "mutations \(accounts.arrived) began, not \(line.begun)" }
        let count = client.stores(matching: "model/**").count
        if count != references.count(where: \.isKept) {
            return "\(count) stores are kept, not \(references.map(\.isKept))"
        }
        return nil
    }
}
