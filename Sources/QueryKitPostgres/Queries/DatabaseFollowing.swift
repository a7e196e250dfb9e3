#if Postgres
import QueryKit

/// The connection of a database to its clients: the follower, and the clients themselves. Owned by the database.
final class DatabaseFollowing: Sendable {
    /// How long reading the log may take. After that the connection counts as lost.
    private static let lookLimit = Duration.seconds(10)

    let follower: Follower
    private let links: ClientLinks

    private init(_ core: DatabaseCore) {
        let partitions = core.configuration.partitions.map { (PostgresRegion.name($0.table), $0.column) }
        follower = Follower(columns: Dictionary(partitions, uniquingKeysWith: { $1 }))
        links = ClientLinks(source: core.name)
    }

    // Clients that are still connected would otherwise keep the listener's connection open.
    deinit { follower.close() }

    /// Installs the log of changes on the server if it is missing, and follows all transactions from now on.
    static func begin(_ core: DatabaseCore) async throws {
        let following = DatabaseFollowing(core)
        let connection = try await core.openConnection()
        defer { connection.close() }
        try await following.install(on: connection)
        core.attach(following)
        // These references may be strong: the core retains both objects until it is deallocated itself, and they don't refer to the core.
        let (follower, links) = (following.follower, following.links)
        follower.observeReads { links.observer(isWrite: $0) }
        core.setTracker { follower.tracker(isWrite: $0) }
        core.onClose { follower.close() }
    }

    private func install(on connection: Connection) async throws {
        do {
            guard try await ServerInstallation(columns: follower.columns).perform(on: connection).access != .none else { return }
        } catch let error as PostgresError where error.code == .timeout || error.code == .permission {
            // Another transaction holds a lock, or the role lacks a privilege. The listener tries again.
            return
        }
        try await Listener.takePosition(of: follower, on: connection)
        follower.setInstalled(true)
    }

    /// Connects a client.
    func add(_ client: QueryClient, to core: DatabaseCore) {
        let (follower, interval) = (follower, core.configuration.pollInterval)
        let listener = Listener(follower: follower, pollInterval: interval) { [weak core] in
            guard let core else { throw CancellationError() }
            var limits = Connection.Limits()
            limits.statement = Self.lookLimit
            return try await core.openConnection(limits: limits)
        }
        _ = links.add(client, to: follower) { await listener.run() }
    }
}

extension DatabaseCore {
    /// What connects the database to clients; `nil` if it isn't followed.
    var following: DatabaseFollowing? { attachment as? DatabaseFollowing }
}
#endif
