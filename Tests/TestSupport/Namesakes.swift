package import QueryKit

/// Requests and mutations with the same short names as those of ``Trips``.
package enum Food {
    package struct Item: Codable, Hashable, Sendable {
        package let name: String

        package init(name: String) { self.name = name }
    }

    package struct List: QueryRequest {
        package init() {}

        package func fetch(in context: QueryContext, with continuation: QueryContinuation<[Item]>) async throws -> [Item] {
            [Item(name: "rice")]
        }
    }

    package struct All: QueryRequest {
        package init() {}

        package var path: QueryPath { "all" }

        package func fetch(in context: QueryContext, with continuation: QueryContinuation<[Item]>) async throws -> [Item] {
            [Item(name: "rice")]
        }
    }

    /// Changes the number 1.
    package struct Add: DurableMutationRequest {
        package var path: QueryPath { "add" }

        package init() {}

        package func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await context.accounts.mutate(Change.Step(amount, to: 1), context)
        }
    }
}

/// Requests and mutations with the same short names as those of ``Food``.
package enum Trips {
    package struct Item: Codable, Hashable, Sendable {
        package let name: String

        package init(name: String) { self.name = name }
    }

    package struct List: QueryRequest {
        package init() {}

        package func fetch(in context: QueryContext, with continuation: QueryContinuation<[Item]>) async throws -> [Item] {
            [Item(name: "Oslo")]
        }
    }

    package struct All: QueryRequest {
        package init() {}

        package var path: QueryPath { "all" }

        package func fetch(in context: QueryContext, with continuation: QueryContinuation<[Item]>) async throws -> [Item] {
            [Item(name: "Oslo")]
        }
    }

    /// Changes the number 2.
    package struct Add: DurableMutationRequest {
        package var path: QueryPath { "add" }
        package let scope: String?

        package init(scope: String? = nil) { self.scope = scope }

        package func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await context.accounts.mutate(Change.Step(amount, to: 2), context)
        }
    }
}
