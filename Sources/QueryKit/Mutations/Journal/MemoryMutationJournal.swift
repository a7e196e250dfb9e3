public import Foundation

/// A journal in memory, for tests and for apps that need no persistence. Several clients can share it.
public final class MemoryMutationJournal: SharedMutationJournal {
    private struct Call {
        let entry: MutationJournalEntry
        var lease: MutationLease?
    }

    private struct State {
        var calls: [Call] = []
        var aside: [(entry: MutationJournalEntry, reason: String)] = []
    }

    private let state = Lock(State())

    /// Creates an empty journal.
    public init() {}

    public func append(_ entry: MutationJournalEntry) async throws {
        state.withLock { $0.calls.append(Call(entry: entry)) }
    }

    public func remove(_ id: UUID) async throws {
        state.withLock { $0.calls.removeAll { $0.entry.id == id } }
    }

    public func clear() async throws { state.withLock { $0.calls = [] } }

    public func entries() async throws -> [MutationJournalEntry] { state.withLock { $0.calls.map(\.entry) } }

    public func setAside(_ id: UUID, because reason: String) async throws {
        state.withLock { state in
            guard let index = state.calls.firstIndex(where: { $0.entry.id == id }) else { return }
            state.aside.append((state.calls.remove(at: index).entry, reason))
        }
    }

    /// The calls that were set aside, with the reasons.
    public var setAside: [(entry: MutationJournalEntry, reason: String)] { state.withLock { $0.aside } }

    // MARK: Leases

    public func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws {
        state.withLock { $0.calls.append(Call(entry: entry, lease: lease)) }
    }

    public func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim {
        state.withLock { state in
            let claim = MutationClaim(
                of: state.calls.filter { $0.entry.session == session }.map { ($0.entry, $0.lease) },
                for: lease,
                at: date
            )
            let ids = Set(claim.entries.map(\.id))
            for index in state.calls.indices where ids.contains(state.calls[index].entry.id) { state.calls[index].lease = lease }
            return claim
        }
    }

    public func turn(of id: UUID, for lease: MutationLease, at date: Date) async throws -> MutationTurn {
        state.withLock { state in
            guard let index = state.calls.firstIndex(where: { $0.entry.id == id }) else { return .lost }
            let own = state.calls[index]
            let earlier = state.calls[..<index].filter {
                own.entry.scope != nil && $0.entry.scope == own.entry.scope && $0.entry.session == own.entry.session
            }
            let turn = MutationTurn(own: (id, own.lease), earlier: earlier.map { ($0.entry.id, $0.lease) }, for: lease, at: date)
            if turn != .lost { state.calls[index].lease = lease }
            return turn
        }
    }

    public func extend(_ ids: [UUID], to lease: MutationLease) async throws { change(ids, heldBy: lease.holder, to: lease) }

    public func release(_ ids: [UUID], by holder: UUID) async throws { change(ids, heldBy: holder, to: nil) }

    private func change(_ ids: [UUID], heldBy holder: UUID, to lease: MutationLease?) {
        let ids = Set(ids)
        state.withLock { state in
            for (index, call) in state.calls.enumerated() where ids.contains(call.entry.id) && call.lease?.holder == holder {
                state.calls[index].lease = lease
            }
        }
    }
}
