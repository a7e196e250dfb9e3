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
        if let connection { return connection }
        let opened = try open()
        connection = opened
        return opened
    }

    func disconnect() { connection = nil }
}

/// Work for a lane, and somebody who waits for it.
///
/// Whoever is cancelled while the work stands in line leaves at once. Work that has begun goes on, unless it looks at `isCancelled`.
final class LaneJob<Value: Sendable>: Sendable {
    private enum Phase {
        case new
        case waiting(CheckedContinuation<Value, any Error>)
        case running(CheckedContinuation<Value, any Error>)
        case over
    }

    private let phase = Lock(Phase.new)
    private let work: @Sendable (Lane, SharedFlag) throws -> Value
    private let isCancelled = SharedFlag()

    init(_ work: @escaping @Sendable (Lane, SharedFlag) throws -> Value) { self.work = work }

    /// Takes who waits; false if they have left already.
    func wait(_ caller: CheckedContinuation<Value, any Error>) -> Bool {
        let isWaiting = phase.withLock { phase in
            guard !isCancelled.isRaised else { return false }
            phase = .waiting(caller)
            return true
        }
        if !isWaiting { caller.resume(throwing: CancellationError()) }
        return isWaiting
    }

    func cancel() {
        let caller = phase.withLock { phase -> CheckedContinuation<Value, any Error>? in
            isCancelled.raise()
            guard case .waiting(let caller) = phase else { return nil }
            phase = .over
            return caller
        }
        caller?.resume(throwing: CancellationError())
    }

    /// Does the work on the lane's thread.
    func run(on lane: Lane) {
        let caller = phase.withLock { phase -> CheckedContinuation<Value, any Error>? in
            guard case .waiting(let caller) = phase else { return nil }
            phase = .running(caller)
            return caller
        }
        guard let caller else { return }
        let result = Result { try work(lane, isCancelled) }
        phase.withLock { $0 = .over }
        caller.resume(with: result)
    }

    /// Gives up before it began.
    func fail(_ error: any Error) {
        let caller = phase.withLock { phase -> CheckedContinuation<Value, any Error>? in
            guard case .waiting(let caller) = phase else { return nil }
            phase = .over
            return caller
        }
        caller?.resume(throwing: error)
    }
}
