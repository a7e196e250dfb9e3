//! A view model under test: its client, its clock and its use case are the test's, and nothing sleeps.
import QueryKit

struct Entry: Equatable, Sendable {
    let name: String
}

nonisolated protocol EntryLog: Sendable {
    func entries() async throws -> [Entry]
    func add(_ name: String) async throws
}

nonisolated extension QueryDependencies {
    var entryLog: QueryDependency<any EntryLog> { .init(FakeLog()) }
}

struct Entries: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
        try await context.entryLog.entries()
    }
}

struct AddEntry: MutationRequest {
    func mutate(with name: String, in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await context.entryLog.add(name)
        return true
    }

    func optimistic(with name: String, in layers: inout QueryLayers) {
        layers.update(Entries()) { entries in
            if !entries.contains(where: { $0.name == name }) { entries.append(Entry(name: name)) }
        }
    }

    func invalidates(with name: String, value: Bool) -> [QueryPattern] { [.path(Entries().path)] }
}

// snippet.model
@MainActor
final class DiaryViewModel {
    private let client: QueryClient
    private let entries: QueryMirror<Entries.State>

    init(client: QueryClient) {
        self.client = client
        entries = QueryMirror(Entries(), client: client)
    }

    var lines: [String] { (entries.value ?? []).map(\.name) }
    var isEmptyScreen: Bool { entries.status.success?.isEmpty == true }

    func log(_ name: String) async throws { _ = try await client.mutate(AddEntry(), with: name) }
}
// snippet.end

actor FakeLog: EntryLog {
    private var names: [String] = []

    func entries() -> [Entry] { names.map(Entry.init) }
    func add(_ name: String) { names.append(name) }
}

// snippet.test
var context = QueryContext()
context.entryLog = FakeLog()
let client = QueryClient.test(context: context)
let model = DiaryViewModel(client: client)

await client.settled()
let store = client.store(for: Entries())
print(store.status.success?.isEmpty == true)  // true: loaded, and empty

try await model.log("Apple")
await client.settled()
print(store.value?.map(\.name) ?? [])  // ["Apple"]
// snippet.end
// snippet.hide
precondition(store.value == [Entry(name: "Apple")])
_ = (model.lines, model.isEmptyScreen)
// snippet.show
