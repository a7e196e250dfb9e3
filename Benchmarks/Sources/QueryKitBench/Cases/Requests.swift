import QueryKit

/// A request for a number, whose fetch returns at once.
struct Item: QueryRequest {
    let id: Int

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

/// An item in a group of ten, with its own path.
struct GroupedItem: QueryRequest {
    let group: Int
    let id: Int

    var path: QueryPath { ["group", group, id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

/// An item of a group whose fetch runs until it is cancelled.
struct EndlessItem: QueryRequest {
    let group: Int
    let id: Int

    var path: QueryPath { ["group", group, id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// A request whose fetch waits until all expected callers have arrived.
struct CrowdedItem: QueryRequest {
    enum Entrance: QueryContext.Key {
        static let defaultValue = Turnstile()
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        await context[Entrance.self].wait()
        return 1
    }
}

extension QueryClient {
    /// A client whose values never become stale on their own.
    static func lasting() -> QueryClient {
        var configuration = Configuration.isolated
        configuration.setDefaults { $0.ttl = .infinity }
        return QueryClient(configuration: configuration)
    }
}
