@testable import QueryKit

/// A store that does nothing, for registry tests that need only its identity.
final class FakeStore: RegisteredStore {
    let path: QueryPath
    let key: QueryIdentity.Key
    let ticket: StoreTicket

    init(_ id: Int, _ ticket: StoreTicket, path: QueryPath? = nil) {
        self.path = path ?? ["fake", id]
        self.ticket = ticket
        key = QueryIdentity.Key(QueryIdentity(FakeRequest(id: id)))
    }

    var identity: QueryIdentity { key.identity }

    func isIdentified(by identity: QueryIdentity) -> Bool { key.isKey(of: identity) }
}

/// Has only four different hashes, so that the registry must compare identities.
struct FakeRequest: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) { hasher.combine(id % 4) }
}

extension StoreRegistry where Store == FakeStore {
    /// Retires a store if it is idle as far as the registry knows; in the client, stores check that themselves.
    mutating func retireIfIdle(_ ticket: StoreTicket) -> FakeStore? {
        surplus(storeLimit: 0, byteLimit: 0).contains { $0.ticket == ticket } ? retire(ticket) : nil
    }

    mutating func find(_ identity: QueryIdentity) -> FakeStore? {
        var passed: [FakeStore] = []
        return find(identity, passing: &passed)
    }

    /// Applies an activity and revives the store if necessary, as the client does; returns the deadline.
    @discardableResult
    mutating func noteActivity(
        _ activity: StoreActivity,
        _ store: FakeStore,
        now: QueryInstant = .zero,
        defaultRetention: Nanoseconds = Nanoseconds(.seconds(60))
    ) -> QueryInstant? {
        var effect = apply(activity, store.ticket, defaultRetention: defaultRetention)
        if effect == .revive { effect = revive(store, path: store.path, defaultRetention: defaultRetention) }
        guard case .retain(let retention) = effect else { return nil }
        return retain(store.ticket, until: now.later(by: retention))
    }
}

extension StoreActivity {
    static func idle(isEmpty: Bool = false, retention: Duration? = nil, bytes: Int = 0) -> StoreActivity {
        StoreActivity(isRunning: false, isObserved: false, isEmpty: isEmpty, retention: retention.map { Nanoseconds($0) }, byteCount: bytes)
    }

    static func running(isObserved: Bool = false, retention: Nanoseconds? = nil, bytes: Int = 0) -> StoreActivity {
        StoreActivity(run: 1, isRunning: true, isObserved: isObserved, isEmpty: true, retention: retention, byteCount: bytes)
    }

    static func observed(retention: Nanoseconds? = nil, bytes: Int = 0) -> StoreActivity {
        StoreActivity(isRunning: false, isObserved: true, isEmpty: false, retention: retention, byteCount: bytes)
    }
}
