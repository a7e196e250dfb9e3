import QueryKit
import QueryKitTesting

/// A repository of notes as an app's test would write it: it waits at a gate, then returns its notes.
final class HeldNotes: Sendable {
    let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func notes() async throws -> [String] {
        try await gate.pass()
        return ["Milk"]
    }
}

extension QueryContext {
    private enum NotesKey: Key {
        static let defaultValue = HeldNotes(Gate())
    }

    var notes: HeldNotes {
        get { self[NotesKey.self] }
        set { self[NotesKey.self] = newValue }
    }
}

struct Notes: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
        try await context.notes.notes()
    }
}

/// A client whose notes wait at a gate.
func makeClient(_ gate: Gate) -> QueryClient {
    var context = QueryContext()
    context.clock = ManualClock()
    context.notes = HeldNotes(gate)
    return QueryClient(context: context)
}

/// An error with a name.
struct Broken: Error, Equatable {}
