#if canImport(SwiftUI)
    public import SwiftUI

    extension State where Value: MutationStateProtocol {
        /// A mutation in a view. The view is updated when the state of the mutation changes.
        ///
        /// ```swift
        /// struct AddButton: View {
        ///     @State.Mutation(AddTrip()) var addTrip
        ///
        ///     var body: some View {
        ///         Button("Add") { _ = try? addTrip.submit("Lisbon") }
        ///             .disabled(addTrip.isLoading)
        ///         if let error = addTrip.error {
        ///             Text(error.localizedDescription)
        ///         }
        ///     }
        /// }
        /// ```
        ///
        /// The client comes from the environment. A call continues if the view disappears.
        @propertyWrapper
        public struct Mutation: DynamicProperty {
            private let environment = Environment(\.queryClient)
            private let holder: State<MutationHolder<Value.Arguments, Value.QueryValue>>
            private let make: @MainActor @Sendable (QueryClient) -> SharedMutation<Value.Arguments, Value.QueryValue>

            /// Creates a property for a mutation, which may have modifiers.
            public init<Arguments: Sendable, Result: Sendable>(
                _ request: some QueryRequest<Result, MutationState<Arguments, Result>>
            ) where Value == MutationState<Arguments, Result> {
                holder = State<MutationHolder<Arguments, Result>>(initialValue: MutationHolder())
                make = { SharedMutation(request, client: $0) }
            }

            /// The mutation: its state, `mutate` and `submit`.
            @MainActor public var wrappedValue: SharedMutation<Value.Arguments, Value.QueryValue> {
                holder.wrappedValue.mutation(of: environment.wrappedValue, make)
            }

            /// The mutation itself.
            @MainActor public var projectedValue: SharedMutation<Value.Arguments, Value.QueryValue> { wrappedValue }

            /// Called by SwiftUI on the main thread, before each update of the view.
            public func update() {
                let (holder, client, make) = (holder.wrappedValue, environment.wrappedValue, make)
                MainActor.assumeIsolated { holder.show(make(client)) }
            }
        }
    }

    /// The storage that a view keeps between two updates.
    @MainActor
    final class MutationHolder<Arguments: Sendable, Result: Sendable> {
        private var shown: SharedMutation<Arguments, Result>?

        nonisolated init() {}

        func mutation(
            of client: QueryClient,
            _ make: (QueryClient) -> SharedMutation<Arguments, Result>
        ) -> SharedMutation<Arguments, Result> {
            if let shown { return shown }
            let new = make(client)
            shown = new
            return new
        }

        /// Each update passes the mutation with its current modifiers and closures. The state is that of the store, so replacing the
        /// mutation loses nothing.
        func show(_ new: SharedMutation<Arguments, Result>) { shown = new }
    }
#endif
