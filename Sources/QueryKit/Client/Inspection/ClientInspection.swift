/// Describes a client to an inspector, and carries out its actions.
///
/// It doesn't keep the client alive. When the client is deallocated, it describes nothing and does nothing. All descriptions show the
/// current state. They call code of the app, such as paths and conditions; only ``marks()`` does not.
package struct ClientInspection: Sendable {
    private let owner: WeakOwner
    let showsValues: Bool

    /// - Parameter showsValues: Whether the texts of paths, regions and causes contain values instead of their hashes.
    package init(_ client: QueryClient, showsValues: Bool = false) {
        owner = WeakOwner(client)
        self.showsValues = showsValues
    }

    /// The client; `nil` once it is deallocated.
    var client: QueryClient? { owner.object as? QueryClient }

    var core: ClientCore? { client?.core }

    /// Whether the client was deallocated.
    package var isGone: Bool { client == nil }

    /// The time on the client's clock.
    package var now: QueryInstant? { core?.clock.now }

    /// The store with an id, if it is listed.
    func store(_ id: Int) -> StoreCore? {
        let ticket = StoreTicket(id: id)
        return core?.state.withLock { $0.registry.isKept(ticket) ? $0.registry.store(at: ticket.slot) : nil }
    }
}

extension QueryClient {
    /// Describes this client to an inspector.
    package var inspection: ClientInspection { ClientInspection(self) }
}

extension StoreTicket {
    fileprivate init(id: Int) {
        let bits = UInt64(bitPattern: Int64(id))
        self.init(slot: UInt32(truncatingIfNeeded: bits), generation: UInt32(truncatingIfNeeded: bits >> 32))
    }
}
