import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private struct Item: QueryRequest {
    let path: QueryPath

    init(_ path: QueryPath) { self.path = path }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
}

@Suite(.timeLimit(.minutes(5))) struct PatternMistakeTests {
    private let mistakes = Recorder<QueryMistake>()
    private let client: QueryClient

    init() { client = TestBench(configuration: .noting(mistakes)).client }

    private func live(_ paths: QueryPath...) { for path in paths { client.setValue(1, for: Item(path)) } }

    private static let calls: [@Sendable (QueryClient, QueryPattern) -> Void] = [
        { $0.invalidate($1) }, { $0.refetch($1) }, { $0.cancel($1) }, { $0.reset($1) }, { $0.remove($1) }, { $0.reconsider($1) },
        { client, pattern in client.batch { _ = client.invalidate(pattern) } },
    ]

    @Test(arguments: calls.indices)
    func `R32 a pattern that misses a path by a letter is reported once by each call, with the right one`(_ index: Int) async throws {
        live(["trips", 5])
        for _ in 1...3 { Self.calls[index](client, "trip/**") }
        await client.settled()
        #expect(mistakes.kinds == [.unmatchedPattern])
        let mistake = try #require(mistakes.last)
        #expect(mistake.path == ["trips", 5])
        #expect(mistake.message.contains("\"trip/**\" has matched no request"))
        #expect(mistake.message.contains("\"trips/**\" would match the request trips/5"))
    }

    @Test(arguments: calls.indices)
    func `R32 a pattern that matches something is not reported by any call`(_ index: Int) async {
        live(["trips", 5], ["trip", 5])
        Self.calls[index](client, "trips/**")
        await client.settled()
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a pattern one level above a path is reported, with the one for all below`() throws {
        live(["trips", 5])
        client.invalidate("trips")
        client.invalidate("trips")
        #expect(mistakes.kinds == [.unmatchedPattern])
        #expect(try #require(mistakes.last).message.contains("Write \"trips/**\""))
    }

    @Test func `R32 a pattern that has matched before is not reported when its requests are gone`() {
        live(["trip", 5], ["trips", 5], "trips", ["trips", 6, "photos"])
        client.remove("trip/**")
        client.remove("trips")
        client.remove("trips/*")
        for pattern in ["trip/**", "trips", "trips/*"] as [QueryPattern] { client.invalidate(pattern) }
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a pattern whose requests are not there yet is not reported, if nothing is like it`() {
        live(["trips", 5], ["settings", "theme"], ["days", "2024-05-01"], ["entries", "monday"])
        for pattern in [
            "photos/**", "trip-photos/**", "day/2024-05-02", "days/2024-05-02", "entries/sunday", "trips/all/photos", .all, "**/photos", "",
        ] as [QueryPattern] {
            client.invalidate(pattern)
        }
        #expect(mistakes.kinds == [])
    }

    @Test func `R32 the values in an array are not taken for words, nor is the path of one request`() {
        live(["search", "trips"], ["trips", 5], ["trips", 5, "photos"])
        client.cancel(["search", "trip"])
        client.cancel(["search", "trip", .rest])
        client.invalidate(["trip", 5])
        client.invalidate(.path(["trip", 5]))
        client.invalidate(.prefix(["trips", 6]))
        client.invalidate(Item(["trip", 5]))
        #expect(mistakes.count == 0)
        client.invalidate(["trip", .any])
        #expect(mistakes.kinds == [.unmatchedPattern])
    }

    @Test func `R32 nothing is reported while there is nothing`() {
        client.invalidate("trip/**")
        live(["trips", 5])
        client.clear()
        client.invalidate("trip/**")
        #expect(mistakes.count == 0)
    }

    // MARK: Malformed patterns

    @Test(arguments: [
        ("trips//all", "Write \"trips/all\""), ("trips/", "Write \"trips/**\""), ("trips/*/", "Write \"trips/*/**\""), ("/", "Write .all"),
        ("tri*", "Write \"*\""), ("trips/**s", "Write \"*\""), ("***/all", "Write \"*\""), ("trips\\", "Write two"),
    ])
    func `R32 a malformed pattern is reported once, with the right one`(_ text: String, fix: String) throws {
        live("trips")
        for _ in 1...2 { client.invalidate(QueryPattern(stringLiteral: text)) }
        #expect(mistakes.kinds == [.malformedPattern])
        let message = try #require(mistakes.last).message
        #expect(message.contains("The pattern \"\(text)\""))
        #expect(message.contains(fix))
    }

    @Test func `R32 a star as text in an array is reported if it matches nothing`() throws {
        live(["search", "*"], ["trips", 5])
        client.invalidate(["search", "*"])
        #expect(mistakes.count == 0)
        client.invalidate(["trips", "**"])
        #expect(mistakes.kinds == [.malformedPattern])
        #expect(try #require(mistakes.last).message.contains("Write .rest"))
    }

    @Test(arguments: ["/trips/**", "trips/**/", "**", "", "a\\/b/**", "a\\\\", "**/all/**", "*", "trips/**/**/all"])
    func `R32 a pattern that does what it says is not reported`(_ text: String) {
        client.invalidate(QueryPattern(stringLiteral: text))
        client.cancelMutations(QueryPattern(stringLiteral: text))
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a star in a word is not reported if there is such a path`() {
        live("c*")
        client.invalidate("c*")
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a malformed pattern of a configuration and of cancelled mutations is reported`() {
        var configuration = QueryClient.Configuration.noting(mistakes)
        configuration.setDefaults(matching: "trips/") { $0.ttl = .seconds(1) }
        configuration.setLimit(4, matching: "image*")
        let client = TestBench(configuration: configuration).client
        client.cancelMutations("log//food")
        #expect(mistakes.kinds == [.malformedPattern, .malformedPattern, .malformedPattern])
    }
}
