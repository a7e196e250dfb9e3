import Observation
import TestSupport
import Testing

@testable import QueryKit

/// A reducer's state as an app would write it.
private struct Reducer: Hashable, Sendable {
    @SharedQuery<Number.State> var number: Int?
    var taps = 0

    init(_ id: Int, client: QueryClient? = nil) { _number = SharedQuery(Number(id).enabled(false), client: client) }

    mutating func turn(to id: Int) { $number.show(Number(id).enabled(false)) }
}

@MainActor @Observable private final class ViewModel {
    @ObservationIgnored @SharedQuery(Number(1).enabled(false)) var number
    @ObservationIgnored @SharedQuery(Number(2).enabled(false)) var other = 50

    var sum: Int { (number ?? 0) + (other ?? 0) }

    func turn(to id: Int) { $number.show(Number(id).enabled(false)) }
}

/// Isolated to no actor, and Sendable.
private final class Service: Sendable {
    let number: SharedQuery<Number.State>

    init(_ client: QueryClient) { number = SharedQuery(Number(1), client: client) }
}

struct SharedQueryTests {
    private let bench = TestBench()
    private var client: QueryClient { bench.client }

    private func store(_ id: Int) -> QueryStore<Number.State> { client.store(for: Number(id)) }

    // MARK: Lifetime

    @Test func `a shared query does nothing until it is read, then subscribes, and unsubscribes with its last copy`() {
        do {
            let query = SharedQuery(Number(1).enabled(false), client: client)
            let copy = query
            #expect(client.storeCount == 0)
            #expect(query.store == store(1))
            #expect(store(1).subscriberCount == 0)
            #expect(query.wrappedValue == nil)
            #expect(copy.wrappedValue == nil)
            #expect(store(1).subscriberCount == 1)
        }
        #expect(store(1).subscriberCount == 0)
    }

    @Test func `reading a shared query fetches and shows the store's current state`() async throws {
        let service = Service(client)
        _ = service.number.value
        await client.settled()
        #expect(service.number.value == 1)
        #expect(service.number.state.revision == store(1).state.revision)
        #expect(try await service.number.fetch() == 2)
        #expect(service.number.value == 2)
        bench.backend.behave { _ in throw TestError() }
        _ = try? await service.number.fetch()
        #expect(service.number.error as? TestError == TestError())
        #expect(service.number.value == 2)
    }

    // MARK: Client

    @Test func `a shared query uses the client it is given, otherwise the task's client`() {
        let other = QueryClient(configuration: .isolated)
        let (argument, task) = QueryClient.with(client) {
            (SharedQuery(Number(1), client: other), SharedQuery(Number(1)))
        }
        #expect(argument.store == other.store(for: Number(1)))
        #expect(task.store == store(1))
    }

    @Test func `a shared query keeps its client alive`() async {
        let query = SharedQuery(Number(1), client: TestBench { _ in 4 }.client)
        _ = query.value
        await query.store.context.queryClient?.settled()
        #expect(query.value == 4)
    }

    // MARK: Values

    @Test func `two shared queries are equal if their request and client are, even with different values`() {
        let state = Reducer(1, client: client)
        var other = Reducer(1, client: client)
        #expect(state == other)
        #expect(state.hashValue == other.hashValue)
        _ = state.number
        store(1).setValue(7)
        #expect(state == other)
        #expect(other.number == 7)
        #expect(state != Reducer(2, client: client))
        #expect(state != Reducer(1, client: QueryClient(configuration: .isolated)))
        other.turn(to: 2)
        #expect(state != other)
        #expect(other == Reducer(2, client: client))
    }

    @Test func `switching one copy to another request leaves other copies unchanged and keeps the client`() {
        store(1).setValue(1)
        store(2).setValue(2)
        let state = Reducer(1, client: client)
        var other = state
        other.turn(to: 2)
        #expect(state.number == 1)
        #expect(other.number == 2)
        #expect(store(1).subscriberCount == 1)
    }

    @Test func `a shared query shows its initial value until there is a result`() {
        let query = SharedQuery(wrappedValue: 50, Number(3).enabled(false), client: client)
        #expect(query.wrappedValue == 50)
        #expect(query.status.isIdle)
        store(3).setValue(6)
        #expect(query.wrappedValue == 6)
    }

    // MARK: Observation

    @MainActor @Test func `a change notifies the observers of a view model on the main actor`() async {
        let model = QueryClient.with(client) { ViewModel() }
        #expect(model.sum == 50)
        let (first, second) = (store(1), store(2))
        #expect(await change(of: { model.sum }, after: { first.setValue(1) }) == 51)
        let isDone = await change(
            of: { model.$number.isInvalidated },
            after: { Task.detached { first.invalidate() } }
        )
        #expect(isDone)
        #expect(await change(of: { model.sum }, after: { second.setValue(2) }) == 3)
    }

    @MainActor @Test func `the first read alone does not notify observers`() async {
        let model = QueryClient.with(client) { ViewModel() }
        let changes = Recorder<Int>()
        withObservationTracking {
            _ = model.number
        } onChange: {
            changes.note(1)
        }
        let store = store(2)
        _ = await change(of: { model.other }, after: { store.setValue(1) })
        #expect(changes.count == 0)
    }

    @MainActor @Test func `many changes in a row notify observers once`() async {
        let store = store(1)
        let query = SharedQuery(Number(1).enabled(false), client: client)
        let reads = Recorder<Int?>()
        watch { reads.note(query.value) }
        _ = await change(of: { query.value }, after: { for value in 1...100 { store.setValue(value) } })
        #expect(reads.all == [nil, 100])
    }

    @MainActor @Test func `observers are notified when a query is replaced by one for another request`() async {
        store(1).setValue(1)
        store(2).setValue(2)
        store(3).setValue(3)
        let model = QueryClient.with(client) { ViewModel() }
        #expect(await change(of: { model.number }, after: { model.turn(to: 2) }) == 2)
        let (client, third) = (client, store(3))
        #expect(await change(of: { model.number }, after: { model.$number = SharedQuery(Number(3).enabled(false), client: client) }) == 3)
        #expect(await change(of: { model.number }, after: { third.setValue(4) }) == 4)
    }
}
