import QueryKit

/// The request that reads a preference.
struct Preference<Value: Codable & Sendable>: QueryRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["preferences", key.name] }

    // Fresh until the store reports a change, or a mutation invalidates it.
    func setup(context: inout QueryContext) { context.ttl = .infinity }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try await context.own.value(of: key)
    }
}

/// The mutation that writes a preference, and shows the new value before it is saved.
struct SetPreference<Value: Codable & Sendable>: MutationRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["setPreference", key.name] }

    func mutate(with value: Value, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context.own.setValue(value, of: key)
    }

    func optimistic(with value: Value, in layers: inout QueryLayers) {
        layers.update(Preference(key), default: key.defaultValue) { $0 = value }
    }

    // For stores that don't report their changes, such as a fake in a test.
    func invalidates(with value: Value, value result: Void) -> [QueryPattern] { [.path(Preference(key).path)] }
}
