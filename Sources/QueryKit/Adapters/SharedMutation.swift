/// A mutation as a property: of a view model, a reducer's state, or anything else, on any thread.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     @ObservationIgnored @SharedMutation(LogFood()) var logFood
///
///     var isSaving: Bool { logFood.isLoading }
///     var problem: String? { logFood.error.map { "Not saved: \($0)" } }
///
///     func add(_ food: Food) async throws { try await logFood.mutate(with: food) }
///     func addLater(_ food: Food) throws { try logFood.submit(food, onFailure: { error in print(error) }) }
/// }
/// ```
///
/// Its state is that of the mutation's store: how the latest call goes, whoever made it, and the calls before. Reading it is observed, as with
/// ``SharedQuery``, and so are the rules for the client.
@propertyWrapper
@dynamicMemberLookup
public struct SharedMutation<Arguments: Sendable, Value: Sendable>: Sendable {
    /// What the property shows.
    public typealias State = MutationState<Arguments, Value>

    private let source: SharedSource<State>

    /// Creates a shared mutation.
    ///
    /// - Parameters:
    ///   - request: What to call; it may have modifiers.
    ///   - client: The client that makes the calls. Default: as with ``SharedQuery``.
    public init(_ request: some QueryRequest<Value, State>, client: QueryClient? = nil) {
        source = SharedSource(request.identity, client: client) { $0.store(for: request).adapted(to: State.self) }
    }

    /// The mutation itself: its state, `mutate` and `submit`.
    public var wrappedValue: SharedMutation { self }

    /// The mutation itself.
    public var projectedValue: SharedMutation { self }

    /// The mutation, for a property of an object; see ``QueryModel``. Swift calls it.
    public static subscript<Model: AnyObject>(
        _enclosingInstance model: Model,
        wrapped wrapped: KeyPath<Model, SharedMutation>,
        storage storage: ReferenceWritableKeyPath<Model, SharedMutation>
    ) -> SharedMutation { model[keyPath: storage].bound(to: model) }

    /// The projection, for a property of an object; see ``QueryModel``. Swift calls it.
    public static subscript<Model: AnyObject>(
        _enclosingInstance model: Model,
        projected projected: KeyPath<Model, SharedMutation>,
        storage storage: ReferenceWritableKeyPath<Model, SharedMutation>
    ) -> SharedMutation { model[keyPath: storage].bound(to: model) }

    private func bound(to object: AnyObject) -> SharedMutation {
        source.bind(to: object)
        return self
    }

    // MARK: State

    /// The state to show: on the main thread that of this turn of the main actor, elsewhere that of the store at this moment.
    public var state: State { source.state }

    /// A member of the state, such as `logFood.isLoading`, `logFood.error` or `logFood.status`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { source.state[keyPath: keyPath] }

    /// The store of the mutation. Reading it subscribes nothing.
    public var store: QueryStore<State> { source.store }

    /// The client that makes the calls.
    public var client: QueryClient { source.client }

    // MARK: Calls

    /// Calls the mutation, and waits for its value. Its layers show at once; see ``QueryStore/mutate(with:using:)``.
    @discardableResult
    public func mutate(with arguments: Arguments) async throws -> Value {
        defer { source.catchUp() }
        return try await store.mutate(with: arguments) { source.catchUp() }
    }

    /// Calls the mutation, and goes on; see ``QueryStore/submit(_:using:onSuccess:onFailure:onEnd:)``.
    ///
    /// The closures are called once and may wait; one that is marked with `@MainActor` is called there.
    ///
    /// - Returns: The call, to wait for it, to cancel it, or to make it again.
    @discardableResult
    public func submit(
        _ arguments: Arguments,
        onSuccess: (@Sendable (Value) async -> Void)? = nil,
        onFailure: (@Sendable (any Error) async -> Void)? = nil,
        onEnd: (@Sendable (Result<Value, any Error>) async -> Void)? = nil
    ) throws -> MutationCall<Arguments, Value> {
        defer { source.catchUp() }
        return try store.submit(arguments, onSuccess: onSuccess, onFailure: onFailure, onEnd: onEnd)
    }

    /// Makes the latest call again, if it has failed or was cancelled; see ``QueryStore/retryLatest()``.
    @discardableResult
    public func retryLatest() throws -> MutationCall<Arguments, Value>? {
        defer { source.catchUp() }
        return try store.retryLatest()
    }
}

extension SharedMutation where Arguments == Void {
    /// Calls the mutation, and waits for its value.
    @discardableResult
    public func mutate() async throws -> Value { try await mutate(with: ()) }
}

extension SharedMutation: CustomStringConvertible, CustomReflectable {
    /// The mutation and how its latest call goes. Doesn't subscribe.
    public var description: String { source.description }

    /// As short as the description.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}

extension SharedMutation: Hashable {
    public static func == (left: SharedMutation, right: SharedMutation) -> Bool {
        if left.source === right.source { return true }
        return left.source.identity == right.source.identity && left.source.client === right.source.client
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source.identity) }
}
