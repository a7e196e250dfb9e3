//! Several requests at once: a group, a request that depends on
//! another, and a limit for many.
import QueryKit

struct Energy: QueryRequest {
    let day: Int

    var path: QueryPath { ["energy", day] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int { 2_000 + day }
}

struct CurrentUser: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String { "ada" }
}

// snippet.request
struct Goal: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        let user = context.queryClient?.value(for: CurrentUser())
        return user == "ada" ? 2_100 : 1_900
    }
}

// snippet.end
// snippet.limits
var configuration = QueryClient.Configuration()
configuration.setLimit(2, matching: "energy/*")  // two days at a time
configuration.setLimit(6)  // six runs of the client
let client = QueryClient(configuration: configuration)
// snippet.end

// snippet.group
let week = client.group(
    (1...7).map { Energy(day: $0).ttl(.seconds(300)) }
)
for await states in week.states where !states.isFetching {
    print(
        states.values.reduce(0, +),
        "kcal,",
        states.errors.count,
        "errors"
    )  // 14028 kcal, 0 errors
    break
}
// snippet.end
// snippet.hide
precondition(week.currentStates.values.reduce(0, +) == 14_028)
// snippet.show

// snippet.list
week.setRequests((2...8).map { Energy(day: $0).ttl(.seconds(300)) })
// snippet.end

// snippet.combine
let total = week.combine { states in
    states.values.count == states.count
        ? states.values.reduce(0, +) : nil
}
for await total in total {
    if let total { print(total) }  // 14035
    // snippet.hide
    precondition(total == nil || total == 14_035)
    // snippet.show
    if total != nil { break }
}
// snippet.end

// snippet.dependent
let goal = client.store(
    for: Goal().ttl(.infinity).dependent(
        on: CurrentUser().ttl(.infinity)
    )
)
for await state in goal.states {
    guard let goal = state.value else { continue }
    print(goal)  // 2100, then 1900
    if goal == 1_900 { break }
    client.setValue("bob", for: CurrentUser())
}
// snippet.end

// snippet.stores
let today = client.store(for: Energy(day: 8))
let left = QueryCombination(goal, today) { goal, today in
    (goal.value ?? 0) - (today.value ?? 0)
}
for await left in left {
    print(left)  // -108
    break
}
// snippet.end
// snippet.hide
precondition(goal.value == 1_900 && today.value == 2_008)
// snippet.show
