/// Where you declare what fetches need: each dependency is one line.
///
/// ```swift
/// extension QueryDependencies {
///     var trips: QueryDependency<any TripRepository> { .init(LiveTrips()) }
/// }
/// ```
///
/// A ``QueryContext`` then has a member of that name, which reads the dependency and replaces it:
///
/// ```swift
/// struct AllTrips: QueryRequest {
///     func fetch(in context: QueryContext, with continuation: QueryContinuation<[Trip]>) async throws -> [Trip] {
///         try await context.trips.all()
///     }
/// }
///
/// var context = QueryContext()
/// context.trips = FakeTrips()
/// let client = QueryClient.test(context: context)
/// ```
///
/// In a module whose default isolation is the main actor, declare them in a `nonisolated extension QueryDependencies`: fetches run elsewhere.
///
/// A dependency can't have the name of a member of the context, such as `clock`: the member hides it.
public struct QueryDependencies: Sendable {}

/// A dependency of fetches, with its default; see ``QueryDependencies``.
public struct QueryDependency<Value: Sendable>: Sendable {
    let makeDefault: @Sendable () -> Value
    let name: String

    /// Declares a dependency.
    ///
    /// - Parameters:
    ///   - makeDefault: The value of a context that was given none. A client makes it once, when it is first read; a context without a client
    ///     makes it at each reading.
    ///   - name: The name of the property, for messages.
    public init(_ makeDefault: @autoclosure @escaping @Sendable () -> Value, name: String = #function) {
        (self.makeDefault, self.name) = (makeDefault, name)
    }
}

extension QueryDependency {
    /// Declares a dependency without a default, such as a database that has to be opened first.
    ///
    /// ```swift
    /// extension QueryDependencies {
    ///     var trips: QueryDependency<any TripRepository> { .required() }
    /// }
    /// ```
    ///
    /// Set it in the context before you create the client: `context.trips = trips`. Reading it without that is a programming error, and traps with
    /// its name.
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
    /// A dependency that is declared in an extension of ``QueryDependencies``: `context.trips`.
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
            // Without the guard, "not replaced" would be cast to a nil of an optional value.
            if let replacement = replacement(of: key), let value = replacement as? Value { return value }
            let make = { QueryDependencies()[keyPath: dependency].makeDefault() }
            return owner?.shared?.defaults.value(of: key, orMake: make) ?? make()
        }
        set { replace(AnyDependency(path: dependency), by: newValue) }
    }
}

/// The defaults of a client's dependencies, each made once.
final class DependencyDefaults: Sendable {
    private let values = Lock<[AnyDependency: any Sendable]>([:])

    /// The default of a dependency. Made without the lock, because it is a user's code and may read other dependencies; of two that are made at the
    /// same time, the first one stays.
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
