import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private struct Item: QueryRequest {
    let path: QueryPath

    init(_ path: QueryPath) { self.path = path }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 1 }
}

struct PatternMistakeTests {
    private let mistakes = Recorder<QueryMistake>()
    private let client: QueryClient

    init() { client = TestBench(configuration: .recording(mistakes)).client }

    private func live(_ paths: QueryPath...) { for path in paths { client.setValue(1, for: Item(path)) } }

    private static let calls: [@Sendable (QueryClient, QueryPattern) -> Void] = [
        { $0.invalidate($1) }, { $0.refetch($1) }, { $0.cancel($1) }, { $0.reset($1) }, { $0.remove($1) }, { $0.reconsider($1) },
        { client, pattern in client.batch { _ = client.invalidate(pattern) } },
    ]

    @Test(arguments: calls.indices)
    func `R32 a pattern one letter off is reported once for each kind of call, with the correct pattern`(_ index: Int) async throws {
        live(["trips", 5])
        for _ in 1...3 { Self.calls[index](client, "trip/**") }
        await client.settled()
        #expect(mistakes.kinds == [.unmatchedPattern])
        let mistake = try #require(mistakes.last)
        #expect(mistake.path == ["trips", 5])
        #expect(
            mistake.message == """
                The pattern "trip/**" has matched no request so far, and "trips/**" would match the request trips/5. Write that if you mean it.
                """
        )
    }

    @Test(arguments: calls.indices)
    func `R32 a pattern that matches something is not reported by any call`(_ index: Int) async {
        live(["trips", 5], ["trip", 5])
        Self.calls[index](client, "trips/**")
        await client.settled()
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a pattern one level above existing paths is reported, with the pattern that matches everything below it`() throws {
        live(["trips", 5])
        client.invalidate("trips")
        client.invalidate("trips")
        #expect(mistakes.kinds == [.unmatchedPattern])
        #expect(
            mistakes.last?.message == """
                The pattern "trips" has matched no request so far, and the request trips/5 is one level below. Write "trips/**" if you mean \
                all below it, too.
                """
        )
    }

    @Test func `R32 a pattern that matched before is not reported once its requests have been removed`() {
        live(["trip", 5], ["trips", 5], "trips", ["trips", 6, "photos"])
        client.remove("trip/**")
        client.remove("trips")
        client.remove("trips/*")
        for pattern in ["trip/**", "trips", "trips/*"] as [QueryPattern] { client.invalidate(pattern) }
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a pattern for requests that don't exist yet is not reported if no path resembles it`() {
        live(["trips", 5], ["settings", "theme"], ["days", "2024-05-01"], ["entries", "monday"])
        for pattern in [
            "photos/**", "trip-photos/**", "day/2024-05-02", "days/2024-05-02", "entries/sunday", "trips/all/photos", .all, "**/photos", "",
        ] as [QueryPattern] {
            client.invalidate(pattern)
        }
        #expect(mistakes.kinds == [])
    }

    @Test func `R32 values in an array pattern and the path of a single request are not reported as misspelled`() {
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

    @Test func `R32 no pattern is reported while the client has no requests`() {
        client.invalidate("trip/**")
        live(["trips", 5])
        client.clear()
        client.invalidate("trip/**")
        #expect(mistakes.count == 0)
    }

    // MARK: Malformed patterns

    private static func starMessage(_ word: String) -> String {
        """
        matches nothing. A star is a wildcard only as a whole element: "*" for one, "**" for any number. The element "\(word)" matches only \
        itself. Write "*" in its place, or one pattern for each word.
        """
    }

    @Test(arguments: [
        (
            "trips//all",
            """
            has an empty element, which is ignored. Write "trips/all", or "*" to match any element there. An element that is an empty text is \
            possible only in an array: ["trips", "", .rest].
            """
        ),
        (
            "trips/",
            """
            ends with a slash, which is ignored, so it matches no paths below "trips". Write "trips/**" to match it and all paths below it, or \
            "trips" to match only it.
            """
        ),
        (
            "trips/*/",
            """
            ends with a slash, which is ignored, so it matches no paths below "trips/*". Write "trips/*/**" to match it and all paths below \
            it, or "trips/*" to match only it.
            """
        ),
        ("/", #"matches only the root, the path without elements. Write .all or "**" to match all paths."#),
        ("tri*", starMessage("tri*")), ("trips/**s", starMessage("**s")), ("***/all", starMessage("***")),
        ("trips\\", "ends with a backslash, which is ignored. Write two backslashes if the element ends with one."),
    ])
    func `R32 a malformed pattern is reported once, with the correct pattern`(_ text: String, message: String) throws {
        live("trips")
        for _ in 1...2 { client.invalidate(QueryPattern(stringLiteral: text)) }
        #expect(mistakes.kinds == [.malformedPattern])
        #expect(mistakes.last?.message == "The pattern \"\(text)\" \(message)")
    }

    @Test func `R32 a star written as text in an array pattern is reported if it matches nothing`() throws {
        live(["search", "*"], ["trips", 5])
        client.invalidate(["search", "*"])
        #expect(mistakes.count == 0)
        client.invalidate(["trips", "**"])
        #expect(mistakes.kinds == [.malformedPattern])
        #expect(
            mistakes.last?.message == """
                The pattern "trips/**" was written as an array and matches nothing. In an array, "**" is not a wildcard. Write .rest in its place.
                """
        )
    }

    @Test(arguments: ["/trips/**", "trips/**/", "**", "", "a\\/b/**", "a\\\\", "**/all/**", "*", "trips/**/**/all"])
    func `R32 a well-formed pattern is not reported as malformed`(_ text: String) {
        client.invalidate(QueryPattern(stringLiteral: text))
        client.cancelMutations(QueryPattern(stringLiteral: text))
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a star inside a word is not reported if a path has that word`() {
        live("c*")
        client.invalidate("c*")
        #expect(mistakes.count == 0)
    }

    @Test func `R32 malformed patterns in a configuration and in cancelMutations are reported`() {
        var configuration = QueryClient.Configuration.recording(mistakes)
        configuration.setDefaults(matching: "trips/") { $0.ttl = .seconds(1) }
        configuration.setLimit(4, matching: "image*")
        let client = TestBench(configuration: configuration).client
        client.cancelMutations("log//food")
        #expect(mistakes.kinds == [.malformedPattern, .malformedPattern, .malformedPattern])
    }
}
