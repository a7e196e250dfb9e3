import QueryKit
import QueryKitTesting
import Testing

/// A screen with a spinner.
@MainActor
private final class NotesModel {
    private let notes: QueryMirror<Notes.State>

    init(_ client: QueryClient) { notes = QueryMirror(Notes(), client: client) }

    var showsSpinner: Bool { notes.isFetching }
    var lines: [String] { notes.value ?? [] }
}

struct LoadingTests {
    private let gate = Gate()

    @MainActor @Test func `a view model shows a spinner while the gate holds its fetch, and the result afterwards`() async throws {
        let client = makeClient(gate)
        let model = NotesModel(client)
        let seen = try await client.loading(at: gate) { [model.showsSpinner, model.lines.isEmpty] }
        #expect(seen == [true, true])
        #expect(!model.showsSpinner)
        #expect(model.lines == ["Milk"])
    }

    @MainActor @Test func `a refetch from another thread has reached the view model while the gate holds it`() async throws {
        let client = makeClient(gate)
        let model = NotesModel(client)
        try await client.loading(at: gate) {}
        for _ in 0..<100 {
            #expect(!model.showsSpinner)
            await Task.detached { _ = client.invalidate(.all) }.value
            try await client.loading(at: gate) {
                #expect(model.showsSpinner)
                #expect(model.lines == ["Milk"])
            }
        }
        #expect(gate.arrivals == 101)
    }

    @Test func `the fetch continues when the checks throw`() async throws {
        let client = makeClient(gate)
        let fetch = Task { try await client.fetch(Notes()) }
        await #expect(throws: Broken()) { try await client.loading(at: gate) { throw Broken() } }
        #expect(try await fetch.value == ["Milk"])
    }

    @Test func `an open gate is reported at once, because it holds no fetch`() async throws {
        let client = makeClient(gate)
        gate.open()
        let error = try await #require(throws: NothingHeldError.self) { try await client.loading(at: gate) {} }
        #expect(error.isOpen)
        #expect(error.description.contains("The gate is open"))
    }

    @Test func `a fetch that never arrives is reported after the time limit, and the checks don't run`() async throws {
        let client = makeClient(gate)
        gate.openOnce()
        _ = try await client.fetch(Notes())
        let error = try await #require(throws: NothingHeldError.self) {
            try await client.loading(at: gate, timeout: .milliseconds(20)) { Issue.record("There is no fetch.") }
        }
        #expect(!error.isOpen)
        #expect(error.arrivals == 1)
        #expect(error.description.contains("Fetches that had arrived and left before: 1."))
    }

    @Test func `a fetch that hangs elsewhere is named after the time limit`() async throws {
        let client = makeClient(gate)
        let (stream, end) = AsyncStream.makeStream(of: Int.self)
        let hung = InlineQuery("hung") { _ in await stream.reduce(0, +) }
        let fetches = [Task { _ = try await client.fetch(hung) }, Task { _ = try await client.fetch(Notes()) }]
        await gate.holds()
        while client.runningCount(matching: "hung") == 0 { await Task.yield() }
        await #expect(throws: QueryUnsettledError.self) { try await client.loading(at: gate, timeout: .milliseconds(20)) {} }
        end.finish()
        gate.open()
        for fetch in fetches { try await fetch.value }
    }

    @Test func `a cancelled test doesn't run the checks`() async throws {
        let client = makeClient(gate)
        let task = Task { try await client.loading(at: gate) { Issue.record("The task is cancelled.") } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `only the held fetch continues and the next one is held again`() async throws {
        let client = makeClient(gate)
        let store = client.store(for: Notes())
        let subscription = store.subscribe(with: QueryEventHandler())
        try await client.loading(at: gate) { #expect(store.isLoading) }
        store.invalidate()
        try await client.loading(at: gate) { #expect(store.isFetching && !store.isLoading) }
        #expect(gate.arrivals == 2)
        subscription.cancel()
    }
}
