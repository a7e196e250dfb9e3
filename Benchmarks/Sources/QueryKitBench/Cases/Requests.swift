import QueryKit

/// A request that is one number, and whose fetch returns it at once.
struct Item: QueryRequest {
    let id: Int

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

/// An item with a path of its own: ten of them form a group.
struct GroupedItem: QueryRequest {
    let group: Int
    let id: Int

    var path: QueryPath { ["group", group, id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
}

/// An item of a group whose fetch goes on until it is cancelled.
struct EndlessItem: QueryRequest {
    let group: Int
    let id: Int

    var path: QueryPath { ["group", group, id] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }
}

/// A request whose fetch waits until all have come who want it.
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
    /// A client whose values never grow stale by themselves.
    static func lasting() -> QueryClient {
        var configuration = Configuration.isolated
        configuration.setDefaults { $0.ttl = .infinity }
        return QueryClient(configuration: configuration)
    }
}
