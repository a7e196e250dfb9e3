import Dispatch
import QueryKit

/// A connection and the queue on which it is used: a thread of the system's while there is work, and never one of the cooperative pool.
// Invariant: `connection` is touched only by the one job that `LaneSchedule` gives the lane at a time, on `queue`.
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

    /// The connection, opened when it is first needed.
    func connected() throws -> Connection {
        if let connection, !connection.isBroken { return connection }
        connection = nil
        let opened = try open()
        connection = opened
        return opened
    }

    /// The connection, if it is open.
    var openConnection: Connection? { connection.flatMap { $0.isBroken ? nil : $0 } }

    /// Does something with the connection, if there is one.
    func withConnection(_ work: (Connection) -> Void) {
        if let connection { work(connection) }
    }

    /// Closes the connection.
    ///
    /// - Parameter keepsLog: Whether the log stays as it is, because the file is damaged.
    func disconnect(keepsLog: Bool = false) {
        if keepsLog { try? connection?.keepLog() }
        connection = nil
    }
}
