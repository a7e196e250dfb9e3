public import Foundation

/// A client's right to make a call in a shared journal. While the lease lasts, no other client makes the call.
///
/// A client extends the leases of its calls while it runs. A lease ends when it is no longer extended, for example because the process is
/// suspended, and immediately when the process ends.
public struct MutationLease: Codable, Hashable, Sendable {
    /// Identifies the client.
    public let holder: UUID

    /// Identifies the client's process in a form that other processes of the machine understand.
    public let process: String

    /// When the lease ends unless it is extended.
    public let until: Date

    /// Creates a lease from the values that a journal has stored.
    public init(holder: UUID, process: String, until: Date) {
        self.holder = holder
        self.process = process
        self.until = until
    }

    /// Whether the lease has ended: because its time is over, or because its process or its client has ended.
    ///
    /// No client asks for a lease of more than ten minutes. If more time remains, the clock of the device was set back, and the lease
    /// counts as ended.
    public func isOver(at date: Date) -> Bool {
        if until <= date || until > date.addingTimeInterval(Self.longest) { return true }
        guard let process = ProcessIdentity(process) else { return false }
        return process == .current ? !LivingHolders.contains(holder) : process.hasEnded
    }

    /// Whether the lease excludes another client at that time.
    package func keepsOut(_ other: MutationLease, at date: Date) -> Bool { holder != other.holder && !isOver(at: date) }

    /// In seconds.
    private static let longest: TimeInterval = 600
}

/// The calls that a client has leased from a journal, and when to look for the remaining calls; see
/// ``SharedMutationJournal/claim(session:for:at:)``.
public struct MutationClaim: Hashable, Sendable {
    /// The calls that the client holds now, in order.
    public let entries: [MutationJournalEntry]

    /// When the first lease of another client ends; `nil` if no other client holds a call of the session.
    public let othersUntil: Date?

    /// Creates the result of a journal's `claim` method.
    public init(entries: [MutationJournalEntry], othersUntil: Date?) {
        self.entries = entries
        self.othersUntil = othersUntil
    }

    /// Decides which calls a client gets.
    ///
    /// - Parameter calls: All calls of the session in order, with their leases.
    package init(of calls: [(entry: MutationJournalEntry, lease: MutationLease?)], for lease: MutationLease, at date: Date) {
        let others = calls.compactMap { $0.lease }.filter { $0.keepsOut(lease, at: date) }
        self.init(
            entries: calls.filter { $0.lease?.keepsOut(lease, at: date) != true }.map(\.entry),
            othersUntil: others.map(\.until).min()
        )
    }
}

/// Whether a call of a shared journal may be made; see ``SharedMutationJournal/turn(of:for:at:)``.
public enum MutationTurn: Hashable, Sendable {
    /// The call may be made now.
    case now
    /// Calls of the same scope come first. Each of them is held by this client, or by no client.
    case after([MutationJournalEntry.ID])
    /// Another client holds an earlier call of the same scope. The listed calls precede that call. Each of them is held by this client, or
    /// by no client.
    case blocked(after: [MutationJournalEntry.ID])
    /// The call is no longer in the journal, or another client holds it.
    case lost

    /// Decides the turn of a call.
    ///
    /// - Parameters:
    ///   - own: The call; `nil` if it is not in the journal. Its lease may be `nil`.
    ///   - earlier: The earlier calls in its scope and session, in order. Empty if it has no scope.
    package init(
        own: (id: UUID, lease: MutationLease?)?,
        earlier: [(id: UUID, lease: MutationLease?)],
        for lease: MutationLease,
        at date: Date
    ) {
        func isOthers(_ held: MutationLease?) -> Bool { held?.keepsOut(lease, at: date) == true }
        guard let own, !isOthers(own.lease) else {
            self = .lost
            return
        }
        if let first = earlier.firstIndex(where: { isOthers($0.lease) }) {
            self = .blocked(after: earlier[..<first].map(\.id))
        } else {
            self = earlier.isEmpty ? .now : .after(earlier.map(\.id))
        }
    }
}
