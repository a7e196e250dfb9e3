import Foundation

/// A client as other clients of a journal know it.
final class LeaseHolder: Sendable {
    let id = UUID()
    /// Makes calls again that no client holds; `nil` if the app has not said how.
    let resume = Lock<(@Sendable () async -> Void)?>(nil)
    private let unknown = Lock<Set<String>>([])
    /// The end of the latest resumption.
    private let latest = Lock<Promise<Void>?>(nil)

    init() { LivingHolders.insert(id) }

    deinit { LivingHolders.remove(id) }

    /// The client holds no leases from now on.
    func close() {
        LivingHolders.remove(id)
        setResume(nil)
    }

    // The former closure is released without the lock.
    func setResume(_ new: (@Sendable () async -> Void)?) { _ = resume.exchange(new) }

    func lease(at date: Date) -> MutationLease {
        MutationLease(holder: id, process: ProcessIdentity.current.text, until: date.addingTimeInterval(JournalLeases.span / .seconds(1)))
    }

    func isFirst(ofUnknown name: String) -> Bool { unknown.withLock { $0.insert(name).inserted } }

    /// Resumptions take place one after the other, so that calls are resumed in the order of the journal.
    func oneAfterTheOther<Result>(_ work: () async throws -> Result) async throws -> Result {
        let own = Promise<Void>()
        let former = latest.exchange(own)
        do { try await former?.get() } catch {
            // Has no owner: it ends with the former resumption.
            Task.detached {
                try? await former?.get()
                own.resolve(.success(()))
            }
            throw error
        }
        defer { own.resolve(.success(())) }
        return try await work()
    }
}
