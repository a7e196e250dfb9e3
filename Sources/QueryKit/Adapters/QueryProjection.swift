#if canImport(SwiftUI)
    public import SwiftUI

    /// The projection `$profile` of a property `@State.Query(Profile()) var profile`: its state, its actions, and bindings.
    ///
    /// It has the members of the state, such as `$profile.isLoading`, and those of ``QueryMirror``, such as `$profile.store`.
    @MainActor
    @dynamicMemberLookup
    public struct QueryProjection<Value: Sendable> {
        /// A ``QueryMirror``.
        fileprivate let object: AnyObject

        init(object: AnyObject) { self.object = object }
    }

    /// The projection of a property without a default, whose value is a state.
    extension QueryProjection where Value: QueryStateProtocol {
        /// The mirror of the store.
        public var mirror: QueryMirror<Value> {
            guard let mirror = object as? QueryMirror<Value> else { preconditionFailure("\(object) isn't a mirror of a \(Value.self)") }
            return mirror
        }

        /// A member of the mirror, or of its state.
        public subscript<Member>(dynamicMember keyPath: KeyPath<QueryMirror<Value>, Member>) -> Member { mirror[keyPath: keyPath] }

        /// Shows the given request instead of the current one. If the view is updated with a different request, that one is shown.
        public func show<Request: QueryRequest>(
            _ request: Request
        ) where Request.State == Value.StoreState, Request.State.StateValue: ExpressibleByNilLiteral { mirror.show(request) }

        /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
        @discardableResult
        public func fetch() async throws -> Value.QueryValue { try await mirror.fetch() }

        /// Refetches the request, fresh or not, without waiting for it; see ``QueryStore/refetch()``.
        @discardableResult
        public func refetch() -> QueryRefetches { mirror.refetch() }

        /// Marks the value as out of date, and refetches it; see ``QueryStore/invalidate()``.
        @discardableResult
        public func invalidate() -> QueryRefetches { mirror.invalidate() }

        /// Writes a value, and shows it immediately; see ``QueryStore/setValue(_:)``.
        public func setValue(_ value: Value.QueryValue) { mirror.setValue(value) }

        /// Changes the value, if there is one, and shows it immediately; see ``QueryStore/updateValue(_:)``.
        @discardableResult
        public func updateValue(_ change: (inout Value.QueryValue) throws -> Void) rethrows -> Bool { try mirror.updateValue(change) }

        /// Calls a mutation on the client of this query, and waits for its result. Its layers show immediately.
        @discardableResult
        public func mutate<Arguments: Sendable, Result: Sendable>(
            _ mutation: some QueryRequest<Result, MutationState<Arguments, Result>>,
            with arguments: Arguments
        ) async throws -> Result { try await mirror.mutate(mutation, with: arguments) }

        /// Writes a value with a mutation, without waiting for it; see ``SharedQuery/setValue(_:via:)``.
        @discardableResult
        public func setValue<Result: Sendable>(
            _ value: Value.QueryValue,
            via mutation: some QueryRequest<Result, MutationState<Value.QueryValue, Result>>
        ) throws -> MutationCall<Value.QueryValue, Result> { try mirror.setValue(value, via: mutation) }

        /// A binding to a part of the value. While there is no value, it shows `fallback` and ignores writes.
        public func binding<Member: Sendable>(
            _ keyPath: any WritableKeyPath<Value.QueryValue, Member> & Sendable,
            or fallback: Member
        ) -> Binding<Member> { mirror.binding(keyPath, or: fallback) }
    }

    extension QueryProjection where Value: QueryStateProtocol, Value.ViewValue == Value {
        /// A binding to the whole value; `nil` while there is none.
        public var binding: Binding<Value.QueryValue>? { mirror.binding }

        /// A binding that writes with a mutation, whose layers show immediately; `nil` while there is no value.
        public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<Value.QueryValue, Result>>
        ) -> Binding<Value.QueryValue>? { mirror.binding(via: mutation) }
    }

    extension QueryProjection where Value: QueryStateProtocol, Value.QueryValue: QueryPagesProtocol {
        /// Fetches the page after the last; see ``QueryStore/fetchNextPage()``.
        @discardableResult
        public func fetchNextPage() async throws -> Value.QueryValue { try await mirror.fetchNextPage() }

        /// Fetches the page before the first; see ``QueryStore/fetchPreviousPage()``.
        @discardableResult
        public func fetchPreviousPage() async throws -> Value.QueryValue { try await mirror.fetchPreviousPage() }
    }

    /// The projection of a property with a default. Some members are disfavored, so that Swift chooses the ones above for a state.
    extension QueryProjection {
        /// The mirror of the store.
        @_disfavoredOverload public var mirror: QueryMirror<DefaultedState<QueryState<Value?, Value>>> {
            guard let mirror = object as? QueryMirror<DefaultedState<QueryState<Value?, Value>>> else {
                preconditionFailure("\(object) isn't a mirror of a \(Value.self) with a default")
            }
            return mirror
        }

        /// A member of the mirror, or of its state.
        @_disfavoredOverload
        public subscript<Member>(
            dynamicMember keyPath: KeyPath<QueryMirror<DefaultedState<QueryState<Value?, Value>>>, Member>
        ) -> Member { mirror[keyPath: keyPath] }

        /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
        @discardableResult
        public func fetch() async throws -> Value { try await mirror.fetch() }

        /// Refetches the request, fresh or not, without waiting for it; see ``QueryStore/refetch()``.
        @discardableResult
        public func refetch() -> QueryRefetches { mirror.refetch() }

        /// Marks the value as out of date, and refetches it; see ``QueryStore/invalidate()``.
        @discardableResult
        public func invalidate() -> QueryRefetches { mirror.invalidate() }

        /// Writes a value, and shows it immediately; see ``QueryStore/setValue(_:)``.
        public func setValue(_ value: Value) { mirror.setValue(value) }

        /// Changes the value, if there is one, and shows it immediately; see ``QueryStore/updateValue(_:)``.
        @discardableResult
        public func updateValue(_ change: (inout Value) throws -> Void) rethrows -> Bool { try mirror.updateValue(change) }

        /// Calls a mutation on the client of this query, and waits for its result. Its layers show immediately.
        @discardableResult
        public func mutate<Arguments: Sendable, Result: Sendable>(
            _ mutation: some QueryRequest<Result, MutationState<Arguments, Result>>,
            with arguments: Arguments
        ) async throws -> Result { try await mirror.mutate(mutation, with: arguments) }

        /// Writes a value with a mutation, without waiting for it; see ``SharedQuery/setValue(_:via:)``.
        @discardableResult
        public func setValue<Result: Sendable>(
            _ value: Value,
            via mutation: some QueryRequest<Result, MutationState<Value, Result>>
        ) throws -> MutationCall<Value, Result> { try mirror.setValue(value, via: mutation) }

        /// A binding to the value. It shows the default while there is no value.
        ///
        /// ```swift
        /// Toggle("Black background", isOn: $amoled.binding)
        /// ```
        @_disfavoredOverload public var binding: Binding<Value> { mirror.binding }

        /// A binding that writes with a mutation, whose layers show immediately; see ``SharedQuery/setValue(_:via:)``.
        public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<Value, Result>>
        ) -> Binding<Value> { mirror.binding(via: mutation) }

        /// Shows another request of the same client from now on, with the same default, until the view is updated with another request.
        @_disfavoredOverload
        public func show<Request: QueryRequest>(_ request: Request) where Request.State == QueryState<Value?, Value> {
            mirror.show(request)
        }

        /// A binding to a part of the value. While there is no value, it shows `fallback` and ignores writes.
        @_disfavoredOverload
        public func binding<Member: Sendable>(
            _ keyPath: any WritableKeyPath<Value, Member> & Sendable,
            or fallback: Member
        ) -> Binding<Member> { mirror.binding(keyPath, or: fallback) }
    }

    extension QueryProjection where Value: QueryPagesProtocol {
        /// Fetches the page after the last; see ``QueryStore/fetchNextPage()``.
        @discardableResult
        public func fetchNextPage() async throws -> Value { try await mirror.fetchNextPage() }

        /// Fetches the page before the first; see ``QueryStore/fetchPreviousPage()``.
        @discardableResult
        public func fetchPreviousPage() async throws -> Value { try await mirror.fetchPreviousPage() }
    }
#endif
