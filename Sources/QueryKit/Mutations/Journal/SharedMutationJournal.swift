public import Foundation

/// A journal that several clients share, in one process or in several, such as an app and its widget.
///
/// A client makes only calls that it has leased, and none while another client holds an earlier call of the same scope. So each call is
/// made by one client, and the order within a scope is kept across clients. When a process ends or is suspended, its leases end, and
/// another client makes its calls. A call may still be made twice if its process is suspended during the call. A server can recognize the
/// repeated call by its id.
///
/// Each method is one transaction: no other client changes the journal in between.
public protocol SharedMutationJournal: MutationJournal {
    /// Appends a call that a client holds. Once the method has returned, the call must not be lost.
    func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws

    /// Leases all calls of a session to a client, except those that another client holds.
    func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim

    /// Returns whether a call may be made, and leases it to the client unless another client holds it.
    func turn(of id: MutationJournalEntry.ID, for lease: MutationLease, at date: Date) async throws -> MutationTurn

    /// Extends the leases of some calls, if the client still holds them.
    func extend(_ ids: [MutationJournalEntry.ID], to lease: MutationLease) async throws

    /// Ends the leases of some calls, if the client still holds them.
    func release(_ ids: [MutationJournalEntry.ID], by holder: UUID) async throws
}
