import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A request that fetches other requests by name.
private struct Link: QueryRequest {
    let name: String
    let next: [String]

    static func == (left: Link, right: Link) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    var path: QueryPath { ["link", name] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
        guard let client = context.queryClient else { throw TestError("no client") }
        try await context[Doors.self][name]?.pass()
        var text = name
        for other in next { text += try await client.fetch(Link(name: other, next: context[Links.self][other] ?? [])) }
        return text
    }
}

private enum Links: QueryContext.Key {
    static let defaultValue: [String: [String]] = [:]
}

private enum Doors: QueryContext.Key {
    static let defaultValue: [String: Gate] = [:]
}

struct CycleTests {
    private func client(_ links: [String: [String]], doors: [String: Gate] = [:]) -> QueryClient {
        var context = QueryContext()
        context[Links.self] = links
        context[Doors.self] = doors
        return QueryClient(context: context, configuration: .isolated)
    }

    private func fetch(_ name: String, _ client: QueryClient) async throws -> String {
        try await client.fetch(Link(name: name, next: client.context[Links.self][name] ?? []))
    }

    @Test func `a fetch inside a fetch works, even if several paths lead to the same request`() async throws {
        let client = client(["a": ["b", "c"], "b": ["d"], "c": ["d"]])
        #expect(try await fetch("a", client) == "abdcd")
    }

    @Test(
        arguments: [
            (["a": ["a"]], "link/a → link/a"), (["a": ["b"], "b": ["a"]], "link/b → link/a → link/b"),
            (["a": ["b"], "b": ["c"], "c": ["a"]], "link/c → link/a → link/b → link/c"),
        ] as [([String: [String]], String)]
    )
    func `a cycle is reported with the path of its requests`(_ links: [String: [String]], _ path: String) async throws {
        let client = client(links)
        do {
            _ = try await fetch("a", client)
            Issue.record("A cycle returned")
        } catch let error as QueryError {
            #expect(error.code == .cycle)
            #expect(error.message == "Requests wait for each other in a cycle: \(path). Break it where one request fetches another.")
        }
        await client.settled()
        #expect(client.runningCount() == 0)
    }

    @Test func `a cycle closed by two tasks at once is reported too`() async throws {
        let doors = ["a": Gate(), "b": Gate()]
        let client = client(["a": ["b"], "b": ["a"]], doors: doors)
        let one = Task { try await fetch("a", client) }
        let two = Task { try await fetch("b", client) }
        for door in doors.values { await door.arrived() }
        for door in doors.values { door.open() }
        for result in await [one.result, two.result] {
            guard case .failure(let error) = result else {
                Issue.record("A cycle returned \(result)")
                continue
            }
            #expect((error as? QueryError)?.code == .cycle)
        }
    }

    @Test func `a cycle of private fetches is reported too`() async throws {
        struct Selfish: QueryRequest {
            func setup(context: inout QueryContext) {}
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                guard let client = context.queryClient else { throw TestError("no client") }
                return try await client.fetch(Selfish().deduplicated(false))
            }
        }
        let client = QueryClient(configuration: .isolated)
        await #expect(throws: QueryError.self) { try await client.fetch(Selfish().deduplicated(false)) }
    }

    @Test func `a cycle through two clients is reported too`() async throws {
        struct Across: QueryRequest {
            let id: Int
            let clients: [QueryClient]
            static func == (left: Across, right: Across) -> Bool { left.id == right.id }
            func hash(into hasher: inout Hasher) { hasher.combine(id) }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await clients[1 - id].fetch(Across(id: 1 - id, clients: clients))
            }
        }
        let clients = [QueryClient(configuration: .isolated), QueryClient(configuration: .isolated)]
        await #expect(throws: QueryError.self) { try await clients[0].fetch(Across(id: 0, clients: clients)) }
    }

    @Test func `a cycle is not retried`() async throws {
        let client = client(["a": ["a"]])
        let store = client.store(for: Link(name: "a", next: ["a"]))
        let subscription = store.subscribe(with: QueryEventHandler())
        await client.settled()
        #expect(store.failureCount == 1)
        #expect((store.error as? QueryError)?.code == .cycle)
        subscription.cancel()
    }

    @Test func `a fresh value in a cycle ends it without an error`() async throws {
        var configuration = QueryClient.Configuration.isolated
        configuration.setDefaults { $0.ttl = .infinity }
        var context = QueryContext()
        context[Links.self] = ["a": ["b"], "b": ["a"]]
        let client = QueryClient(context: context, configuration: configuration)
        client.setValue("A", for: Link(name: "a", next: []))
        #expect(try await fetch("b", client) == "bA")
    }
}
