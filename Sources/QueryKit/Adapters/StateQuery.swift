#if canImport(SwiftUI)
    public import SwiftUI

    extension State where Value: QueryStateProtocol {
        /// The state of a request in a view: fetched when the view appears, redrawn when it changes, and released with the view.
        ///
        /// ```swift
        /// struct DayView: View {
        ///     @State.Query var entries: EntriesOfDay.State
        ///
        ///     init(day: Day) { _entries = State.Query(EntriesOfDay(day: day).keepingPrevious()) }
        ///
        ///     var body: some View {
        ///         if let rows = entries.value { List(rows, rowContent: RowView.init) }
        ///         if entries.isLoading { ProgressView() }
        ///     }
        /// }
        /// ```
        ///
        /// A request that depends on nothing is written where the property is: `@State.Query(Profile()) var profile`. A view that comes with another
        /// request shows that one's state; with ``QueryRequest/keepingPrevious()`` the old value stays as a placeholder until the new one is there.
        /// The client is the environment's.
        ///
        /// The projection is a ``QueryMirror``: `$profile.state`, `$profile.fetch()`, `$profile.store`, and bindings into the value,
        /// `$profile.binding(\.name, or: "")`.
        @propertyWrapper
        public struct Query: DynamicProperty {
            private let environment = Environment(\.queryClient)
            private let slot: State<MirrorSlot<Value>>
            private let show: @MainActor @Sendable (MirrorSlot<Value>, QueryClient) -> Void

            /// Shows the state of a request.
            public init<Request: QueryRequest>(
                _ request: Request
            ) where Request.State == Value, Value.StateValue: ExpressibleByNilLiteral {
                self.init(request, initialValue: nil)
            }

            /// Shows the state of a request, with a value of its own until the first result; see ``QueryClient/store(for:initialValue:)``.
            public init<Request: QueryRequest>(
                _ request: Request,
                initialValue: Value.StateValue
            ) where Request.State == Value {
                slot = State<MirrorSlot<Value>>(initialValue: MirrorSlot())
                show = { slot, client in
                    slot.show(client.store(for: request, initialValue: initialValue).adapted(to: Value.self), of: client)
                }
            }

            /// The state to show.
            @MainActor public var wrappedValue: Value { projectedValue.state }

            /// What mirrors the store: state, fetching, writing, and bindings.
            @MainActor public var projectedValue: QueryMirror<Value> {
                let slot = slot.wrappedValue
                if let mirror = slot.mirror { return mirror }
                // The state is read before the view is on the screen.
                show(slot, environment.wrappedValue)
                guard let mirror = slot.mirror else { preconditionFailure("No mirror for \(Value.self)") }
                return mirror
            }

            /// Called by SwiftUI, on the main thread, before each drawing.
            public func update() {
                let (slot, client, show) = (slot.wrappedValue, environment.wrappedValue, show)
                MainActor.assumeIsolated { show(slot, client) }
            }
        }
    }

    /// What a view keeps between two drawings. Not observed itself: it changes only before a drawing that reads it.
    @MainActor
    final class MirrorSlot<State: QueryStateProtocol> {
        private(set) var mirror: QueryMirror<State>?
        private weak var client: QueryClient?
        private var isEnabled = false

        nonisolated init() {}

        /// Shows the same request, perhaps with other settings, or another one: then a new mirror begins before the old one ends.
        func show(_ store: QueryStore<State.StoreState>, of client: QueryClient) {
            let wasEnabled = isEnabled
            isEnabled = store.context.isEnabled
            if let mirror, client === self.client, mirror.store == store {
                // What was not to be fetched until now is fetched, if need be.
                return mirror.adopt(store, wasEnabled: wasEnabled)
            }
            self.client = client
            mirror = QueryMirror(adapted: store, client: nil)
        }
    }
#endif
