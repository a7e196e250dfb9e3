/// A stream of server-sent events to one browser.
///
/// Sending never waits. Bytes that the browser doesn't read are kept up to a limit; then the stream is closed.
final class EventStream: Sendable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var isClosed: Bool { connection.isClosed }

    /// The number of bytes that the browser has not taken yet, without those that the system buffers.
    var pendingBytes: Int { connection.unsentCount }

    /// Sends an event. Returns `false` if the stream is closed, or must be closed because the browser doesn't read.
    @discardableResult
    func send(event: String, data: some Collection<UInt8>, id: Int? = nil) -> Bool {
        connection.send(Self.frame(event: event, data: data, id: id))
    }

    /// Sends a comment, which browsers ignore.
    func sendComment() { _ = connection.send(Array(":\n\n".utf8)) }

    /// Calls a closure when the stream is closed; at once if it is already closed.
    func onClose(_ action: @escaping @Sendable () -> Void) { connection.onClose(action) }

    /// Closes the stream after the browser has taken all that was sent.
    func finish() { connection.finishLater() }

    /// An event as it is sent. Each line of the data is a line of the event.
    static func frame(event: String, data: some Collection<UInt8>, id: Int?) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(data.count + 64)
        if let id { frame += "id: \(id)\n".utf8 }
        frame += "event: \(event)\n".utf8
        for line in data.split(separator: 0x0a, omittingEmptySubsequences: false) {
            frame += "data: ".utf8
            frame += line
            frame.append(0x0a)
        }
        frame.append(0x0a)
        return frame
    }
}
