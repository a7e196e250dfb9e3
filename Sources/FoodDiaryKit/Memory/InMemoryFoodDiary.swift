import QueryKit

/// A diary in memory that implements all four repositories, for tests and previews.
///
/// It behaves like a database and reports the same reads and changes, so that requests follow it: see `QueryClient.connect(to:)`. It is
/// designed for a few hundred ingredients and a few thousand entries.
///
/// ```swift
/// let diary = InMemoryFoodDiary()
/// let rice = try await diary.save(
///     Ingredient.Draft(
///         name: "Rice",
///         nutrients: Nutrients(kilocalories: 130)
///     )
/// )
/// ```
public final class InMemoryFoodDiary: Sendable {
    private struct State {
        var diary = MemoryDiary()
        /// The latest changes, each with the version that it produced.
        var history: [(version: UInt64, regions: Set<QueryRegion>)] = []
    }

    private static let historyLimit = 128

    private let state = Lock(State())
    private let observer = Lock<(any DiaryObserver)?>(nil)

    /// Creates an empty diary.
    public init() {}

    /// Sets the observer that is notified of reads and changes from now on.
    func observe(with observer: any DiaryObserver) { self.observer.withLock { $0 = observer } }

    /// Reports what is about to be read, and reads it.
    func read<Result: Sendable>(_ regions: [QueryRegion], _ body: (borrowing MemoryDiary) throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let observer = observer.withLock(\.self)
        observer?.willRead(regions)
        if let snapshot = await observer?.snapshot(of: self) {
            let diary = snapshot.diary(of: self)
            let result = try body(diary)
            observer?.didRead(diary.version, of: self)
            let missed = changed(regions, since: diary.version)
            if !missed.isEmpty { observer?.outdate(missed) }
            return result
        }
        let (result, version) = try state.withLock { (try body($0.diary), $0.diary.version) }
        observer?.didRead(version, of: self)
        return result
    }

    /// A copy of the current diary.
    ///
    /// - Parameter note: Called with the diary locked.
    fileprivate func copy(_ note: () -> Void) -> MemoryDiary {
        state.withLock { state in
            note()
            return state.diary
        }
    }

    /// The regions that were changed after a version; all regions if the history doesn't reach that far back.
    private func changed(_ regions: [QueryRegion], since version: UInt64) -> [QueryRegion] {
        state.withLock { state in
            guard version < state.diary.version else { return [] }
            guard let first = state.history.first, first.version <= version + 1 else { return regions }
            let later = state.history.filter { $0.version > version }
            return regions.filter { region in later.contains { $0.regions.contains(where: region.overlaps) } }
        }
    }

    /// Changes everything or, if the closure throws, nothing, and then reports what has changed.
    func write<Result: Sendable>(_ body: (inout MemoryDiary) throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        let observer = observer.withLock(\.self)
        observer?.willWrite(to: self)
        let (result, tell) = try state.withLock { state -> (Result, (@Sendable () -> Void)?) in
            var copy = state.diary
            let result = try body(&copy)
            let changed = copy.takeChanged()
            if changed.isEmpty {
                state.diary = copy
                return (result, nil)
            }
            observer?.willChange(changed, to: copy.version, of: self)
            state.diary = copy
            state.history.append((copy.version, changed))
            if state.history.count > Self.historyLimit { state.history.removeFirst(Self.historyLimit / 2) }
            return (result, observer?.changed(changed))
        }
        tell?()
        return result
    }
}

extension FoodDiaryRepositories {
    /// Uses a diary in memory as all four repositories.
    public init(_ diary: InMemoryFoodDiary) {
        self.init(entries: diary, totals: diary, ingredients: diary, nutrition: diary)
    }
}

/// An observer that is notified of what is read and changed in a diary.
protocol DiaryObserver: Sendable {
    func willRead(_ regions: [QueryRegion])
    /// The version that the read has seen.
    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary)
    /// A change is about to take effect. Called with the diary locked.
    func willChange(_ regions: Set<QueryRegion>, to version: UInt64, of diary: InMemoryFoodDiary)
    /// Records a change, in the order of the versions, and returns a closure that publishes it. Called with the diary locked.
    func changed(_ regions: Set<QueryRegion>) -> @Sendable () -> Void
    /// The snapshot that the current task reads together with others; `nil` if it doesn't read from a snapshot.
    func snapshot(of diary: InMemoryFoodDiary) async -> DiarySnapshot?
    /// Some of what the current task read has changed since its snapshot.
    func outdate(_ regions: [QueryRegion])
    /// The current task is about to write.
    func willWrite(to diary: InMemoryFoodDiary)
}

/// An observer that only tracks reads and changes needs no versions.
extension DiaryObserver {
    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary) {}

    func willChange(_ regions: Set<QueryRegion>, to version: UInt64, of diary: InMemoryFoodDiary) {}

    func snapshot(of diary: InMemoryFoodDiary) async -> DiarySnapshot? { nil }

    func outdate(_ regions: [QueryRegion]) {}

    func willWrite(to diary: InMemoryFoodDiary) {}
}

/// A diary at one moment, shared by the runs of several requests.
final class DiarySnapshot: SourceSnapshot {
    private let diary = Lock<MemoryDiary?>(nil)
    private let moment: SnapshotMoment

    init(_ moment: SnapshotMoment) { self.moment = moment }

    /// A copy of the diary, made at the first call.
    func diary(of source: InMemoryFoodDiary) -> MemoryDiary {
        diary.withLock { diary in
            if let diary { return diary }
            let copy = source.copy { moment.note() }
            diary = copy
            return copy
        }
    }

    func end() {}
}
