//! A view model's spinner under test: a gate holds the fetch while the test looks.
import QueryKit
import QueryKitTesting

nonisolated protocol NoteRepository: Sendable {
    func notes() async throws -> [String]
}

nonisolated extension QueryDependencies {
    var notes: QueryDependency<any NoteRepository> { .init(HeldNotes(gate: Gate())) }
}

struct Notes: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
        try await context.notes.notes()
    }
}

@MainActor
final class NotesModel {
    private let notes: QueryMirror<Notes.State>

    init(client: QueryClient) { notes = QueryMirror(Notes(), client: client) }

    var showsSpinner: Bool { notes.isLoading }
    var lines: [String] { notes.value ?? [] }
}

// snippet.fake
struct HeldNotes: NoteRepository {
    let gate: Gate

    func notes() async throws -> [String] {
        try await gate.pass()
        return ["Milk"]
    }
}
// snippet.end

// snippet.client
let gate = Gate()
var context = QueryContext()
context.clock = ManualClock()
context.notes = HeldNotes(gate: gate)
let client = QueryClient(context: context)
// snippet.end

// snippet.loading
let model = NotesModel(client: client)
await client.loading(at: gate) {
    print(model.showsSpinner)  // true
    // snippet.hide
    precondition(model.showsSpinner)
    // snippet.show
}
print(model.showsSpinner, model.lines)  // false ["Milk"]
// snippet.end
// snippet.hide
precondition(!model.showsSpinner && model.lines == ["Milk"])
// snippet.show

// snippet.states
let recorder = StateRecorder(client.store(for: Notes()))
await client.loading(at: gate) {}
print(recorder.states.map(\.isFetching))  // [false, true, false]
// snippet.end
// snippet.hide
precondition(recorder.states.map(\.isFetching) == [false, true, false])
// snippet.show
