//! A mutation shows its outcome at once, and removes it if it fails. If
//! it succeeds, the fetched value replaces the outcome.
import Observation
import QueryKit

actor Server {
    private var foods = ["Porridge"]
    var isBroken = false

    func list() -> [String] { foods }

    func add(_ food: String) throws -> Int {
        if isBroken {
            throw QueryError(
                .insufficientPermissions,
                "Sign in to log food."
            )
        }
        foods.append(food)
        return foods.count
    }

    func breakDown() { isBroken = true }

    func recover() { isBroken = false }
}

nonisolated extension QueryDependencies {
    var server: QueryDependency<Server> { .init(Server()) }
}

struct Today: QueryRequest {
    var path: QueryPath { "food/today" }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        await context.server.list()
    }
}

// snippet.request
struct LogFood: MutationRequest {
    func mutate(
        with food: String,
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        try await context.server.add(food)
    }

    func optimistic(with food: String, in layers: inout QueryLayers) {
        layers.update(Today()) { foods in
            if !foods.contains(food) { foods.append(food) }
        }
    }

    func invalidates(with food: String, value: Int) -> [QueryPattern] {
        ["food/**"]
    }
}
// snippet.end

// snippet.alert
@MainActor @Observable
final class LogModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedMutation(LogFood()) var logFood

    /// The text of an alert, while there is an error.
    var problem: String? { logFood.error.map { "Not saved: \($0)" } }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func closeAlert() { logFood.dismissError() }
}
// snippet.end

let client = QueryClient()

// snippet.call
let today = client.store(for: Today())
let subscription = today.subscribe(
    with: QueryEventHandler { state, _ in
        print(
            state.value ?? [],
            state.isOptimistic ? "expected" : "known"
        )
    }
)
await client.settled()

let count = try await client.mutate(LogFood(), with: "Apple")
await client.settled()
print(count, today.value ?? [])  // 2 ["Porridge", "Apple"]
// snippet.end
// snippet.hide
precondition(
    count == 2 && today.value == ["Porridge", "Apple"]
        && !today.isOptimistic
)
await client.context.server.breakDown()
// snippet.show

// snippet.failure
do {
    _ = try await client.mutate(LogFood(), with: "Pear")
} catch {
    // The pear is gone again.
    print(today.value ?? [])  // ["Porridge", "Apple"]
}
// snippet.end
// snippet.hide
precondition(today.value == ["Porridge", "Apple"])
// snippet.show

// snippet.submit
let log = client.store(for: LogFood())
let call = try log.submit(
    "Plum",
    onFailure: { error in print("No plum:", error) }
)
await client.settled()
for run in log.history {
    print(run.arguments, run.status, run.attemptCount)
}
// snippet.end
// snippet.hide
precondition(
    log.history.map(\.arguments) == ["Apple", "Pear", "Plum"]
        && call.run?.endedAt != nil
)
// snippet.show

// snippet.dismiss
let model = LogModel(queryClient: client)
print(model.problem ?? "")  // Not saved: Sign in to log food.
model.closeAlert()
print(model.problem == nil)  // true
// snippet.end
// snippet.hide
precondition(model.problem == nil && call.run?.failureCount == 1)
await client.context.server.recover()
// snippet.show

// snippet.again
let second = try call.retry()
print(try await second.value)  // 3
// snippet.end
// snippet.hide
await client.settled()
precondition(today.value == ["Porridge", "Apple", "Plum"])
subscription.cancel()
// snippet.show
