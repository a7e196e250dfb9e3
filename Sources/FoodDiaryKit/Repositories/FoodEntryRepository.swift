public import Foundation

/// Stores entries.
///
/// Lists are newest first, in the order of ``FoodEntry/Position``. Each read has a limit, because a diary grows for years.
public protocol FoodEntryRepository: Sendable {
    /// The entries of a day, newest first.
    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry]

    /// The entries of a range of days that come after `position` in a list that is newest first. Use this for pages.
    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry]

    /// The newest entries of the whole diary.
    func recentEntries(limit: Int) async throws -> [FoodEntry]

    /// An entry; `nil` if there is none.
    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry?

    /// Logs entries, and updates the totals of their days and the usage of their ingredients: all or nothing.
    ///
    /// A call with a key takes effect once: if you repeat it, it returns the entries that were logged the first time.
    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry]

    /// Changes an entry where the draft differs from the entry as it was `seen`; throws a ``FoodDiaryError`` if the entry no longer exists.
    ///
    /// Changes by others in between are kept, unless the draft changes the same part; then the last change wins. An amount and its
    /// nutrients are one part, and after a change of food they are those of the new food.
    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry

    /// Deletes entries, and returns those that existed.
    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry]

    /// Logs batch after batch: all or nothing. Returns the number of entries logged.
    ///
    /// - Parameters:
    ///   - leavingOutKnown: Whether to leave out entries that the diary had before, equal in everything except the ingredient. Two equal
    ///     drafts count as two entries. The comparison takes place in the transaction that writes, so if two imports of the same entries
    ///     run at once, the second adds nothing.
    ///   - next: Returns the next batch, or `nil` after the last one. Called on a thread that may block. If it throws, everything is
    ///     undone. Cancelling the task undoes everything, too.
    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int
}

extension FoodEntryRepository {
    /// Logs batch after batch until `next` returns `nil`, including entries that the diary has already.
    public func importEntries(_ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await importEntries(leavingOutKnown: false, next)
    }

    /// Logs an entry.
    public func add(_ draft: FoodEntry.Draft, key: UUID? = nil) async throws -> FoodEntry {
        guard let entry = try await add([draft], key: key).first else {
            throw FoodDiaryError(.notFound, "\(draft.name) was logged, but has been deleted since.")
        }
        return entry
    }
}
