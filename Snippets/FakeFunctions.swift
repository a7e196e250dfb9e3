//! A fake repository in three lines: what it returns, when it
//! fails, and how it was called.
import QueryKit
import QueryKitTesting

// snippet.hide
func expect(_ isTrue: Bool, line: UInt = #line) {
    precondition(isTrue, "line \(line)")
}

nonisolated protocol NoteRepository: Sendable {
    func notes() async throws -> [String]
    func add(_ note: String) async throws
}

nonisolated extension QueryDependencies {
    var notes: QueryDependency<any NoteRepository> { .required() }
}

struct NoServer: Error {}

let allNotes = InlineQuery("notes") { context in
    try await context.notes.notes()
}

let addNote = InlineMutation("notes/add") { (note: String, context) in
    try await context.notes.add(note)
}
.optimistic { note, layers in
    layers.update(allNotes) { $0.append(note) }
}
.invalidates("notes")
// snippet.show

// snippet.fake
struct FakeNotes: NoteRepository {
    let reading = FakeFunction<Void, [String]>(returning: ["Milk"])
    let adding = FakeFunction<String, Void>()

    func notes() async throws -> [String] { try await reading() }
    func add(_ note: String) async throws { try await adding(note) }
}
// snippet.end

// snippet.test
let fake = FakeNotes()
var context = QueryContext()
context.notes = fake
let client = QueryClient.test(context: context)

_ = try await client.fetch(allNotes)
fake.adding.gate.close()
let call = try client.submit(addNote, with: "Bread")
expect(client.value(for: allNotes) == ["Milk", "Bread"])
fake.adding.gate.failOnce(with: NoServer())
await client.settled()
// The change was rolled back.
expect(client.value(for: allNotes) == ["Milk"])

fake.adding.gate.open()
fake.reading.returns(["Milk", "Rye"])
try await client.mutate(addNote, with: "Rye")
expect(fake.adding.inputs == ["Bread", "Rye"])
// snippet.end
// snippet.hide
_ = try? await call.value
_ = try await client.fetch(allNotes)
expect(
    client.value(for: allNotes) == ["Milk", "Rye"]
        && fake.reading.callCount == 2
)
// snippet.show
