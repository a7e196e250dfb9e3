/// The clients that are connected to a database. Holds them weakly, and follows the database only while at least one is connected.
///
/// Also records clients that read the database without being connected, so that their requests are invalidated when they connect.
package final class ConnectedClients: Sendable {
    private struct Link {
        /// Identifies the client without loading `client`. Don't load it under the lock: the loaded reference may be the last one, and
        /// releasing it calls the client's deinit, which calls `remove`, which takes the lock.
        let id: ObjectIdentifier
        weak var client: QueryClient?
    }

    private struct State {
        var links: [Link] = []
        var feed: QuerySubscription?
        /// The clients whose requests have read the database without being connected to it.
        var unconnectedReaders: Set<ObjectIdentifier> = []
    }

    private let state = Lock(State())
    /// The id of one connected client, whose reads therefore take no lock here; 0 if no client is connected.
    private let connectedID = Gauge()
    /// The name of the database in regions and messages.
    package let source: String

    package init(source: String) { self.source = source }

    /// Whether no client is connected.
    package var isEmpty: Bool { connectedID.value == 0 }

    /// Whether a connected client fulfills a condition.
    package func contains(where condition: (QueryClient) -> Bool) -> Bool {
        let links = state.withLock { $0.links }
        return links.contains { $0.client.map(condition) ?? false }
    }

    // MARK: Connecting

    /// Connects a client until it is deallocated, and invalidates everything that its requests have already read. Returns `false` if the
    /// client is already connected.
    ///
    /// - Parameter follow: Follows the changes of the database until the subscription is cancelled. Called for the first client.
    package func add(_ client: QueryClient, following follow: () -> QuerySubscription) -> Bool {
        let id = client.clientID
        let (isNew, isFirst, isLate) = state.withLock { state in
            if state.links.contains(where: { $0.id == id }) { return (false, false, false) }
            state.links.append(Link(id: id, client: client))
            connectedID.set(id)
            return (true, state.feed == nil, state.unconnectedReaders.remove(id) != nil)
        }
        guard isNew else { return false }
        client.hold(QuerySubscription { [self] in remove(id) })
        if isFirst { keep(follow()) }
        // Catch up after the subscription has begun, so that no commit is missed in between.
        if isLate { catchUp(client) }
        return true
    }

    private func keep(_ feed: QuerySubscription) {
        // Two calls may have subscribed at the same time: cancel the subscription of the other call outside the lock.
        let other = state.withLock { state in
            defer { state.feed = feed }
            return state.feed
        }
        other?.cancel()
    }

    /// Disconnects a client. When the last client is disconnected, the observation of the database ends.
    private func remove(_ id: ObjectIdentifier) {
        let feed = state.withLock { state -> QuerySubscription? in
            state.links.removeAll { $0.id == id }
            state.unconnectedReaders.remove(id)
            connectedID.set(state.links.last?.id)
            return state.links.isEmpty ? state.feed.take() : nil
        }
        feed?.cancel()
    }

    /// Invalidates everything that the requests of a client have read from this database, because they may have missed commits.
    private func catchUp(_ client: QueryClient) {
        client.enter([QueryRegion(source: source)], cause: .regionChanged, by: nil).notify()
        client.report(
            .lateConnection,
            about: source,
            """
            The client was connected to the database "\(source)" after its requests had read it. They are out of date now, and those \
            with observers run again. Call client.connect(to: database) before the first fetch.
            """
        )
    }

    // MARK: Reads and changes

    /// Whether the client of a run is certainly connected, so that ``noteReader(of:)`` has nothing to do. Costs only a comparison. If
    /// several clients are connected, this is `true` only for the client that was the last to connect or to read. Work outside of all runs
    /// has no client to note.
    package func isKnown(clientOf run: SourceRun) -> Bool {
        guard let id = run.reads.scope.hostID else { return true }
        return id.number == connectedID.value
    }

    /// Reports a mistake, once per client, if the client of a read isn't connected.
    package func noteReader(of reads: QueryReads) {
        guard let id = reads.clientID, id.number != connectedID.value else { return }
        if state.withLock({ isConnected(id, $0) || $0.unconnectedReaders.contains(id) }) { return }
        guard let (path, context) = reads.request, let client = context.queryClient else { return }
        guard state.withLock({ !isConnected(id, $0) && $0.unconnectedReaders.insert(id).inserted }) else { return }
        client.hold(QuerySubscription { [self] in remove(id) })
        client.report(
            .unconnectedDatabase,
            about: source,
            at: path,
            """
            The request \(path) has read the database "\(source)", and its client isn't connected to it, so no commit makes the request \
            run again. Call client.connect(to: database) before the first fetch. If requests needn't follow the database, set \
            isFollowed = false in its configuration.
            """
        )
    }

    private func isConnected(_ id: ObjectIdentifier, _ state: State) -> Bool {
        guard state.links.contains(where: { $0.id == id }) else { return false }
        connectedID.set(id)
        return true
    }

    /// Enters a change into the connected clients, and returns a closure that notifies their requests.
    ///
    /// - Parameter reads: The reads of the run that has made the change, if there is one.
    package func enter(_ regions: [QueryRegion], cause: QueryCause, by reads: QueryReads?) -> @Sendable () -> Void {
        let links = state.withLock { $0.links }
        let entered = links.compactMap { $0.client?.enter(regions, cause: cause, by: reads) }
        return { for change in entered { change.notify() } }
    }
}

extension ObjectIdentifier {
    fileprivate var number: UInt64 { UInt64(UInt(bitPattern: self)) }
}

extension Gauge {
    fileprivate func set(_ id: ObjectIdentifier?) { set(id?.number ?? 0) }
}
