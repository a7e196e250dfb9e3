import Dispatch

/// Calls a closure each time a socket can be read or written, until it is cancelled.
// Invariant: after its activation the source is only cancelled, which Dispatch allows on any thread.
struct SocketWatch: @unchecked Sendable {
    private let source: any DispatchSourceProtocol

    static func readable(_ socket: Socket, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> SocketWatch {
        SocketWatch(DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue), socket, action)
    }

    static func writable(_ socket: Socket, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> SocketWatch {
        SocketWatch(DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue), socket, action)
    }

    private init(_ source: any DispatchSourceProtocol, _ socket: Socket, _ action: @escaping @Sendable () -> Void) {
        self.source = source
        socket.retain()
        source.setEventHandler(handler: action)
        source.setCancelHandler { socket.release() }
        source.activate()
    }

    func cancel() { source.cancel() }
}
