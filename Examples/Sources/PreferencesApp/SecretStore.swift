import QueryKit

protocol SecretStore: Sendable {
    func secret(named name: String) async throws -> String?
    /// - Parameter secret: `nil` deletes it.
    func setSecret(_ secret: String?, named name: String) async throws
}

struct SecretError: Error, CustomStringConvertible {
    let description: String
}

extension QueryDependencies {
    var secrets: QueryDependency<any SecretStore> { .init(UnsetStore()) }
}

/// Whether there is a token. Never reveals the token itself.
struct IsSignedIn: QueryRequest {
    var path: QueryPath { "account/isSignedIn" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Bool>) async throws -> Bool {
        try await context.own.secret(named: "token") != nil
    }
}
