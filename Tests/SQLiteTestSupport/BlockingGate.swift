import Dispatch

/// A point in a closure of the database that blocks its thread until the test opens it.
package final class BlockingGate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    package init() {}

    /// Blocks until the gate is opened.
    package func pass() {
        reached.signal()
        opened.wait()
    }

    /// Waits without blocking until a closure has reached the gate.
    package func arrival() async {
        await withCheckedContinuation { caller in
            DispatchQueue.global().async { [reached] in
                reached.wait()
                caller.resume()
            }
        }
    }

    package func open() { opened.signal() }
}
