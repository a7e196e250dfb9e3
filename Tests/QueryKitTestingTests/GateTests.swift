import QueryKit
import QueryKitTesting
import Testing

struct GateTests {
    private let gate = Gate()

    /// Starts a task that waits at the gate, and returns once it is held.
    private func visit() async -> Task<Void, any Error> {
        let (gate, count) = (gate, gate.heldCount)
        let task = Task { try await gate.pass() }
        await gate.holds(atLeast: count + 1)
        return task
    }

    @Test func `opening a gate releases held tasks and lets later ones pass`() async throws {
        let visits = [await visit(), await visit()]
        gate.open()
        for visit in visits { try await visit.value }
        try await gate.pass()
        #expect(gate.arrivals == 3)
        #expect(gate.heldCount == 0)
    }

    @Test func `opening a gate once lets only the first task pass`() async throws {
        let (first, second) = (await visit(), await visit())
        gate.openOnce()
        try await first.value
        #expect(gate.heldCount == 1)
        gate.openOnce()
        try await second.value
    }

    @Test func `opening a gate once in advance lets the next task pass and holds the one after it`() async throws {
        gate.openOnce()
        try await gate.pass()
        let second = await visit()
        #expect(gate.heldCount == 1)
        gate.open()
        try await second.value
    }

    @Test func `letting held tasks through holds tasks that come later`() async throws {
        let visits = [await visit(), await visit()]
        gate.letThrough()
        for visit in visits { try await visit.value }
        let late = await visit()
        #expect(gate.heldCount == 1)
        gate.open()
        try await late.value
    }

    @Test func `a closed gate holds tasks again and forgets earlier openings`() async throws {
        gate.open()
        try await gate.pass()
        gate.openOnce()
        gate.close()
        let late = await visit()
        #expect(gate.heldCount == 1)
        gate.open()
        try await late.value
    }

    @Test func `a failing gate fails held and later tasks until it is opened`() async throws {
        let visit = await visit()
        gate.fail(with: Broken())
        await #expect(throws: Broken()) { try await visit.value }
        await #expect(throws: Broken()) { try await gate.pass() }
        gate.open()
        try await gate.pass()
    }

    @Test func `a gate that fails once fails the task held longest`() async throws {
        let (first, second) = (await visit(), await visit())
        gate.failOnce(with: Broken())
        await #expect(throws: Broken()) { try await first.value }
        gate.open()
        try await second.value
        gate.close()
        gate.failOnce(with: Broken())
        await #expect(throws: Broken()) { try await gate.pass() }
    }

    @Test func `a cancelled task leaves the gate at once`() async {
        for _ in 1...100 {
            let visit = await visit()
            visit.cancel()
            #expect(gate.heldCount == 0)
            await #expect(throws: CancellationError.self) { try await visit.value }
        }
    }

    @Test func `a gate that ignores cancellation keeps a cancelled task`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let visit = Task { try await gate.pass() }
        await gate.arrived()
        visit.cancel()
        #expect(gate.heldCount == 1)
        gate.open()
        try await visit.value
    }

    @Test func `waiting for arrivals ends when the waiting task is cancelled`() async {
        let gate = gate
        let waiting = Task { await gate.arrived(5) }
        waiting.cancel()
        await waiting.value
        #expect(gate.arrivals == 0)
    }

    @Test func `a wait for arrivals ends with the last of them and not before`() async throws {
        let gate = gate
        gate.open()
        let waiting = Task {
            await gate.arrived(3)
            return gate.arrivals
        }
        for _ in 0..<3 { try await gate.pass() }
        #expect(await waiting.value == 3)
    }

    @Test func `R33 settled returns while a gate holds a fetch, and waits for the fetch once the gate is open`() async {
        let client = makeClient(gate)
        let store = client.store(for: Notes())
        let subscription = store.subscribe(with: QueryEventHandler())
        await gate.arrived()
        await client.settled()
        #expect(store.isLoading)
        gate.open()
        await client.settled()
        #expect(store.value == ["Milk"])
        subscription.cancel()
    }

    @Test func `a fetch fails with the error of the gate`() async {
        let client = makeClient(gate)
        gate.failOnce(with: Broken())
        await #expect(throws: Broken()) { try await client.fetch(Notes()) }
        gate.openOnce()
        #expect(await (try? client.fetch(Notes())) == ["Milk"])
    }
}
