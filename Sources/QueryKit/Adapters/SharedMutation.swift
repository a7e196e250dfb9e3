/// A mutation as a property of a view model, a reducer's state, or any other type, usable on any thread.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     @ObservationIgnored @SharedMutation(LogFood()) var logFood
///
///     var isSaving: Bool { logFood.isLoading }
///     var problem: String? { logFood.error.map { "Not saved: \($0)" } }
///     func closeAlert() { logFood.dismissError() }
///
///     func add(_ food: Food) async throws {
///         try await logFood.mutate(with: food)
///     }
///     func addLater(_ food: Food) throws {
///         try logFood.submit(food, onFailure: { error in print(error) })
///     }
/// }
/// ```
///
/// Its state is the state of the mutation's store: the status of the latest call, no matter which code made it, and the history of calls.
/// As with ``SharedQuery``, views that read the state are updated, and the client is determined in the same way.
@propertyWrapper
@dynamicMemberLookup
public struct SharedMutation<Arguments: Sendable, Value: Sendable>: Sendable {
    /// The state of the mutation.
    public typealias State = MutationState<Arguments, Value>

    private let source: SharedSource<State>

    /// Creates a shared mutation.
    ///
    /// - Parameters:
    ///   - request: The mutation to call; it may have modifiers.
    ///   - client: The client that makes the calls. Default: as with ``SharedQuery``.
    public init(_ request: some QueryRequest<Value, State>, client: QueryClient? = nil) {
        source = SharedSource(request.identity, client: client) { $0.store(for: request).adapted(to: State.self) }
    }

    /// The mutation itself: its state, `mutate` and `submit`.
    public var wrappedValue: SharedMutation { self }

    /// The mutation itself.
    public var projectedValue: SharedMutation { self }

    /// The mutation, for a property of an object; see ``QueryModel``. Called by Swift.
    public static subscript<Model: AnyObject>(
        _enclosingInstance model: Model,
        wrapped wrapped: KeyPath<Model, SharedMutation>,
        storage storage: ReferenceWritableKeyPath<Model, SharedMutation>
    ) -> SharedMutation { model[keyPath: storage].bound(to: model) }

    /// The projection, for a property of an object; see ``QueryModel``. Called by Swift.
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

    /// The state to show.
    ///
    /// On the main thread, the state changes in three cases only: between two turns of the main actor (a turn is one job that the main
    /// actor executes), when you write or fetch through a property or a mirror, and when the session ends. On other threads, this is the
    /// current state of the store.
    public var state: State { source.state }

    /// A member of the state, such as `logFood.isLoading`, `logFood.error` or `logFood.status`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { source.state[keyPath: keyPath] }

    /// The store of the mutation. Reading it does not subscribe.
    public var store: QueryStore<State> { source.store }

    /// The client that makes the calls.
    public var client: QueryClient { source.client }

    // MARK: Calls

    /// Calls the mutation, and waits for its result. Its layers show immediately; see ``QueryStore/mutate(with:using:)``.
    @discardableResult
    public func mutate(with arguments: Arguments) async throws -> Value {
        defer { source.catchUp() }
        return try await store.mutate(with: arguments) { source.catchUp() }
    }

    /// Calls the mutation without waiting for it; see ``QueryStore/submit(_:using:onSuccess:onFailure:onEnd:)``.
    ///
    /// Each closure is called at most once, and may suspend. A closure that is marked with `@MainActor` is called on the main actor.
    ///
    /// - Returns: The call. Use it to wait for the call, cancel it, or repeat it.
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

    /// Hides the error, for example when the user closes an alert. The next failure is shown again; see ``QueryStore/dismissError()``.
    public func dismissError() {
        store.dismissError()
        source.catchUp()
    }

    /// Repeats the latest call, if it has failed or was cancelled; see ``QueryStore/retryLatest()``.
    @discardableResult
    public func retryLatest() throws -> MutationCall<Arguments, Value>? {
        defer { source.catchUp() }
        return try store.retryLatest()
    }
}

extension SharedMutation where Arguments == Void {
    /// Calls the mutation, and waits for its result.
    @discardableResult
    public func mutate() async throws -> Value { try await mutate(with: ()) }

    /// Calls the mutation without waiting for it.
    @discardableResult
    public func submit(
        onSuccess: (@Sendable (Value) async -> Void)? = nil,
        onFailure: (@Sendable (any Error) async -> Void)? = nil,
        onEnd: (@Sendable (Result<Value, any Error>) async -> Void)? = nil
    ) throws -> MutationCall<Void, Value> { try submit((), onSuccess: onSuccess, onFailure: onFailure, onEnd: onEnd) }
}

extension SharedMutation: CustomStringConvertible, CustomReflectable {
    /// The path and the status of the latest call, without arguments and result. Doesn't subscribe.
    public var description: String { source.description }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}

extension SharedMutation: Hashable {
    public static func == (left: SharedMutation, right: SharedMutation) -> Bool {
        if left.source === right.source { return true }
        return left.source.identity == right.source.identity && left.source.hasClient(of: right.source)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source.identity) }
}
