import Dispatch
import Foundation

/// Ends a command in an orderly way on Ctrl-C, Ctrl-\\, `kill` or a closed terminal: cancels its task, which undoes unfinished work. A
/// second Ctrl-C ends it at once.
package enum Interruption {
    // Invariant: the sources are only ever cancelled, which Dispatch allows on any thread.
    private struct Sources: @unchecked Sendable {
        let all: [any DispatchSourceProtocol]
    }

    /// Runs work and returns the exit code of the process: after a signal, 128 plus its number.
    package static func cancelling(_ work: @escaping @Sendable () async throws -> Int32) async throws -> Int32 {
        let task = Task { try await work() }
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        let sources = Sources(
            all: [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number -> any DispatchSourceProtocol in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler {
                    if number != SIGHUP { signal(number, SIG_DFL) }
                    continuation.yield(number)
                    task.cancel()
                }
                source.activate()
                return source
            }
        )
        let result = await task.result
        for source in sources.all { source.cancel() }
        continuation.finish()
        var received: Int32?
        for await number in signals { received = received ?? number }
        // Interrupted work may throw an error of its own.
        guard let received, case .failure = result else { return try result.get() }
        return 128 + received
    }
}
