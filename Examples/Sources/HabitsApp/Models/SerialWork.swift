import Observation

/// Work that a view model has begun, in its order, and the error of the latest.
@MainActor @Observable
final class SerialWork {
    private(set) var problem: String?
    @ObservationIgnored private var last: Task<Void, Never>?

    /// Runs work after the work before it has ended. The task ends by itself, like the write that it makes.
    func run(_ action: @escaping @MainActor () async throws -> Void) {
        last = Task { [last] in
            await last?.value
            do {
                try await action()
                problem = nil
            } catch {
                problem = "\(error)"
            }
        }
    }

    func ended() async { await last?.value }
}
