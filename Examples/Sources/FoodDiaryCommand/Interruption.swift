import Dispatch
import Foundation

/// Ctrl-C, Ctrl-\\, `kill` and a terminal that is gone end a command in order: its task is cancelled, and what it began is undone. A second Ctrl-C ends it at once.
enum Interruption {
    // Invariant: nothing is done with the sources but to cancel them, which Dispatch allows on any thread.
    private struct Sources: @unchecked Sendable {
        let all: [any DispatchSourceProtocol]
    }

    /// Carries work out; answers with the code with which the process ends, 128 and the number of the signal if there was one.
    static func cancelling(_ work: @escaping @Sendable () async throws -> Int32) async throws -> Int32 {
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
        // What was interrupted may fail in its own words.
        guard let received, case .failure = result else { return try result.get() }
        return 128 + received
    }
}
