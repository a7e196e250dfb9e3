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

    var unread: SharedQuery<QueryState<Int?, Int>> { _number }

    func turn() { $number = SharedQuery(InlineQuery("other") { _ in 6 }) }
}

/// An object that does not name a client.
private final class Silent {
    @SharedQuery(InlineQuery("number") { _ in 5 }) var number

    var query: SharedQuery<QueryState<Int?, Int>> { _number }
}

/// Chooses its request when it is created.
private final class Showing: QueryModel {
    let queryClient: QueryClient
    @SharedQuery(InlineQuery("showing") { _ in 5 }) var number

    init(_ client: QueryClient) {
        queryClient = client
        _number.show(InlineQuery("showing", 6) { _ in 6 })
    }
}

@MainActor
struct QueryModelTests {
    private let client = QueryClient.test()
    private let other = QueryClient.test()

    @Test func `properties of an object take the object's client when they are first read`() async throws {
        let model = Model(client, foreign: other)
        #expect(client.storeCount == 0)
        _ = (model.number, model.flag)
        await client.settled()
        #expect(model.number == 5)
        #expect(model.flag)
        #expect(try await model.double.mutate(with: 3) == 6)
        #expect(model.$number.client === client)
        #expect(model.$double.client === client)
        #expect(client.storeCount == 3)
    }

    @Test func `a projected value uses the object's client, and so does a query assigned later`() async throws {
        let model = Model(client, foreign: other)
        #expect(try await model.$number.fetch() == 5)
        model.turn()
        _ = model.number
        await client.settled()
        #expect(model.number == 6)
        #expect(model.$number.client === client)
    }

    @Test func `a property with its own client keeps that client`() async throws {
        let model = Model(client, foreign: other)
        _ = model.foreign
        await other.settled()
        #expect(model.foreign == 7)
        #expect(client.storeCount == 0)
    }

    @Test func `an object's client takes precedence over the client of the task that created it`() {
        let model = QueryClient.with(other) { Model(client, foreign: other) }
        #expect(model.$number.client === client)
    }

    @Test func `an object without a client uses the client of the task that created it`() {
        let silent = QueryClient.with(other) { Silent() }
        #expect(silent.$number.client === other)
    }

    @Test func `another request shown before the object has a client is fetched by the object's client`() async {
        let mistakes = Recorder<QueryMistake>()
        let client = QueryClient.test(configuration: .recording(mistakes))
        let model = Showing(client)
        _ = model.number
        await client.settled()
        #expect(model.number == 6)
        #expect(model.$number.client === client)
        #expect(mistakes.kinds == [])
    }

    @Test func `comparing properties does not determine their client`() async {
        let (one, same) = (Silent(), Silent())
        #expect(one.query == same.query)
        let model = Model(client, foreign: other)
        #expect(model.unread == model.unread)
        _ = model.number
        await client.settled()
        #expect(model.number == 5)
        #expect(model.$number == SharedQuery(InlineQuery<Int>("number"), client: client))
        #expect(model.$number != SharedQuery(InlineQuery<Int>("number"), client: other))
    }

    // MARK: Mistakes

    @Test func `R32 a property bound to the shared client before its object had a client is reported`() {
        let mistakes = Recorder<QueryMistake>()
        let model = Early(QueryClient.test(configuration: .recording(mistakes)))
        #expect(model.number == nil)
        #expect(model.$number.client === QueryClient.shared)
        _ = model.number
        #expect(mistakes.kinds == [.sharedClient])
        #expect(
            mistakes.last?.message == """
                The property with the request early was read before the client of Early was known, so it uses QueryClient.shared. Read it \
                through the object, and only after queryClient is set; or pass a client to the property.
                """
        )
    }

    @Test func `R32 properties that take their client from themselves, the task or the object are not reported`() {
        let mistakes = Recorder<QueryMistake>()
        let client = QueryClient.test(configuration: .recording(mistakes))
        let model = QueryClient.with(other) { Model(client, foreign: other) }
        _ = (model.number, model.flag, model.foreign, model.double)
        #expect(mistakes.kinds == [])
    }
}

/// Reads its property through the storage, before its client can be looked up.
private final class Early: QueryModel {
    let queryClient: QueryClient
    @SharedQuery(InlineQuery("early") { _ in 5 }.enabled(false)) var number

    init(_ client: QueryClient) {
        queryClient = client
        _ = _number.wrappedValue
    }
}
