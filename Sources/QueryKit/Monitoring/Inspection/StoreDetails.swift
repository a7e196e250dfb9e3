/// A name with a text, for a list of properties.
package struct NamedText: Hashable, Sendable {
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}

/// Everything about one store.
package struct StoreDetails: Sendable {
    /// Another store.
    package struct Link: Hashable, Sendable {
        /// `nil` if there is no store for the request.
        package let id: Int?
        package let path: String
    }

    /// A layer over the value, from the lowest to the highest.
    package struct Layer: Hashable, Sendable {
        /// The path of the mutation, and the number of its call while the call is pending; `nil` if it is no longer known.
        package let mutation: String?
        package let call: Int?
        /// What the layer waits for.
        package let label: String
    }

    package let row: StoreRow
    /// `nil` if the value was not requested, or if there is none.
    package let value: InspectedValue?
    /// The properties of the state.
    package let fields: [NamedText]
    /// The settings of the store, of each observer and of the last caller.
    package let settings: [NamedText]
    /// The regions that the value was read from, as text.
    package let reads: [String]
    /// The statements that have read these regions from a source, sorted by their texts.
    package let statements: [QueryClientSnapshot.Statement]
    /// Whether more statements have read the value than are listed.
    package let hasMoreStatements: Bool
    package let tags: [String]
    package let dependencies: [Link]
    package let dependents: [Link]
    package let layers: [Layer]
    /// The caches that keep the value.
    package let caches: [String]
}

/// A store that an invalidation or a change would affect.
package struct Affected: Hashable, Sendable {
    /// What would happen to the store.
    package enum Effect: String, CaseIterable, Sendable {
        /// A run begins.
        case runs
        /// A run is under way, and another one follows it.
        case runsAgain
        /// A stream is opened again.
        case restarts
        /// A run waits for the network and has read nothing yet, so it is not repeated.
        case waitsForNetwork
        /// It has no observers and no waiting callers: it runs at the next subscription.
        case unobserved
        /// It is disabled.
        case disabled
        /// It is an inline request, and no observer or caller has its closure.
        case withoutClosure
    }

    package let id: Int
    package let path: String
    package let effect: Effect

    /// Whether a run would follow.
    package var willRun: Bool {
        switch effect {
        case .runs, .runsAgain, .restarts: true
        case .waitsForNetwork, .unobserved, .disabled, .withoutClosure: false
        }
    }
}
