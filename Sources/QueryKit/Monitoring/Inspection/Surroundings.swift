package import Foundation

/// What the runs of a client depend on besides their requests.
package struct Surroundings: Hashable, Sendable {
    /// A limit on the number of concurrent runs.
    package struct Limit: Hashable, Sendable {
        package let pattern: String
        package let limit: Int
        package let running: Int
        /// The paths of the runs that wait in the queue, in order, at most 20 of them.
        package let waiting: [String]
        package let waitingCount: Int
    }

    package struct Network: Hashable, Sendable {
        /// Whether there is a network, according to the observer or to an inspector.
        package let isAvailable: Bool
        /// Whether this was set by ``InspectionAction/setNetwork(available:)``.
        package let isSimulated: Bool
        /// How many mutations and runs wait for the network.
        package let waitingMutations: Int
        package let waitingRuns: Int
    }

    package struct Cache: Hashable, Sendable {
        /// The type of the cache.
        package let name: String
        /// How many entries it has, if that is known without a search.
        package let entryCount: Int?
    }

    package struct Clock: Hashable, Sendable {
        /// Whether the clock is a ``ManualClock``.
        package let isManual: Bool
        package let now: QueryInstant
        package let date: Date
    }

    package let limits: [Limit]
    /// `nil` if the client has no network observer.
    package let network: Network?
    /// Whether the app is active; `nil` if the client has no activity observer.
    package let isActive: Bool?
    package let caches: [Cache]
    package let clock: Clock
    package let session: String?
    package let configuration: [NamedText]
}
