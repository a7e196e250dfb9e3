/// A namespace for the dependencies of your fetches. Declare each one in one line:
///
/// ```swift
/// extension QueryDependencies {
///     var trips: QueryDependency<any TripRepository> {
///         .init(LiveTrips())
///     }
/// }
/// ```
///
/// A ``QueryContext`` then has a member with the same name, which reads the dependency and replaces it:
///
/// ```swift
/// struct AllTrips: QueryRequest {
///     func fetch(
///         in context: QueryContext,
///         with continuation: QueryContinuation<[Trip]>
///     ) async throws -> [Trip] {
///         try await context.trips.all()
///     }
/// }
///
/// var context = QueryContext()
/// context.trips = FakeTrips()
/// let client = QueryClient.test(context: context)
/// ```
///
/// Fetches run off the main actor. In a module with default isolation on the main actor, the compiler of Swift 6.3 treats the properties as
/// nonisolated. For an older compiler, write `nonisolated extension QueryDependencies`.
///
/// A dependency can't have the name of a member of the context, such as `clock` or `session`, because that member would hide it. The
/// compiler reports it; see ``QueryContextNames``.
public final class QueryDependencies: QueryContextNames, DependencyNamespace {
    override init() {}
}

/// The protocol of ``QueryDependencies``. In a module with default isolation on the main actor, it makes the properties declared in an
/// extension nonisolated, as for every type that conforms to a protocol with `SendableMetatype`.
public protocol DependencyNamespace: SendableMetatype {}

/// A dependency of fetches and its default value; see ``QueryDependencies``.
public struct QueryDependency<Value: Sendable>: Sendable {
    let makeDefault: @Sendable () -> Value
    let name: String

    /// Declares a dependency.
    ///
    /// - Parameters:
    ///   - makeDefault: The value in contexts that don't replace it. A client creates it once, when it is first read; a context without a
    ///     client creates it at each access.
    ///   - name: The name of the property, for messages.
    public init(_ makeDefault: @autoclosure @escaping @Sendable () -> Value, name: String = #function) {
        (self.makeDefault, self.name) = (makeDefault, name)
    }
}

extension QueryDependency {
    /// Declares a dependency without a default, such as a database that must be opened first.
    ///
    /// ```swift
    /// extension QueryDependencies {
    ///     var trips: QueryDependency<any TripRepository> { .required() }
    /// }
    /// ```
    ///
    /// Set it in the context before you create the client: `context.trips = trips`. Reading a dependency that was not set is a programming
    /// error, and traps with its name.
    public static func required(name: String = #function) -> QueryDependency {
        QueryDependency(
            { () -> Value in
                preconditionFailure(
                    "The dependency \(name) has no default. Set context.\(name) before you create the client with the context."
                )
            }(),
            name: name
        )
    }
}

extension QueryContext {
    /// A dependency declared in an extension of ``QueryDependencies``: `context.trips`.
    public subscript<Value: Sendable>(
        dynamicMember dependency: any KeyPath<QueryDependencies, QueryDependency<Value>> & Sendable
    ) -> Value {
        get { self[dependency: dependency] }
        set { self[dependency: dependency] = newValue }
    }

    /// A dependency by its key path, for code that is generic over dependencies.
    public subscript<Value: Sendable>(dependency dependency: any KeyPath<QueryDependencies, QueryDependency<Value>> & Sendable) -> Value {
        get {
            let key = AnyDependency(path: dependency)
            // Without the guard, a missing replacement would be cast to the `nil` of an optional value.
            if let replacement = replacement(of: key), let value = replacement as? Value { return value }
            let make = { QueryDependencies()[keyPath: dependency].makeDefault() }
            return owner?.shared?.defaults.value(of: key, orMake: make) ?? make()
        }
        set { replace(AnyDependency(path: dependency), by: newValue) }
    }
}

/// The default values of a client's dependencies, each created once.
final class DependencyDefaults: Sendable {
    private let values = Lock<[AnyDependency: any Sendable]>([:])

    /// The default value of a dependency. Created without holding the lock, because it is the user's code and may read other dependencies.
    /// If two threads create it at the same time, the first value is kept.
    func value<Value: Sendable>(of key: AnyDependency, orMake make: () -> Value) -> Value {
        if let known = values.withLock({ $0[key] }), let value = known as? Value { return value }
        let made = make()
        let value = values.withLock { values -> any Sendable in
            if let value = values[key] { return value }
            values[key] = made
            return made
        }
        return value as? Value ?? made
    }
}

/// The key path of a dependency.
struct AnyDependency: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable
}
