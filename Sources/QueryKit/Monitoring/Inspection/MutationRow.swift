package import Foundation

/// A call of a mutation.
package struct MutationRow: Hashable, Sendable {
    /// The status of a call.
    package enum Status: String, Sendable {
        /// It waits for its turn: for earlier calls of its scope, or for the journal.
        case queued
        case running
        /// It waits for the network.
        case paused
        case succeeded, failed, cancelled
    }

    package let id: UUID
    /// The number of the call among all mutation calls of the client; `nil` once it has ended.
    package let call: Int?
    /// The store of the mutation.
    package let store: Int
    package let path: String
    package let status: Status
    package let scope: String?
    /// How many attempts there have been, including the current one.
    package let attempts: Int
    package let submittedAt: Date
    /// When the first attempt began; `nil` if none has.
    package let startedAt: Date?
    /// When the call ended; `nil` if it is pending.
    package let endedAt: Date?
    /// The arguments, if they were requested.
    package let arguments: String?
    /// Whether the call is written to a journal.
    package let isDurable: Bool
    /// The paths of the stores that show layers of the call.
    package let layers: [String]
    /// The code or the type of the error, if the call has failed.
    package let error: String?

    package var isPending: Bool { status == .queued || status == .running || status == .paused }
}

/// A call in the mutation journal.
package struct JournalRow: Hashable, Sendable {
    /// The id of the call, which is also its idempotency key.
    package let id: UUID
    /// The name of the mutation in the journal.
    package let name: String
    package let version: Int
    package let date: Date
    package let session: String?
    package let scope: String?
    /// Whether the call is pending in this client. Otherwise it waits for ``QueryClient/resumeMutations(_:)``, or for another process.
    package let isPending: Bool
}
