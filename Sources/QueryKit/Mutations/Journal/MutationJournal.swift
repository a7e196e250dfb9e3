public import Foundation

/// Stores the calls of mutations until they have ended, so that they persist if the process ends first.
///
/// QueryKit has ``MemoryMutationJournal``, which outlives a client but not the process; the adapter for SQLite has a journal in a file.
/// Several clients can share either of them. To implement a journal that can be shared, see ``SharedMutationJournal``.
public protocol MutationJournal: Sendable {
    /// Stores a call behind all earlier ones. Once the method has returned, the call must not be lost.
    func append(_ entry: MutationJournalEntry) async throws

    /// Removes a call that has ended. An unknown id is not an error.
    func remove(_ id: UUID) async throws

    /// All stored calls that are not set aside, in order.
    func entries() async throws -> [MutationJournalEntry]

    /// Sets aside a call that this version of the app can't make. The call must not be lost.
    func setAside(_ id: UUID, because reason: String) async throws

    /// Removes all calls that are not set aside. A call that is running continues. If the journal is a ``SharedMutationJournal``, a call
    /// that still waits for its turn is not made.
    ///
    /// Default: removes the calls one after the other.
    func clear() async throws
}

extension MutationJournal {
    public func clear() async throws {
        for entry in try await entries() { try await remove(entry.id) }
    }
}

/// The journal entry of a call.
public struct MutationJournalEntry: Codable, Hashable, Identifiable, Sendable {
    /// The id of the call, by which a server recognizes a repeated call: a call may be made twice if the process ends during the call.
    public let id: UUID

    /// The name of the mutation; see ``DurableMutationRequest/journalName``.
    public let name: String

    /// The version of the encoding; see ``DurableMutationRequest/journalVersion``.
    public let version: Int

    /// The session in which the call was made; see ``QueryClient/reset(session:)``.
    public let session: String?

    /// The scope in which calls are made in order; see ``MutationRequest/scope``.
    public let scope: String?

    /// When the call was made.
    public let date: Date

    /// The request, as JSON.
    public let request: Data

    /// The arguments of the call, as JSON.
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

    /// The same call in another scope.
    func inScope(_ scope: String?) -> MutationJournalEntry {
        MutationJournalEntry(
            id: id,
            name: name,
            version: version,
            session: session,
            scope: scope,
            date: date,
            request: request,
            arguments: arguments
        )
    }
}

/// A mutation whose calls persist after the process ends.
///
/// Calls are written to the context's ``QueryContext/mutationJournal`` before their first attempt. In the next launch,
/// ``QueryClient/resumeMutations(of:)`` repeats the calls that had not ended. Each call is made at least once, and the calls of one scope
/// are made in order.
public protocol DurableMutationRequest<Arguments, Value>: MutationRequest, Codable where Arguments: Codable {
    /// The name of the mutation in the journal. Default: its ``QueryRequest/storedName``, which is the whole name of the type, such as
    /// `App.Trips.Add`.
    ///
    /// Before you rename or move the type, declare its former name, so that its calls are still made. The whole name of a private or local
    /// type differs in each launch. If there is a journal and such a type declares no name, its calls are refused with a ``QueryError``
    /// with the code `invalidParameters`, and so are those of a second type with the same name.
    static var journalName: String { get }

    /// The version of the encoding. Increase it when older entries can't be decoded any more. Default: 1.
    static var journalVersion: Int { get }
}

extension DurableMutationRequest {
    public static var journalName: String { storedName }

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

    /// The journal for calls of durable mutations. Default: `nil`; without a journal, the calls end with the process.
    public var mutationJournal: (any MutationJournal)? {
        get { self[JournalKey.self] }
        set { self[JournalKey.self] = newValue }
    }
}
