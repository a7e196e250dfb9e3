import Observation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

@MainActor @Observable private final class Model: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(InlineQuery("number") { _ in 5 }) var number
    @ObservationIgnored @SharedQuery(InlineQuery("flag") { _ in true }, default: false) var flag
    @ObservationIgnored @SharedMutation(InlineMutation<Int, Int>("double") { number, _ in number * 2 }) var double
    @ObservationIgnored @SharedQuery<QueryState<Int?, Int>> var foreign: Int?

    init(_ client: QueryClient, foreign: QueryClient) {
        queryClient = client
        _foreign = SharedQuery(InlineQuery("number") { _ in 7 }, client: foreign)
    }

    func turn() { $number = SharedQuery(InlineQuery("other") { _ in 6 }) }
}

/// An object that says nothing of a client.
private final class Silent {
    @SharedQuery(InlineQuery("number") { _ in 5 }) var number
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct QueryModelTests {
    private let client = QueryClient.test()
    private let other = QueryClient.test()

    @Test func `properties of an object take its client at first access`() async throws {
        let model = Model(client, foreign: other)
        #expect(client.storeCount == 0)
        #expect(model.number == nil)
        #expect(!model.flag)
        await client.settled()
        #expect(model.number == 5)
        #expect(model.flag)
        #expect(try await model.double.mutate(with: 3) == 6)
        #expect(model.$number.client === client)
        #expect(model.$double.client === client)
        #expect(client.storeCount == 3)
    }

    @Test func `the projection binds too, and so does a query that is put in its place`() async throws {
        let model = Model(client, foreign: other)
        #expect(try await model.$number.fetch() == 5)
        model.turn()
        #expect(model.number == nil)
        await client.settled()
        #expect(model.number == 6)
        #expect(model.$number.client === client)
    }

    @Test func `a property with a client of its own keeps it`() async throws {
        let model = Model(client, foreign: other)
        _ = model.foreign
        await other.settled()
        #expect(model.foreign == 7)
        #expect(client.storeCount == 0)
    }

    @Test func `the object's client goes before that of the task which made it`() {
        let model = QueryClient.with(other) { Model(client, foreign: other) }
        #expect(model.$number.client === client)
    }

    @Test func `an object that says nothing uses the client of the task that made it`() {
        let silent = QueryClient.with(other) { Silent() }
        #expect(silent.$number.client === other)
        #expect(silent.number == nil)
    }

    // MARK: Mistakes

    @Test func `R32 a property that was bound to the shared client before its object's client was known is reported`() {
        let mistakes = Recorder<QueryMistake>()
        let model = Early(QueryClient.test(configuration: .noting(mistakes)))
        #expect(model.number == nil)
        #expect(model.$number.client === QueryClient.shared)
        _ = model.number
        #expect(mistakes.kinds == [.sharedClient])
        #expect(mistakes.last?.message.contains("Early") == true)
    }

    @Test func `R32 properties with a client of their own, of the task, or of the object are not reported`() {
        let mistakes = Recorder<QueryMistake>()
        let client = QueryClient.test(configuration: .noting(mistakes))
        let model = QueryClient.with(other) { Model(client, foreign: other) }
        _ = (model.number, model.flag, model.foreign, model.double)
        #expect(mistakes.kinds == [])
    }
}

/// Reads its property by its storage, before it can be asked for its client.
private final class Early: QueryModel {
    let queryClient: QueryClient
    @SharedQuery(InlineQuery("early") { _ in 5 }.enabled(false)) var number

    init(_ client: QueryClient) {
        queryClient = client
        _ = _number.wrappedValue
    }
}
