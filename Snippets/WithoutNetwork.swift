//! The network goes: a query waits and says so, a mutation is shown and written down, and both go on when it is back.
import QueryKit

actor Server {
    private(set) var weights: [Double] = [71.5]

    func add(_ weight: Double) { weights.append(weight) }
}

enum ServerKey: QueryContext.Key {
    static let defaultValue = Server()
}

struct Weights: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[Double]>) async throws -> [Double] {
        await context[ServerKey.self].weights
    }
}

// snippet.durable
struct LogWeight: DurableMutationRequest {
    var scope: String? { "weight" }

    func mutate(with weight: Double, in context: QueryContext, with continuation: QueryContinuation<Double>) async throws -> Double {
        // A server that knows context.mutationID makes a repeated call once.
        await context[ServerKey.self].add(weight)
        return weight
    }

    func optimistic(with weight: Double, in layers: inout QueryLayers) {
        layers.update(Weights()) { $0.append(weight) }
    }

    func invalidates(with weight: Double, value: Double) -> [QueryPattern] { [.path(Weights().path)] }
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
try log.submit(71.2)
await client.settled()
print(weights.value ?? [], log.isPaused)  // [71.5, 71.2] true

network.set(isOnline: true)
await client.settled()
print(weights.isOptimistic, log.history[0].status)  // false succeeded(71.2)
// snippet.end
// snippet.hide
precondition(weights.value == [71.5, 71.2] && !weights.isOptimistic && !log.isPaused)
// snippet.show

// snippet.relaunch
let (resumed, setAside) = try await client.resumeMutations(of: [LogWeight.self])
print(resumed.count, "go on,", setAside.count, "can not be made out")
// snippet.end
// snippet.hide
precondition(resumed.isEmpty && setAside.isEmpty)
// snippet.show

// snippet.modes
_ = client.store(for: Weights().networkMode(.always))  // a database: the network plays no part
_ = client.store(for: Weights().networkMode(.offlineFirst))  // the first attempt always runs: a cache may answer it
// snippet.end

// snippet.session
client.reset(session: "another user")
await client.settled()
print(weights.state.cause)  // session
// snippet.end
// snippet.hide
subscription.cancel()
// snippet.show
