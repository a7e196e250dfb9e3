//! Properties of a view model: with the client of the object, with a
//! default, and for mutations.
import Observation
import QueryKit

// snippet.requests
nonisolated protocol PreferenceStore: Sendable {
    func isOn(_ name: String) async throws -> Bool?
    func set(_ name: String, _ isOn: Bool) async throws
}

nonisolated extension QueryDependencies {
    var preferences: QueryDependency<any PreferenceStore> {
        .init(StoredPreferences())
    }
}

struct Preference: QueryRequest {
    let name: String

    var path: QueryPath { ["preferences", name] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Bool>
    ) async throws -> Bool {
        try await context.preferences.isOn(name) ?? false
    }
}

// snippet.mutation
struct SetPreference: MutationRequest {
    let name: String

    var path: QueryPath { ["preferences", "set", name] }

    func mutate(
        with isOn: Bool,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws {
        try await context.preferences.set(name, isOn)
    }

    func optimistic(with isOn: Bool, in layers: inout QueryLayers) {
        layers.update(Preference(name: name), default: false) {
            $0 = isOn
        }
    }

    func invalidates(with isOn: Bool, value: Void) -> [QueryPattern] {
        [.path(Preference(name: name).path)]
    }
}
// snippet.end

actor StoredPreferences: PreferenceStore {
    private var values: [String: Bool] = [:]

    func isOn(_ name: String) -> Bool? { values[name] }

    func set(_ name: String, _ isOn: Bool) { values[name] = isOn }
}

// snippet.model
@MainActor @Observable
final class SettingsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(Preference(name: "amoled"), default: false) var amoled
    @ObservationIgnored @SharedMutation(SetPreference(name: "amoled"))
    var setAmoled

    var note: String? { setAmoled.error.map { "Not saved: \($0)" } }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func toggle() throws {
        try $amoled.setValue(
            !amoled,
            via: SetPreference(name: "amoled")
        )
    }

    func turnOn() async throws {
        try await setAmoled.mutate(with: true)
    }
}
// snippet.end

// snippet.use
let client = QueryClient.test()
let model = SettingsModel(queryClient: client)
try model.toggle()
print(model.amoled)  // true, before anything was read or written
await client.settled()
// snippet.end
// snippet.hide
let isOn = model.amoled
precondition(isOn)
let note = model.note
precondition(note == nil)
try await model.turnOn()
// snippet.show
