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

@Suite(.timeLimit(.minutes(5))) struct LoadingTests {
    private let gate = Gate()

    @MainActor @Test func `a view model shows a spinner while the gate holds its fetch, and the result afterwards`() async {
        let client = makeClient(gate)
        let model = NotesModel(client)
        let seen = await client.loading(at: gate) { [model.showsSpinner, model.lines.isEmpty] }
        #expect(seen == [true, true])
        #expect(!model.showsSpinner)
        #expect(model.lines == ["Milk"])
    }

    @MainActor @Test func `a refetch from another thread has reached the view model while the gate holds it`() async {
        let client = makeClient(gate)
        let model = NotesModel(client)
        await client.loading(at: gate) {}
        for _ in 0..<100 {
            #expect(!model.showsSpinner)
            await Task.detached { _ = client.invalidate(.all) }.value
            await client.loading(at: gate) {
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

    @Test func `only the held fetch continues and the next one is held again`() async throws {
        let client = makeClient(gate)
        let store = client.store(for: Notes())
        let subscription = store.subscribe(with: QueryEventHandler())
        await client.loading(at: gate) { #expect(store.isLoading) }
        store.invalidate()
        await client.loading(at: gate) { #expect(store.isFetching && !store.isLoading) }
        #expect(gate.arrivals == 2)
        subscription.cancel()
    }
}
