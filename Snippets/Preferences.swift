//! Typed preferences: keys, a request that reads one, a mutation that
//! writes one, and a store in UserDefaults.
import Foundation
import Observation
import QueryKit

// snippet.key
/// A preference: its name, the type of its value, and its default.
nonisolated struct PreferenceKey<
    Value: Codable & Sendable
>: Hashable, Sendable {
    let name: String
    let defaultValue: Value

    init(_ name: String, default defaultValue: Value) {
        (self.name, self.defaultValue) = (name, defaultValue)
    }

    // Compares only names, so values need not be Hashable.
    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

nonisolated extension PreferenceKey where Value == Bool {
    static var amoled: Self { Self("amoled", default: false) }
}

nonisolated extension PreferenceKey where Value == Int {
    static var textSize: Self { Self("textSize", default: 14) }
}
// snippet.end

// snippet.store
/// Stores strings by name. Values are JSON, so any Codable type works.
nonisolated protocol PreferenceStore: Sendable {
    func text(of name: String) async throws -> String?
    func setText(_ text: String, of name: String) async throws
}

nonisolated extension PreferenceStore {
    func value<Value>(
        of key: PreferenceKey<Value>
    ) async throws -> Value {
        guard let text = try await text(of: key.name) else {
            return key.defaultValue
        }
        return try JSONDecoder().decode(
            Value.self,
            from: Data(text.utf8)
        )
    }

    func setValue<Value>(
        _ value: Value,
        of key: PreferenceKey<Value>
    ) async throws {
        let json = try JSONEncoder().encode(value)
        try await setText(
            String(decoding: json, as: UTF8.self),
            of: key.name
        )
    }
}

nonisolated extension QueryDependencies {
    var preferences: QueryDependency<any PreferenceStore> {
        .init(UserDefaultsPreferences())
    }
}
// snippet.end

// snippet.requests
struct Preference<Value: Codable & Sendable>: QueryRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["preferences", key.name] }

    // Fresh until the store reports a change, or a
    // mutation invalidates it.
    func setup(context: inout QueryContext) { context.ttl = .infinity }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Value>
    ) async throws -> Value {
        try await context.preferences.value(of: key)
    }
}

// snippet.mutation
struct SetPreference<Value: Codable & Sendable>: MutationRequest {
    let key: PreferenceKey<Value>

    init(_ key: PreferenceKey<Value>) { self.key = key }

    var path: QueryPath { ["setPreference", key.name] }

    func mutate(
        with value: Value,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws {
        try await context.preferences.setValue(value, of: key)
    }

    func optimistic(with value: Value, in layers: inout QueryLayers) {
        layers.update(Preference(key), default: key.defaultValue) {
            $0 = value
        }
    }

    func invalidates(
        with value: Value,
        value result: Void
    ) -> [QueryPattern] {
        [.path(Preference(key).path)]
    }
}
// snippet.end

// snippet.defaults
nonisolated struct UserDefaultsPreferences: PreferenceStore {
    static let region = QueryRegion(source: "UserDefaults")

    /// The suite of an app group; `nil` for the app's own preferences.
    var suite: String?

    // Created for each call, because UserDefaults isn't Sendable. For
    // the app's own identifier, the initializer returns nil.
    private var defaults: UserDefaults {
        suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    }

    func text(of name: String) -> String? {
        QueryReads.note([Self.region])  // before reading
        #if !canImport(Darwin)
            // Reads what other processes have saved.
            _ = defaults.synchronize()
        #endif
        return defaults.string(forKey: name)
    }

    func setText(_ text: String, of name: String) {
        defaults.set(text, forKey: name)
        #if !canImport(Darwin)
            // Apple's Foundation saves and notifies automatically.
            _ = defaults.synchronize()
            NotificationCenter.default.post(
                name: UserDefaults.didChangeNotification,
                object: nil
            )
        #endif
    }
}

// snippet.follow
nonisolated extension QueryClient {
    /// Makes preferences follow UserDefaults. Call it once, at launch:
    /// the observation lasts as long as the process.
    func followUserDefaults() {
        // Without a queue, the closure is called on the posting thread
        // at once, instead of in the next turn of the main thread.
        _ = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification,
            object: nil,
            queue: nil
        ) { [weak self] _ in
            self?.changed([UserDefaultsPreferences.region])
        }
    }
}
// snippet.end

#if canImport(Darwin)
    // snippet.observer
    /// Reports the changes that another process makes to preferences
    /// of a suite, for example a widget. Keep it as long as the client.
    nonisolated final class SuiteObserver: NSObject {
        private let defaults: UserDefaults
        private let names: [String]
        private let client: QueryClient

        /// - Parameter names: The names to observe. They are key paths,
        ///   so a name must not contain a period.
        init?(suite: String, names: [String], client: QueryClient) {
            guard let defaults = UserDefaults(suiteName: suite) else {
                return nil
            }
            self.defaults = defaults
            self.names = names
            self.client = client
            super.init()
            for name in names {
                defaults.addObserver(
                    self,
                    forKeyPath: name,
                    options: [],
                    context: nil
                )
            }
        }

        deinit {
            for name in names {
                defaults.removeObserver(self, forKeyPath: name)
            }
        }

        override func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            client.changed([UserDefaultsPreferences.region])
        }
    }
// snippet.end
#endif

// snippet.model
@MainActor @Observable
final class SettingsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(Preference(.amoled), default: false) var amoled
    @ObservationIgnored @SharedQuery(Preference(.textSize), default: 14)
    var textSize

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func toggleAmoled() throws {
        try $amoled.setValue(!amoled, via: SetPreference(.amoled))
    }
}
// snippet.end

// snippet.shorthand
nonisolated extension SharedQuery {
    /// A preference that shows the default of its key:
    /// `@SharedQuery(.amoled) var amoled`.
    init<Value>(_ key: PreferenceKey<Value>, client: QueryClient? = nil)
    where State == DefaultedState<Preference<Value>.State> {
        self.init(
            Preference(key),
            default: key.defaultValue,
            client: client
        )
    }
}
// snippet.end

// snippet.hide
let suite = "querykit.sample.\(UUID().uuidString)"
// snippet.show
// snippet.use
var context = QueryContext()
context.preferences = UserDefaultsPreferences(suite: suite)
let client = QueryClient(context: context)
client.followUserDefaults()

let model = SettingsModel(queryClient: client)
try model.toggleAmoled()
print(model.amoled)  // true, before anything was read or written
// snippet.hide
let isOnAtOnce = model.amoled
precondition(isOnAtOnce)
_ = model.textSize
// snippet.show
await client.settled()

// Another part of the app writes, without access to the model.
UserDefaultsPreferences(suite: suite).setText("18", of: "textSize")
await client.settled()
print(model.amoled, model.textSize)  // true 18
// snippet.end
// snippet.hide
let shown = (model.amoled, model.textSize)
precondition(shown == (true, 18))
let short = SharedQuery(.textSize, client: client)
precondition(short.wrappedValue == 18)
precondition(
    UserDefaults(suiteName: suite)?.string(forKey: "amoled") == "true"
)
UserDefaults.standard.removePersistentDomain(forName: suite)
// snippet.show
