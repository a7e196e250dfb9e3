import Foundation
import QueryKitTesting
import TestSupport

@testable import QueryKit

/// A random life of two processes with one shared journal and one server: calls, cancellations, outages, logouts and relaunches.
///
/// Whenever all work is at rest, each list shows the server's items followed by those of all calls under way, in the order of their layers.
/// At the end, with network and journal working, each journaled call that was not withdrawn has had its effect once, and calls of one scope
/// have had theirs in the order in which they were journaled.
final class CallLife {
    typealias Item = CallWorld.Item

    /// The calls made in a process, and the results it received.
    private struct Asked {
        let item: Item
        let scope: String?
        let isDurable: Bool
        let outcome: Recorder<Outcome>
    }

    private enum Outcome: Equatable {
        case succeeded, failed, cancelled
    }

    private struct Process {
        let network: ManualNetworkObserver
        let clock: PausingClock
        let laid: Recorder<Int>
        let client: QueryClient
        let observers: [QuerySubscription]
        /// Calls made since the process was launched; other calls come from the journal.
        var asked: Set<Int> = []
        var calls: [MutationCall<Item, Int>] = []
        var callers: [(item: Item, task: Task<Void, Never>)] = []
    }

    private static let scopes: [String?] = [nil, "a", "b"]
    private static let sessions = ["me", "you"]

    private let world: CallWorld
    private let time = ManualClock()
    private var dice: Dice
    private var session = CallLife.sessions[0]
    private var processes: [Process] = []
    private var asked: [Asked] = []
    private var resumptions: [Task<Void, Never>] = []
    /// Journal writes that deallocated clients may still be making.
    private var leftWork: [WorkCounter] = []
    /// Calls that were refused when they were submitted.
    private var unmade: Set<Int> = []
    /// Calls that were withdrawn or retried at some time: their effect and its place can't be predicted.
    private var withdrawn: Set<Int> = []
    /// Whether a process may be suspended. Then two processes may make a call at the same time, and no attempt may fail permanently.
    private let suspends: Bool
    /// Whether the journal failed to tell a client the order of its calls.
    private var mayDisorder = false
    private(set) var log: [String] = []

    init(seed: Int) {
        var dice = Dice(seed: seed &+ 7_000_003)
        suspends = dice.roll(2) == 0
        world = CallWorld(seed: seed, failsAtTimes: dice.roll(2) == 0 && !suspends)
        self.dice = dice
        note("\(suspends ? "suspends " : "")\(world.failsAtTimes ? "fails" : "")")
    }

    private func launch() async -> Process {
        let network = ManualNetworkObserver(isOnline: dice.roll(3) > 0)
        let (clock, laid) = (PausingClock(time), Recorder<Int>())
        var context = QueryContext()
        context.clock = clock
        context.networkObserver = network
        context.mutationJournal = WorldJournal(world: world)
        context.session = session
        context.world = world
        context.laid = laid
        // Covers a network that is back by the time an attempt fails for lack of it.
        context.retry = QueryRetry(limit: 3, backoff: .none)
        let client = QueryClient(context: context, configuration: .isolated)
        let observers = [nil, 0, 1].map { list in
            client.store(for: ItemList(list: list).networkMode(.always)).subscribe(with: QueryEventHandler())
        }
        let process = Process(network: network, clock: clock, laid: laid, client: client, observers: observers)
        await resume(process)
        return process
    }

    private func resume(_ process: Process) async {
        // Resuming fails with the journal. Such calls are resumed later and may be overtaken.
        if (try? await process.client.resumeMutations(of: [AddDurably.self])) == nil { mayDisorder = true }
    }

    /// A description of what is wrong, or `nil`.
    func run(steps: Int) async -> String? {
        for _ in 0..<2 { processes.append(await launch()) }
        for number in 0..<steps {
            await step(number)
            if number % 8 == 7, let fault = await faultAtRest() { return fault }
        }
        return await faultAtEnd()
    }

    // MARK: Steps

    private func step(_ number: Int) async {
        let index = dice.roll(2)
        switch dice.roll(100) {
        case 0..<34: await ask(number, index)
        case 34..<38: cancelCaller(index)
        case 38..<42: withCall(index, "cancel") { call in call.cancel() }
        case 42..<45: withCall(index, "retry") { call in _ = try? call.retry() }
        case 45..<47:
            let scope = dice.pick(Self.scopes)
            note("\(index) cancels all of \(scope ?? "-")")
            // A resumed call may be among them, although its first call has ended.
            withdrawn.formUnion(asked.lazy.filter { $0.scope == scope && $0.outcome.all != [.succeeded] }.map(\.item.id))
            processes[index].client.cancelMutations(["add", .any, .value(QueryPath.Element(scope ?? ""))])
        case 47..<53: end(index)
        case 53..<65:
            let isOnline = dice.roll(2) == 0
            note("\(index) is \(isOnline ? "online" : "offline")")
            processes[index].network.set(isOnline: isOnline)
        case 65..<72:
            let isHeld = dice.roll(2) == 0
            note(isHeld ? "hold" : "let through")
            world.hold(isHeld)
        case 72..<78: await relaunch(index)
        case 78..<83:
            note("\(index) resumes twice")
            let client = processes[index].client
            for _ in 0..<2 {
                resumptions.append(Task { _ = try? await client.resumeMutations(of: [AddDurably.self]) })
            }
            if world.failsAtTimes { mayDisorder = true }
        case 83..<86: trouble()
        case 86..<89 where suspends:
            let isPaused = dice.roll(2) == 0
            note("\(index) is \(isPaused ? "suspended" : "awake")")
            processes[index].clock.set(isPaused: isPaused)
        case 89..<91: await log(out: index)
        case 91:
            note("clear the journal")
            withdrawn.formUnion(asked.lazy.filter(\.isDurable).map(\.item.id))
            try? await world.journal.clear()
        default: advance()
        }
        for _ in 0..<dice.roll(10) { await Task.yield() }
    }

    private func ask(_ number: Int, _ index: Int) async {
        let item = Item(id: number, list: dice.roll(2))
        let scope = dice.pick(Self.scopes)
        let isDurable = dice.roll(3) > 0
        let outcome = Recorder<Outcome>()
        note("\(index) adds \(number) \(scope ?? "-")\(isDurable ? " durably" : "")")
        processes[index].asked.insert(number)
        asked.append(Asked(item: item, scope: scope, isDurable: isDurable, outcome: outcome))
        if isDurable {
            await add(AddDurably(scope: scope), item, index, outcome)
        } else {
            await add(AddPlainly(scope: scope), item, index, outcome)
        }
    }

    private func add(_ request: some AddItem, _ item: Item, _ index: Int, _ outcome: Recorder<Outcome>) async {
        let client = processes[index].client
        if dice.roll(3) == 0 {
            // Without a reference to the client, which is deallocated with its process.
            let store = client.store(for: request)
            let task = Task { @MainActor in
                do {
                    _ = try await store.mutate(with: item)
                    outcome.note(.succeeded)
                } catch {
                    outcome.note(error is CancellationError ? .cancelled : .failed)
                }
            }
            processes[index].callers.append((item, task))
            // Runs on the main actor after the call, which has begun by now.
            await MainActor.run {}
        } else if let call = try? client.submit(
            request,
            with: item,
            onEnd: { result in
                switch result {
                case .success: outcome.note(.succeeded)
                case .failure(let error): outcome.note(error is CancellationError ? .cancelled : .failed)
                }
            }
        ) {
            processes[index].calls.append(call)
        } else {
            unmade.insert(item.id)
        }
    }

    private func cancelCaller(_ index: Int) {
        guard let caller = processes[index].callers.randomElement(using: &dice) else { return }
        note("cancel the caller of \(caller.item.id)")
        withdrawn.insert(caller.item.id)
        caller.task.cancel()
    }

    private func withCall(_ index: Int, _ name: String, _ work: (MutationCall<Item, Int>) -> Void) {
        guard let call = processes[index].calls.randomElement(using: &dice) else { return }
        note("\(name) \(call.arguments.id)")
        withdrawn.insert(call.arguments.id)
        work(call)
    }

    /// Ends calls in a way that leaves durable ones in the journal.
    private func end(_ index: Int) {
        let client = processes[index].client
        switch dice.roll(3) {
        case 0:
            note("\(index) clears")
            client.clear()
        case 1:
            note("\(index) cancels mutations by path")
            client.cancel("add/durably/**")
        default:
            note("\(index) resets")
            client.reset("add/**")
        }
    }

    private func trouble() {
        let operations = ["append", "remove", "extend", "release", "turn", "claim"].filter { _ in dice.roll(3) == 0 }
        note("the journal fails at \(operations)")
        if !operations.isEmpty { mayDisorder = mayDisorder || !Set(operations).isDisjoint(with: ["turn", "claim", "append", "remove"]) }
        world.fail(Set(operations))
    }

    private func log(out index: Int) async {
        session = dice.pick(Self.sessions)
        note("\(session) logs in")
        for process in processes { process.client.reset(session: session) }
        for process in processes { await resume(process) }
    }

    private func relaunch(_ index: Int) async {
        note("relaunch \(index)")
        for resumption in resumptions { await resumption.value }
        resumptions = []
        // Deallocating the process cancels its callers, which withdraws nothing.
        leftWork.append(processes[index].client.core.work)
        processes.remove(at: index)
        processes.insert(await launch(), at: index)
    }

    private func advance() {
        let seconds = dice.pick([1, 1, 31, 70])
        note("advance \(seconds)")
        time.advance(by: .seconds(seconds))
    }

    // MARK: Invariants

    private func settle() async -> Bool {
        for resumption in resumptions { await resumption.value }
        resumptions = []
        let (clients, leftWork) = (processes.map(\.client), leftWork)
        let isSettled = await ends(within: .seconds(10)) {
            repeat {
                for client in clients { await client.settled() }
            } while clients.contains { $0.core.work.count > 0 } || leftWork.contains { $0.count > 0 }
        }
        self.leftWork.removeAll { $0.count == 0 }
        return isSettled
    }

    private func faultAtRest() async -> String? {
        guard await settle() else { return "settled() doesn't return: \(outstanding)" }
        // A cancelled call's attempt may still have its effect, and no client waits for it.
        var effects = world.effects
        repeat {
            effects = world.effects
            for process in processes { process.client.refetch("items/**") }
            guard await settle() else { return "settled() doesn't return after a refetch: \(outstanding)" }
        } while world.effects.count != effects.count
        for (index, process) in processes.enumerated() {
            let pending = pending(in: process)
            for list in [nil, 0, 1] {
                let state = process.client.store(for: ItemList(list: list)).state
                let shown = state.value ?? []
                let truth = world.items(list, in: session, of: effects).map(\.id)
                let laid = pending.filter { item in (list == nil || item.list == list) && !truth.contains(item.id) }.map(\.id)
                // Calls resumed on one thread while another makes or retries calls are ordered arbitrarily among these.
                let (old, new) = (shown.prefix(truth.count), shown.dropFirst(truth.count))
                let all = process.laid.all
                func isNew(_ id: Int) -> Bool { process.asked.contains(id) && all.count { $0 == id } == 1 }
                func isOld(_ id: Int) -> Bool { !isNew(id) && !withdrawn.contains(id) }
                let isInOrder = new.filter(isNew) == laid.filter(isNew) && new.filter(isOld) == laid.filter(isOld)
                if Array(old) != truth || Set(new) != Set(laid) || !isInOrder {
                    let place = list.map(String.init) ?? "all"
                    return
                        "\(index) shows \(shown) in \(place), and should \(truth) + \(laid): \(StateSummary(state)), \(state.cause)\(state.isOptimistic ? ", optimistic" : "")"
                }
            }
        }
        return nil
    }

    /// The items of calls under way, in the order of their layers.
    private func pending(in process: Process) -> [Item] {
        var items: [Int: Item] = [:]
        func collect(_ request: some AddItem) {
            for run in process.client.store(for: request).history where run.isPending { items[run.arguments.id] = run.arguments }
        }
        for scope in Self.scopes {
            collect(AddDurably(scope: scope))
            collect(AddPlainly(scope: scope))
        }
        // An item whose layers were laid twice has the position of its latest call.
        var order: [Int] = []
        for id in process.laid.all {
            order.removeAll { $0 == id }
            order.append(id)
        }
        return order.compactMap { items[$0] }
    }

    private func faultAtEnd() async -> String? {
        note("calm")
        world.calm()
        for process in processes {
            process.clock.set(isPaused: false)
            process.network.set(isOnline: true)
        }
        for name in Self.sessions {
            session = name
            for process in processes { process.client.reset(session: name) }
            for round in 1...40 {
                for process in processes { await resume(process) }
                guard await settle() else { return "settled() doesn't return at the end: \(outstanding)" }
                let left = ((try? await world.journal.entries()) ?? []).filter { $0.session == name }
                if left.isEmpty { break }
                if round == 40 {
                    return "the journal of \(name) still has \(left.map { String(decoding: $0.arguments, as: UTF8.self) }): \(outstanding)"
                }
                time.advance(by: .seconds(round % 10 == 0 ? 61 : 1))
            }
        }
        // Includes processes that have ended: the results that they received count.
        for call in asked where !unmade.contains(call.item.id) {
            let isReported = await ends(within: .seconds(10)) {
                while call.outcome.all.isEmpty, !Task.isCancelled { await Task.yield() }
            }
            if !isReported || call.outcome.all.isEmpty { return "the caller of \(call.item.id) waits forever" }
        }
        return faultOfEffects() ?? faultOfOrder()
    }

    private func faultOfEffects() -> String? {
        let effects = Dictionary(grouping: world.effects) { $0.item.id }
        let written = Set(world.written)
        for call in asked {
            let id = call.item.id
            let count = effects[id]?.count ?? 0
            let outcomes = call.outcome.all
            if outcomes.count > 1 { return "\(id) has ended \(outcomes.count) times: \(outcomes)" }
            if count > 1 { return "\(id) has \(count) effects" }
            if outcomes == [.succeeded], count != 1 { return "\(id) has succeeded without an effect" }
            if call.item.isRefused, count != 0 { return "\(id) was refused and has an effect" }
            let isKept =
                call.isDurable && written.contains(id) && !withdrawn.contains(id) && !call.item.isRefused && outcomes != [.failed]
                && !world.hasFailed(call.item)
            if isKept, count != 1 { return "\(id) was written down, \(outcomes), and has no effect" }
        }
        return nil
    }

    /// Durable calls of a scope take effect in the order in which they were journaled, those of both processes together.
    private func faultOfOrder() -> String? {
        guard !mayDisorder else { return nil }
        for scope in Self.scopes.compactMap(\.self) {
            for name in Self.sessions {
                let effects = world.effects.filter { effect in
                    effect.scope == scope && effect.session == name && effect.isDurable && !withdrawn.contains(effect.item.id)
                }
                let known = Set(effects.map(\.item.id))
                let written = world.written.filter { known.contains($0) }
                if effects.map(\.item.id) != written { return "\(scope) of \(name): written \(written), done \(effects.map(\.item.id))" }
            }
        }
        return nil
    }

    private var outstanding: String {
        processes.enumerated().map { index, process in
            let runs = Self.scopes.flatMap { scope in
                process.client.store(for: AddDurably(scope: scope)).history.filter(\.isPending).map { "\($0.arguments.id) \($0.status)" }
                    + process.client.store(for: AddPlainly(scope: scope)).history.filter(\.isPending).map {
                        "\($0.arguments.id) \($0.status)"
                    }
            }
            return "\(index): work \(process.client.core.work.count), \(runs)"
        }.joined(separator: "; ") + "; the gate holds \(world.gate.heldCount)"
    }

    private func note(_ text: String) { log.append(text) }
}
