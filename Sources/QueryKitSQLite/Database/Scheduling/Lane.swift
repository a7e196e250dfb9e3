import Dispatch
import QueryKit

/// A connection and its serial queue. Jobs on the queue run on a system thread, never on the cooperative pool. Quick work uses the
/// connection on its caller's thread; see ``Lanes/performOnCallersThread(_:_:_:_:)`` and ``SharedSnapshot``.
// Invariant: only the job to which `LaneSchedule` has assigned the lane uses `connection`, on `queue` or on callers' threads, one thread at
// a time.
final class Lane: @unchecked Sendable {
    let number: Int
    let queue: DispatchQueue
    private let open: @Sendable () throws -> Connection
    private var connection: Connection?

    init(_ number: Int, label: String, open: @escaping @Sendable () throws -> Connection) {
        self.number = number
        self.open = open
        queue = DispatchQueue(label: label)
    }

    /// The connection, opened on first use.
    func connected() throws -> Connection {
        if let connection, !connection.isBroken { return connection }
        connection = nil
        let opened = try open()
        connection = opened
        return opened
    }

    /// The connection, if it is open.
    var openConnection: Connection? { connection.flatMap { $0.isBroken ? nil : $0 } }

    /// Calls a closure with the connection, if there is one.
    func withConnection(_ work: (Connection) -> Void) {
        if let connection { work(connection) }
    }

    /// Closes the connection.
    ///
    /// - Parameter keepsLog: Whether the log is left unchanged, because the file is damaged.
    func disconnect(keepsLog: Bool = false) {
        if keepsLog { try? connection?.setWritesLogBack(false) } else { connection?.endLog() }
        connection?.leaveMovedFile()
        connection = nil
    }
}
