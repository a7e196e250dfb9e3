@testable import QueryKit

/// A store that does nothing, for a registry that needs only to know which it is.
final class FakeStore: RegisteredStore {
    let path: QueryPath
    let identity: QueryIdentity
    let ticket: StoreTicket

    init(_ id: Int, _ ticket: StoreTicket, path: QueryPath? = nil) {
        self.path = path ?? ["fake", id]
        self.ticket = ticket
        identity = QueryIdentity(FakeRequest(id: id))
    }

    func isIdentified(by identity: QueryIdentity) -> Bool { self.identity == identity }
}

/// Only four different hashes, so that the registry has to compare.
struct FakeRequest: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) { hasher.combine(id % 4) }
}

extension StoreRegistry where Store == FakeStore {
    /// Retires a store of which nothing newer was heard, if it is idle as far as the registry knows.
    mutating func retire(_ ticket: StoreTicket) -> FakeStore? {
        guard surplus(storeLimit: 0, byteLimit: 0).contains(where: { $0.ticket == ticket }) else { return nil }
        // The first moment that is not too old is the last one that was heard of.
        for moment in UInt32(0)...10_000 {
            if let store = retire(ticket, asOf: moment) { return store }
        }
        return nil
    }

    /// Hears of an activity as a client does: a store that comes back is taken back first.
    mutating func hear(
        _ activity: StoreActivity,
        _ store: FakeStore,
        now: QueryInstant,
        defaultRetention: Duration
    ) -> QueryInstant? {
        switch apply(activity, store.ticket, now: now, defaultRetention: defaultRetention) {
        case .nothing: return nil
        case .schedule(let instant): return instant
        case .revive(let revived):
            revive(revived, path: revived.path)
            return hear(activity, store, now: now, defaultRetention: defaultRetention)
        }
    }
}

extension StoreActivity {
    static func idle(_ sequence: UInt32, isEmpty: Bool = false, retention: Duration? = nil, bytes: Int = 0) -> StoreActivity {
        StoreActivity(
            sequence: sequence,
            isRunning: false,
            isObserved: false,
            isEmpty: isEmpty,
            retention: retention,
            byteCount: bytes
        )
    }

    static func running(_ sequence: UInt32, isObserved: Bool = false, bytes: Int = 0) -> StoreActivity {
        StoreActivity(sequence: sequence, isRunning: true, isObserved: isObserved, isEmpty: true, retention: nil, byteCount: bytes)
    }

    static func observed(_ sequence: UInt32, bytes: Int = 0) -> StoreActivity {
        StoreActivity(sequence: sequence, isRunning: false, isObserved: true, isEmpty: false, retention: nil, byteCount: bytes)
    }
}

extension StoreRegistry where Store == FakeStore {
    /// Applies an activity, and takes the store back first where that is wanted, as the client does; answers with the deadline.
    mutating func hear(
        _ activity: StoreActivity,
        _ ticket: StoreTicket,
        now: QueryInstant = .zero,
        defaultRetention: Duration = .seconds(60)
    ) -> QueryInstant? {
        switch apply(activity, ticket, now: now, defaultRetention: defaultRetention) {
        case .nothing:
            return nil
        case .schedule(let deadline):
            return deadline
        case .revive(let store):
            revive(store, path: store.path)
            // Twice would mean that the store was not taken back.
            guard case .schedule(let deadline) = apply(activity, ticket, now: now, defaultRetention: defaultRetention) else { return nil }
            return deadline
        }
    }
}
