//! A repository in memory and a file that report reads and changes:
//! requests that read them run again automatically.
import Foundation
import QueryKit

// snippet.repository
/// Notes what is read and reports what has changed,
/// without depending on requests.
actor Pantry {
    private var grams: [String: Int] = [:]
    private var changed: @Sendable ([QueryRegion]) -> Void = { _ in }

    func onChange(
        _ changed: @escaping @Sendable ([QueryRegion]) -> Void
    ) {
        self.changed = changed
    }

    /// One region per shelf, so that a change of one shelf doesn't
    /// affect the readers of others.
    private static func shelf(_ name: String) -> QueryRegion {
        QueryRegion(source: "pantry", name: "shelf", partition: name)
    }

    func amount(of food: String) -> Int {
        QueryReads.note([Self.shelf(food)])  // before reading
        return grams[food] ?? 0
    }

    func put(_ amount: Int, of food: String) {
        grams[food, default: 0] += amount
        // After the change is visible to readers:
        changed([Self.shelf(food)])
    }
}
// snippet.end

nonisolated extension QueryDependencies {
    var pantry: QueryDependency<Pantry> { .init(Pantry()) }
}

// snippet.usecase
/// A use case between request and repository. It doesn't
/// depend on QueryKit either.
struct CountBreakfasts: Sendable {
    let pantry: Pantry

    func callAsFunction() async -> Int {
        async let oats = pantry.amount(of: "oats")
        async let milk = pantry.amount(of: "milk")
        return await min(oats / 50, milk / 100)
    }
}

struct Breakfasts: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        await CountBreakfasts(pantry: context.pantry)()
    }
}
// snippet.end

// snippet.join
let pantry = Pantry()
var context = QueryContext()
context.pantry = pantry
let client = QueryClient(context: context)
// The client is notified synchronously, in the task that makes the
// change, so that it knows which run makes the change.
await pantry.onChange { [weak client] in client?.changed($0) }
// snippet.end

// snippet.watch
let store = client.store(for: Breakfasts())
for await breakfasts in store.select(\.value) {
    guard let breakfasts else { continue }
    print(breakfasts)  // 0, and 2 after the milk is added
    if breakfasts == 2 { break }
    await pantry.put(100, of: "oats")
    await pantry.put(200, of: "milk")
}
print(store.state.cause.region?.description ?? "")  // pantry/shelf/milk
// snippet.end

// snippet.own
/// Stores data from a server and reads it back: its own change
/// doesn't make it run again.
struct Delivery: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        await context.pantry.put(50, of: "rye")
        return await context.pantry.amount(of: "rye")
    }
}

let delivery = client.store(for: Delivery())
let observation = delivery.subscribe(with: QueryEventHandler())
await client.settled()
print(delivery.value ?? 0)  // 50
await pantry.put(10, of: "rye")  // this change makes it run again
await client.settled()
print(delivery.value ?? 0)  // 110
// snippet.end
// snippet.hide
precondition(delivery.value == 110)
observation.cancel()
// snippet.show

// snippet.file
/// A file works in the same way: its name is the region.
struct Notes: Sendable {
    let file: URL
    let client: QueryClient

    private var region: QueryRegion {
        QueryRegion(source: "notes", name: file.lastPathComponent)
    }

    func text() throws -> String {
        QueryReads.note([region])
        return try String(contentsOf: file, encoding: .utf8)
    }

    func write(_ text: String) throws {
        try text.write(to: file, atomically: true, encoding: .utf8)
        client.changed([region])
    }
}
// snippet.end
// snippet.hide
precondition(store.value == 2)
let notes = Notes(
    file: FileManager.default.temporaryDirectory.appending(
        path: "\(UUID()).txt"
    ),
    client: client
)
try notes.write("Buy milk.")
let written = try notes.text()
precondition(written == "Buy milk.")
try FileManager.default.removeItem(at: notes.file)
// snippet.show

// snippet.collecting
let (_, regions) = await QueryReads.collecting {
    await pantry.amount(of: "milk")
}
print(regions)  // [pantry/shelf/milk]
// snippet.end

struct Recipe: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] { ["oats", "milk"] }
}

// snippet.tags
let recipe = client.store(
    for: Recipe().tagged("recipes").tagged { foods in
        Set(foods.map { "food/\($0)" })
    }
)
_ = try await recipe.fetch()
client.invalidate(tags: ["food/milk"])
print(recipe.isStale)  // true
// snippet.end
// snippet.hide
precondition(recipe.isInvalidated)
// snippet.show
