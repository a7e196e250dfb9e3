package import QueryKit

extension QueryDependencies {
    package var api: QueryDependency<WebAPI> { .required() }
}

/// A web API in this process: each request takes time on the clock of the stage, and fails while there is no network.
@MainActor
package final class WebAPI {
    /// An error that the server responds with.
    enum Failure: Error, CustomStringConvertible {
        case busy
        case refused(String)

        var description: String {
            switch self {
            case .busy: "503"
            case .refused(let name): "\(name) refused"
            }
        }
    }

    /// How many requests have arrived.
    package private(set) var requestCount = 0

    /// How many requests have no response yet.
    private(set) var pendingCount = 0

    /// Called when a request arrives.
    var onRequest: () -> Void = {}

    /// The trips of the server.
    package private(set) var stored = ["Oslo", "Bergen", "Rome"].map { Trip($0) }

    private let clock: any QueryClock
    private let network: any NetworkObserver
    private var refused: Trip.ID?
    private var remainingFailures = 0

    private static let latency = Duration.milliseconds(500)

    init(clock: any QueryClock, network: any NetworkObserver) {
        self.clock = clock
        self.network = network
    }

    // MARK: Requests

    func trips() async throws -> [Trip] {
        try await respond()
        return stored
    }

    /// The trips of one user.
    func trips(of user: String?) async throws -> [Trip] {
        try await respond()
        return ["ada": ["Oslo", "Bergen"], "ben": ["Rome"]][user ?? "", default: []].map { Trip($0) }
    }

    /// Two trips of a list of five, beginning at an offset.
    func page(at offset: Int) async throws -> TripPage {
        try await respond()
        let all = stored + [Trip("Lisbon"), Trip("Porto")]
        let next = offset + 2
        return TripPage(trips: Array(all.dropFirst(offset).prefix(2)), next: next < all.count ? next : nil)
    }

    func add(_ name: String) async throws {
        try await respond()
        insert(name)
    }

    func like(_ name: Trip.ID) async throws {
        // A refusal arrives before the success of an earlier request, so that the two calls overlap.
        try await respond(after: name == refused ? Self.latency : Self.latency * 2)
        if name == refused { throw Failure.refused(name) }
        stored.like(name)
    }

    private func respond(after latency: Duration = latency) async throws {
        requestCount += 1
        pendingCount += 1
        defer { pendingCount -= 1 }
        onRequest()
        guard network.isOnline else { throw QueryError(.networkUnavailable) }
        try await clock.sleep(for: latency)
        guard remainingFailures == 0 else {
            remainingFailures -= 1
            throw Failure.busy
        }
    }

    // MARK: What happens on the server

    /// Adds a trip, as another user would. A second one with the same name is ignored.
    func insert(_ name: String) { if !stored.contains(where: { $0.id == name }) { stored.append(Trip(name)) } }

    /// Refuses likes of a trip from now on.
    func refuseLikes(of name: Trip.ID) { refused = name }

    /// Makes the next requests fail.
    func fail(times count: Int) { remainingFailures = count }
}
