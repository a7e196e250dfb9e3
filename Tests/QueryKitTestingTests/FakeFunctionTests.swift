import QueryKit
import QueryKitTesting
import Testing

private struct NoServer: Error {}

struct FakeFunctionTests {
    private let client = QueryClient.test()

    private func notes(_ reading: FakeFunction<Void, [String]>) -> InlineQuery<[String]> {
        InlineQuery("notes") { _ in try await reading() }
    }

    @Test func `a fake returns its value, and another one once the test has set it`() async throws {
        let reading = FakeFunction<Void, [String]>(returning: ["Milk"])
        #expect(try await client.fetch(notes(reading)) == ["Milk"])
        reading.returns(["Milk", "Bread"])
        #expect(try await client.fetch(notes(reading)) == ["Milk", "Bread"])
        #expect(reading.callCount == 2)
    }

    @Test func `a held fake records its call at once, and returns what is set when the gate opens`() async throws {
        let reading = FakeFunction<Void, [String]>(returning: ["Milk"], isHeld: true)
        let store = client.store(for: notes(reading))
        let subscription = store.subscribe(with: QueryEventHandler())
        try await client.loading(at: reading.gate) {
            #expect(store.isLoading && reading.callCount == 1)
            reading.returns(["Bread"])
        }
        #expect(store.value == ["Bread"])
        subscription.cancel()
    }

    @Test func `the inputs of all calls are recorded in order, including those of calls that fail`() async throws {
        let adding = FakeFunction<(String, Int), Void>()
        try await adding(("Milk", 1))
        adding.gate.failOnce(with: NoServer())
        await #expect(throws: NoServer.self) { try await adding(("Bread", 2)) }
        try await adding(("Rye", 3))
        #expect(adding.inputs.map(\.0) == ["Milk", "Bread", "Rye"])
        #expect(adding.inputs.map(\.1) == [1, 2, 3])
    }

    @Test func `a result is computed from the input, and the closure may throw`() async throws {
        let half = FakeFunction<Int, Int> { number in
            if !number.isMultiple(of: 2) { throw NoServer() }
            return number / 2
        }
        #expect(try await half(8) == 4)
        await #expect(throws: NoServer.self) { try await half(7) }
        half.answers { $0 * 10 }
        #expect(try await half(7) == 70)
    }

    @Test func `a call that the gate holds ends when its task is cancelled`() async throws {
        let adding = FakeFunction<String, Void>(isHeld: true)
        let call = Task { try await adding("Milk") }
        await adding.gate.holds()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(adding.inputs == ["Milk"])
    }
}
