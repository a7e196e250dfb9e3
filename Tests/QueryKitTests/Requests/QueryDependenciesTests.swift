import TestSupport
import Testing

@testable import QueryKit

private protocol Greeter: Sendable {
    func greeting() async throws -> String
}

private struct Polite: Greeter {
    func greeting() -> String { "Good morning" }
}

private struct Short: Greeter {
    func greeting() -> String { "Hi" }
}

/// Counts how often it is created.
private final class Counted: Sendable {
    static let made = Lock(0)
    init() { Self.made.withLock { $0 += 1 } }
}

extension QueryDependencies {
    fileprivate var greeter: QueryDependency<any Greeter> { .init(Polite()) }
    fileprivate var counted: QueryDependency<Counted> { .init(Counted()) }
    fileprivate var other: QueryDependency<DeinitObserver> { .init(DeinitObserver()) }
    fileprivate var limit: QueryDependency<Int?> { .init(5) }
    fileprivate var needed: QueryDependency<any Greeter> { .required() }
    fileprivate var step: QueryDependency<Int> { .init(1) }
    fileprivate var otherStep: QueryDependency<Int> { .init(2) }
}

private struct Greeting: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
        try await context.greeter.greeting()
    }
}

struct QueryDependenciesTests {
    @Test func `a dependency has its default until it is replaced`() async throws {
        #expect(try await QueryClient.test().fetch(Greeting()) == "Good morning")
        var context = QueryContext()
        context.greeter = Short()
        #expect(try await QueryClient.test(context: context).fetch(Greeting()) == "Hi")
        #expect(try await QueryContext().greeter.greeting() == "Good morning")
    }

    @Test func `dependencies of one type are kept apart`() {
        var context = QueryContext()
        context.step = 10
        #expect(context.step == 10)
        #expect(context.otherStep == 2)
        context.otherStep += 1
        #expect((context.step, context.otherStep) == (10, 3))
    }

    @Test func `an optional dependency can be replaced by nil`() {
        var context = QueryContext()
        #expect(context.limit == 5)
        context.limit = nil
        #expect(context.limit == nil)
    }

    @Test func `a client creates a default once for all requests, sessions and threads`() async throws {
        let client = QueryClient.test()
        let before = Counted.made.withLock(\.self)
        let first = client.context.counted
        await withTaskGroup(of: Void.self) { group in
            for id in 0..<20 {
                group.addTask {
                    let found = try? await client.fetch(InlineQuery("counted", id) { $0.counted })
                    #expect(found === first)
                }
            }
        }
        client.reset(session: "Ada")
        #expect(client.context.counted === first)
        #expect(Counted.made.withLock(\.self) == before + 1)
        #expect(QueryClient.test().context.other !== client.context.other)
    }

    @Test func `a required dependency must be set before use`() async throws {
        var context = QueryContext()
        context.needed = Short()
        #expect(try await context.needed.greeting() == "Hi")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { _ = QueryContext().needed }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Set context.needed before"))
    }

    @Test func `a run with a caller's context uses its client's defaults`() async throws {
        let client = QueryClient.test()
        let store = client.store(for: InlineQuery("other") { $0.other })
        #expect(try await store.fetch(using: QueryContext()) === client.context.other)
    }

    @Test func `a request's setup replaces a dependency for its own runs`() async throws {
        let client = QueryClient.test()
        let loud = InlineQuery("loud") { try await $0.greeter.greeting() }
        #expect(try await client.fetch(loud.modifier(Shortly())) == "Hi")
        #expect(try await client.fetch(Greeting()) == "Good morning")
    }
}

private struct Shortly<Request: QueryRequest>: QueryModifier {
    func setup(context: inout QueryContext, using request: Request) { context.greeter = Short() }
}
