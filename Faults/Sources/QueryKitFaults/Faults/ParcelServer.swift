import Foundation
import QueryKit

/// The argument of a call in the fault `relaunch`.
struct Parcel: Codable, Hashable, Sendable {
    /// Identifies the parcel within one journal: the number of the process that made the call, and the number of the call in that process.
    struct Name: Hashable, CustomStringConvertible {
        let process: Int
        let number: Int

        var description: String { "\(process).\(number)" }
    }

    let process: Int
    let number: Int
    /// The duration of the call before and after its effect, in microseconds.
    let before: Int
    let after: Int

    var name: Name { Name(process: process, number: number) }
}

/// Sends a parcel, in the order of its scope.
struct SendParcel: DurableMutationRequest {
    static let scopes = [nil, "a", "b"]

    let scope: String?

    func mutate(with parcel: Parcel, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        guard let server = context[ParcelServer.ContextKey.self], let key = context.mutationID else {
            throw QueryError(.invalidParameters, "A parcel needs a server and a key.")
        }
        try await Task.sleep(for: .microseconds(parcel.before))
        try await server.receive(parcel, in: scope, key: key)
        try await Task.sleep(for: .microseconds(parcel.after))
    }
}

/// The server of the calls: a file that exists longer than the processes. It records the key of each call and ignores repetitions.
actor ParcelServer {
    enum ContextKey: QueryContext.Key {
        static let defaultValue: ParcelServer? = nil
    }

    /// A call received by the server: one line of the file.
    struct Receipt {
        enum Kind: String {
            case effect
            /// A repetition after the process that made the call before has ended.
            case again
            /// A repetition while the process that made the call before still runs.
            case twice
        }

        let kind: Kind
        let key: String
        /// The process that made the call this time, by its system process number and by its number in the journal's parcels.
        let caller: (system: Int32, journal: Int)
        let parcel: Parcel.Name
        let scope: String?

        var line: String {
            "\(kind.rawValue) \(key) \(caller.system) \(caller.journal) \(parcel.process) \(parcel.number) \(scope ?? "-")\n"
        }

        init(_ kind: Kind, _ key: String, by caller: (system: Int32, journal: Int), _ parcel: Parcel.Name, in scope: String?) {
            (self.kind, self.key, self.caller, self.parcel, self.scope) = (kind, key, caller, parcel, scope)
        }

        init?(_ line: Substring) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 7, let kind = Kind(rawValue: words[0]), let system = Int32(words[2]), let journal = Int(words[3]) else {
                return nil
            }
            guard let process = Int(words[4]), let number = Int(words[5]) else { return nil }
            let parcel = Parcel.Name(process: process, number: number)
            self.init(kind, words[1], by: (system, journal), parcel, in: words[6] == "-" ? nil : words[6])
        }
    }

    private let file: FileHandle
    private let caller: (system: Int32, journal: Int)
    /// The process that last made a call, by the key of the call.
    private var callers: [String: Int32] = [:]

    /// - Parameter process: The number of the process that calls the server.
    init(_ url: URL, for process: Int) throws {
        caller = (getpid(), process)
        let descriptor = open(url.path(percentEncoded: false), O_RDWR | O_CREAT | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Receives one call at a time, also from several processes. A process that is killed has written a complete line or nothing.
    func receive(_ parcel: Parcel, in scope: String?, key: UUID) throws {
        guard flock(file.fileDescriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
        defer { flock(file.fileDescriptor, LOCK_UN) }
        // Receipts that other processes have written since.
        for receipt in Self.receipts(in: try file.readToEnd() ?? Data()) { callers[receipt.key] = receipt.caller.system }
        let key = key.uuidString
        let kind: Receipt.Kind =
            switch callers[key] {
            case nil: .effect
            case let former?: kill(former, 0) == -1 && errno == ESRCH ? .again : .twice
            }
        try file.write(contentsOf: Data(Receipt(kind, key, by: caller, parcel.name, in: scope).line.utf8))
        callers[key] = caller.system
    }

    static func receipts(in data: Data) -> [Receipt] {
        String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { Receipt($0) }
    }
}
