/// Describes a client to an inspector, and carries out its actions.
///
/// It doesn't keep the client alive. When the client is deallocated, it describes nothing and does nothing.
package struct ClientInspection: Sendable {
    private let owner: WeakOwner

    init(_ core: ClientCore) { owner = WeakOwner(core) }

    /// The core of the client; `nil` once the client is deallocated.
    var core: ClientCore? { (owner.object as? ClientCore).flatMap { $0.isClosed ? nil : $0 } }

    /// Whether the client was deallocated.
    package var isGone: Bool { core == nil }

    /// The time on the client's clock.
    package var now: QueryInstant? { core?.clock.now }
}

extension QueryClient {
    /// Describes this client to an inspector.
    package var inspection: ClientInspection { ClientInspection(core) }
}
