public import Foundation

/// Where calls of mutations are written down until they are over, so that they survive the end of the process (R24).
///
/// QueryKit has ``MemoryMutationJournal``, which survives only a client; the adapter for SQLite has a journal in a file. Both can be shared by
/// several clients. To write one of your own that can be shared, see ``SharedMutationJournal``.
public protocol MutationJournal: Sendable {
    /// Writes a call down, after those before it. When it returns, the call will not be lost.
    func append(_ entry: MutationJournalEntry) async throws

    /// Removes a call that is over. An unknown id is no error.
    func remove(_ id: UUID) async throws

    /// All calls that are written down and not set aside, in their order.
    func entries() async throws -> [MutationJournalEntry]

    /// Keeps a call that this version of the app can't make out of the way, without losing it.
    func setAside(_ id: UUID, because reason: String) async throws

    /// Removes all calls that are not set aside. A call under way goes on; one that still waits for its turn is not made if the journal is a
    /// ``SharedMutationJournal``.
    ///
    /// Default: removes one after the other.
    func clear() async throws
}

extension MutationJournal {
    public func clear() async throws {
        for entry in try await entries() { try await remove(entry.id) }
    }
}

/// A call as it is written down.
public struct MutationJournalEntry: Codable, Hashable, Identifiable, Sendable {
    /// The id of the call, for a server to tell a repetition: a call may be made twice if the process ends before it is known to be over.
    public let id: UUID

    /// What the mutation is called; see ``DurableMutationRequest/journalName``.
    public let name: String

    /// The version of what is encoded; see ``DurableMutationRequest/journalVersion``.
    public let version: Int

    /// The session in which the call was made; see ``QueryClient/reset(session:)``.
    public let session: String?

    /// The scope in which calls are made in their order; see ``MutationRequest/scope``.
    public let scope: String?

    /// When the call was made.
    public let date: Date

    /// The request, as JSON.
    public let request: Data

    /// What the request was called with, as JSON.
    public let arguments: Data

    /// Creates an entry.
    public init(
        id: UUID,
        name: String,
        version: Int,
        session: String? = nil,
        scope: String? = nil,
        date: Date,
        request: Data,
        arguments: Data
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.session = session
        self.scope = scope
        self.date = date
        self.request = request
        self.arguments = arguments
    }
}

/// A mutation whose calls survive the end of the process.
///
/// They are written into the context's ``QueryContext/mutationJournal`` before the first attempt, and ``QueryClient/resumeMutations(of:)``
/// makes those again that were not over. Each is made at least once; those of one scope in their order.
public protocol DurableMutationRequest<Arguments, Value>: MutationRequest, Codable where Arguments: Codable {
    /// What the mutation is called in the journal. Default: the name of the type. Give it one of its own before you rename the type.
    static var journalName: String { get }

    /// Raise it when older entries can't be decoded any more. Default: 1.
    static var journalVersion: Int { get }
}

extension DurableMutationRequest {
    public static var journalName: String { String(describing: Self.self) }

    public static var journalVersion: Int { 1 }

    /// The entry of one call.
    func journalEntry(_ id: UUID, _ arguments: Arguments, session: String?, date: Date) throws -> MutationJournalEntry {
        let encoder = JSONEncoder()
        return MutationJournalEntry(
            id: id,
            name: Self.journalName,
            version: Self.journalVersion,
            session: session,
            scope: scope,
            date: date,
            request: try encoder.encode(self),
            arguments: try encoder.encode(arguments)
        )
    }
}

extension QueryContext {
    private enum JournalKey: Key {
        static var defaultValue: (any MutationJournal)? { nil }
    }

    /// Where the calls of durable mutations are written down. Default: `nil`, and they end with the process.
    public var mutationJournal: (any MutationJournal)? {
        get { self[JournalKey.self] }
        set { self[JournalKey.self] = newValue }
    }
}
