import Dispatch
import Foundation

/// The input of a screen in order: keys from the terminal, and signals.
final class TerminalInputs: Sendable {
    enum Input: Sendable {
        case bytes([UInt8])
        /// The terminal was closed.
        case closed
        case signal(Int32)
    }

    let stream: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation
    private let cancelSources: @Sendable () -> Void

    // Invariant: the sources are only ever cancelled, which Dispatch allows on any thread.
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
            // Dispatch observes a signal in addition to its default action, which would end the process.
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

    /// Restores the default actions of the signals, and finishes the stream.
    func stop() {
        cancelSources()
        continuation.finish()
    }
}
