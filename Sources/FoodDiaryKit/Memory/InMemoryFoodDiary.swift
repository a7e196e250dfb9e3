import QueryKit

/// A diary in memory, which is all four repositories: for tests and previews of those who use them.
///
/// It keeps the same promises as a database, and tells what is read and changed in the same terms, so that requests follow it: see
/// `QueryClient.connect(to:)`. It is made for some hundred ingredients and some thousand entries.
///
/// ```swift
/// let diary = InMemoryFoodDiary()
/// let rice = try await diary.save(Ingredient.Draft(name: "Rice", nutrients: Nutrients(kilocalories: 130)))
/// ```
public final class InMemoryFoodDiary: Sendable {
    private let state = Lock(MemoryDiary())
    private let observer = Lock<(any DiaryObserver)?>(nil)

    /// Creates an empty diary.
    public init() {}

    /// Who hears from now on what is read and changed.
    func observe(with observer: any DiaryObserver) { self.observer.withLock { $0 = observer } }

    /// Says what is about to be read, and reads it.
    func read<Result: Sendable>(_ regions: [QueryRegion], _ body: (borrowing MemoryDiary) throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let observer = observer.withLock(\.self)
        observer?.willRead(regions)
        let (result, version) = try state.withLock { (try body($0), $0.version) }
        observer?.didRead(version, of: self)
        return result
    }

    /// Changes all or, if the closure throws, nothing, and then says what has changed.
    func write<Result: Sendable>(_ body: (inout MemoryDiary) throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let observer = observer.withLock(\.self)
        let (result, changed) = try state.withLock { state in
            var copy = state
            let result = try body(&copy)
            let changed = copy.takeChanged()
            if !changed.isEmpty { observer?.willChange(changed, to: copy.version, of: self) }
            state = copy
            return (result, changed)
        }
        if !changed.isEmpty { observer?.didChange(changed) }
        return result
    }
}

extension FoodDiaryRepositories {
    /// A diary in memory, as all four.
    public init(_ diary: InMemoryFoodDiary) {
        self.init(entries: diary, totals: diary, ingredients: diary, nutrition: diary)
    }
}

/// Hears what is read in a diary and what is changed.
protocol DiaryObserver: Sendable {
    func willRead(_ regions: [QueryRegion])
    /// The last change that the read has seen.
    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary)
    /// A change begins. Called with the diary locked.
    func willChange(_ regions: Set<QueryRegion>, to version: UInt64, of diary: InMemoryFoodDiary)
    func didChange(_ regions: Set<QueryRegion>)
}

/// An observer that only wants to know what is read and changed needs no versions.
extension DiaryObserver {
    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary) {}

    func willChange(_ regions: Set<QueryRegion>, to version: UInt64, of diary: InMemoryFoodDiary) {}
}
