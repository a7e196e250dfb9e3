import Dispatch

/// Runs the jobs of an actor on a dispatch queue of its own, so that descriptions of large values don't block the threads that all tasks
/// share.
final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "QueryKitInspector.recording", qos: .utility)

    func enqueue(_ job: UnownedJob) {
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
