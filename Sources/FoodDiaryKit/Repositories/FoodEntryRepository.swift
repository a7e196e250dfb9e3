public import Foundation

/// Where entries are kept.
///
/// Lists show the newest first, in the order of ``FoodEntry/Position``. Each read has a bound: a diary grows for years.
public protocol FoodEntryRepository: Sendable {
    /// The entries of a day, newest first.
    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry]

    /// The entries of some days, newest first, of which only those that stand below `position`: for pages.
    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry]

    /// The newest entries of all.
    func recentEntries(limit: Int) async throws -> [FoodEntry]

    /// An entry; `nil` if there is none.
    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry?

    /// Logs what was eaten, with the totals of its days and the usage of its ingredients: all or nothing.
    ///
    /// With a key, the same call made twice logs once, and answers with what it logged the first time.
    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry]

    /// Changes an entry as far as the draft differs from how it was `seen`; throws a ``FoodDiaryError`` if it is not there any more.
    ///
    /// What somebody else has changed meanwhile stays, unless the draft changes the same: then the last wins. An amount and what is in it are one, and
    /// with another food they become that food's.
    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry

    /// Takes entries out, and answers with those that were there.
    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry]

    /// Logs batch after batch; all or nothing. Answers with how many were logged.
    ///
    /// - Parameters:
    ///   - leavingOutKnown: Whether those are left out that the diary had before, with the same in all but the ingredient; two copies are two. What it had is
    ///     asked in the transaction that writes, so of two who import the same at once the second adds nothing.
    ///   - next: Answers with the next batch, or `nil` after the last one. It is called on a thread that may wait, and what it throws undoes everything.
    ///     Cancelling the task does too.
    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int
}

extension FoodEntryRepository {
    /// Logs batch after batch until `next` answers `nil`, also what the diary has already.
    public func importEntries(_ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await importEntries(leavingOutKnown: false, next)
    }

    /// Logs what was eaten.
    public func add(_ draft: FoodEntry.Draft, key: UUID? = nil) async throws -> FoodEntry {
        guard let entry = try await add([draft], key: key).first else {
            throw FoodDiaryError(.notFound, "\(draft.name) was logged, and deleted since.")
        }
        return entry
    }
}
