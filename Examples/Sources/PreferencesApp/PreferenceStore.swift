import Foundation
import QueryKit

/// Stores strings by name. Values are JSON, so any Codable type works.
protocol PreferenceStore: Sendable {
    func text(of name: String) async throws -> String?
    func setText(_ text: String, of name: String) async throws
}

extension PreferenceStore {
    func value<Value>(of key: PreferenceKey<Value>) async throws -> Value {
        guard let text = try await text(of: key.name) else { return key.defaultValue }
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    func setValue<Value>(_ value: Value, of key: PreferenceKey<Value>) async throws {
        try await setText(String(decoding: JSONEncoder().encode(value), as: UTF8.self), of: key.name)
    }
}

extension QueryDependencies {
    var preferences: QueryDependency<any PreferenceStore> { .init(UnsetStore()) }
}

/// The default stores, which throw an error on each access. So a program that forgets to set its stores doesn't lose data silently.
struct UnsetStore: PreferenceStore, SecretStore {
    private let error = QueryError(.invalidParameters, "Set context.preferences and context.secrets before the client is created.")

    func text(of name: String) throws -> String? { throw error }

    func setText(_ text: String, of name: String) throws { throw error }

    func secret(named name: String) throws -> String? { throw error }

    func setSecret(_ secret: String?, named name: String) throws { throw error }
}
