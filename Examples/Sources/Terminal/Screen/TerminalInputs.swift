import Dispatch
import Foundation

/// What comes from a terminal and from the system while a screen is shown, in order: what somebody typed, and signals.
final class TerminalInputs: Sendable {
    enum Input: Sendable {
        case bytes([UInt8])
        /// The terminal is gone.
        case closed
        case signal(Int32)
    }

    let stream: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation
    private let cancelSources: @Sendable () -> Void

    // Invariant: nothing is done with the sources but to cancel them, which Dispatch allows on any thread.
    private struct Active: @unchecked Sendable {
        let sources: [any DispatchSourceProtocol]
    }

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Input.self)
        self.stream = stream
        self.continuation = continuation
        let queue = DispatchQueue(label: "terminal inputs")

        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        keys.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 {
                continuation.yield(.bytes(Array(bytes[..<count])))
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                keys.cancel()
                continuation.yield(.closed)
            }
        }
        keys.activate()

        let signals = Self.signals.map { number -> any DispatchSourceProtocol in
            // Dispatch only listens beside what is done otherwise, which would be the end of the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(.signal(number)) }
            source.activate()
            return source
        }
        let active = Active(sources: [keys] + signals)
        cancelSources = {
            for source in active.sources { source.cancel() }
            for number in Self.signals { signal(number, SIG_DFL) }
        }
    }

    /// Signals do again what they do otherwise, and the stream ends.
    func stop() {
        cancelSources()
        continuation.finish()
    }
}
