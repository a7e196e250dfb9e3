//! Without a network a query waits and its state shows
//! that it is paused; a mutation is shown and stored.
//! Both continue when the network is back.
// The server runs in this process; like a real one it can't be
// reached without a network.
import QueryKit

nonisolated struct Weighing: Codable, Hashable {
    let day: String
    let kilograms: Double
}

actor Server {
    private var stored = [Weighing(day: "Monday", kilograms: 71.5)]

    func weighings(
        over network: (any NetworkObserver)?
    ) throws -> [Weighing] {
        if network?.isOnline == false {
            throw QueryError(.networkUnavailable)
        }
        return stored
    }

    func add(
        _ weighing: Weighing,
        over network: (any NetworkObserver)?
    ) throws {
        if network?.isOnline == false {
            throw QueryError(.networkUnavailable)
        }
        if !stored.contains(weighing) { stored.append(weighing) }
    }
}

nonisolated extension QueryDependencies {
    var server: QueryDependency<Server> { .init(Server()) }
}

struct Weights: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[Weighing]>
    ) async throws -> [Weighing] {
        try await context.server.weighings(
            over: context.networkObserver
        )
    }
}

// snippet.durable
struct LogWeight: DurableMutationRequest {
    var scope: String? { "weight" }

    func mutate(
        with weighing: Weighing,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws {
        // May be called twice: the server ignores a weighing that it
        // already has, or recognizes context.mutationID.
        try await context.server.add(
            weighing,
            over: context.networkObserver
        )
    }

    func optimistic(
        with weighing: Weighing,
        in layers: inout QueryLayers
    ) {
        layers.update(Weights()) { weighings in
            if !weighings.contains(weighing) {
                weighings.append(weighing)
            }
        }
    }

    func invalidates(with weighing: Weighing, value: Void)
        -> [QueryPattern]
    { [.path(Weights().path)] }
}
// snippet.end

// snippet.client
let network = ManualNetworkObserver()
let journal = MemoryMutationJournal()
var context = QueryContext()
context.networkObserver = network
context.mutationJournal = journal
let client = QueryClient(context: context)
// snippet.end

// snippet.offline
let weights = client.store(for: Weights())
let subscription = weights.subscribe(with: QueryEventHandler())
await client.settled()

network.set(isOnline: false)
let log = client.store(for: LogWeight())
try log.submit(Weighing(day: "Tuesday", kilograms: 71.2))
await client.settled()
print(weights.value?.count ?? 0, log.isPaused)  // 2 true

network.set(isOnline: true)
await client.settled()
print(weights.isOptimistic, log.isPaused)  // false false
// snippet.end
// snippet.hide
precondition(
    weights.value?.map(\.kilograms) == [71.5, 71.2]
        && !weights.isOptimistic && !log.isPaused
)
// snippet.show

// snippet.relaunch
let (resumed, setAside) = try await client.resumeMutations(of: [
    LogWeight.self
])
print(resumed.count, "resumed,", setAside.count, "can't be read")
// snippet.end
// snippet.hide
precondition(resumed.isEmpty && setAside.isEmpty)
// snippet.show

// snippet.modes
// Ignores the network: no failure pauses the run.
_ = client.store(for: Weights().networkMode(.always))
// Makes no attempt without a network.
_ = client.store(for: Weights().networkMode(.online))
// snippet.end

// snippet.session
client.reset(session: "another user")
await client.settled()
print(weights.state.cause)  // session
// snippet.end
// snippet.hide
subscription.cancel()
// snippet.show
