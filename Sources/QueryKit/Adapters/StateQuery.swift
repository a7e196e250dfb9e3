#if canImport(SwiftUI)
    public import SwiftUI

    extension State where Value: Sendable {
        /// The state of a request in a view. The request is fetched when the view appears, and observed as long as the view exists. Changes
        /// update the view.
        ///
        /// ```swift
        /// struct DayView: View {
        ///     @State.Query var entries: EntriesOfDay.State
        ///
        ///     init(day: Day) {
        ///         _entries = State.Query(EntriesOfDay(day: day).keepingPrevious())
        ///     }
        ///
        ///     var body: some View {
        ///         if let rows = entries.value {
        ///             List(rows, rowContent: RowView.init)
        ///         }
        ///         if entries.isLoading { ProgressView() }
        ///     }
        /// }
        /// ```
        ///
        /// Write a request without parameters where you declare the property: `@State.Query(Profile()) var profile`. If SwiftUI updates the
        /// view with another request, the property shows the state of that request; with ``QueryRequest/keepingPrevious()``, the old value
        /// stays as a placeholder until the new value arrives. The client comes from the environment.
        ///
        /// If you pass a default, the property contains the request's value instead of the state, and isn't optional:
        /// `@State.Query(Preference(.amoled), default: false) var amoled`.
        ///
        /// The projection is a ``QueryProjection``: `$profile.state`, `$profile.fetch()`, `$profile.store`, and bindings into the value,
        /// `$profile.binding(\.name, or: "")`.
        @propertyWrapper
        public struct Query: DynamicProperty {
            private let environment = Environment(\.queryClient)
            private let holder: State<MirrorHolder>
            private let show: @MainActor @Sendable (MirrorHolder, QueryClient) -> Void
            private let read: @MainActor @Sendable (MirrorHolder) -> Value?

            /// Creates a property for the state of a request.
            public init<Request: QueryRequest>(
                _ request: Request
            ) where Request.State == Value, Value: QueryStateProtocol, Value.StateValue: ExpressibleByNilLiteral {
                self.init(request, initialValue: nil)
            }

            /// Creates a property for the state of a request, with an initial value until the first result; see
            /// ``QueryClient/store(for:initialValue:)``.
            public init<Request: QueryRequest>(
                _ request: Request,
                initialValue: Value.StateValue
            ) where Request.State == Value, Value: QueryStateProtocol {
                holder = State<MirrorHolder>(initialValue: MirrorHolder())
                show = { holder, client in
                    holder.show(client.store(for: request, initialValue: initialValue).adapted(to: Value.self), of: client, as: Value.self)
                }
                read = { holder in holder.mirror(as: Value.self)?.state }
            }

            /// Creates a property for the value of a request, with a default while there is none.
            ///
            /// Only the property has the default: the store has no value until the first result, as `$amoled.status` shows.
            public init<Request: QueryRequest>(
                _ request: Request,
                default value: Value
            ) where Request.State == QueryState<Value?, Value> {
                typealias Shown = DefaultedState<QueryState<Value?, Value>>
                holder = State<MirrorHolder>(initialValue: MirrorHolder())
                show = { holder, client in holder.show(client.store(for: request), of: client, as: Shown.self, default: value) }
                read = { holder in holder.mirror(as: Shown.self)?.value }
            }

            /// The state to show, or the value if the property has a default.
            @MainActor public var wrappedValue: Value {
                guard let value = read(shownHolder) else { preconditionFailure("No mirror for \(Value.self)") }
                return value
            }

            /// The state with its metadata, the actions, and bindings; see ``QueryProjection``.
            @MainActor public var projectedValue: QueryProjection<Value> {
                guard let mirror = shownHolder.mirror else { preconditionFailure("No mirror for \(Value.self)") }
                return QueryProjection(object: mirror)
            }

            /// The holder with its mirror, created if necessary: SwiftUI may read the state before the view is on the screen.
            @MainActor private var shownHolder: MirrorHolder {
                let holder = holder.wrappedValue
                if holder.mirror == nil { show(holder, environment.wrappedValue) }
                return holder
            }

            /// Called by SwiftUI on the main thread, before each update of the view.
            public func update() {
                let (holder, client, show) = (holder.wrappedValue, environment.wrappedValue, show)
                MainActor.assumeIsolated { show(holder, client) }
            }
        }
    }

    /// The storage that a view keeps between two updates. Not observed itself: it changes only before an update that reads it.
    @MainActor
    final class MirrorHolder {
        /// A ``QueryMirror``.
        private(set) var mirror: AnyObject?
        /// What the view has declared last: the client, the request, and whether it was enabled.
        private weak var client: QueryClient?
        private var declared: QueryIdentity?
        private var isEnabled = false

        nonisolated init() {}

        func mirror<Shown: QueryStateProtocol>(as type: Shown.Type) -> QueryMirror<Shown>? { mirror as? QueryMirror<Shown> }

        /// Shows what the view declares: the same request, perhaps with other settings, or another request. For another request, the new
        /// mirror begins before the old one ends.
        ///
        /// What is shown by hand, with ``QueryProjection/show(_:)``, stays until the view declares another request.
        func show<Shown: QueryStateProtocol>(
            _ store: QueryStore<Shown.StoreState>,
            of client: QueryClient,
            as type: Shown.Type,
            default value: Shown.QueryValue? = nil
        ) {
            let (wasEnabled, isSame) = (isEnabled, client === self.client && declared == store.identity)
            (self.client, declared, isEnabled) = (client, store.identity, store.context.isEnabled)
            if isSame, let mirror = mirror(as: type) {
                if mirror.isShownByHand, mirror.store != store || isEnabled == wasEnabled { return }
                // If the request has become enabled, it is fetched if necessary.
                if mirror.store == store { return mirror.adopt(store, wasEnabled: wasEnabled) }
            }
            mirror = QueryMirror<Shown>(adapted: store, client: nil, default: value)
        }
    }
#endif
