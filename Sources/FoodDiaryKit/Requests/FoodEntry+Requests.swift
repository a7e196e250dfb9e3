public import QueryKit

extension FoodEntry {
    /// A request for entries, newest first.
    public typealias List = QueryState<[FoodEntry]?, [FoodEntry]>

    /// Pages of entries, each identified by its last day.
    public typealias Pages = QueryPages<FoodDay, [FoodEntry]>

    /// Today's entries. Refetches when the day or the time zone changes and after each commit that affects them. As in all lists, more than
    /// 50,000 entries are an error; none is left out.
    public static var today: some QueryRequest<[FoodEntry], List> { TodayEntries().refetch(on: .appActive) }

    /// The entries of a day.
    public static func entries(on day: FoodDay) -> some QueryRequest<[FoodEntry], List> { EntriesOfDays(days: day...day) }

    /// The entries of a range of days: at most 366 days and 50,000 entries.
    public static func entries(in days: ClosedRange<FoodDay>) -> some QueryRequest<[FoodEntry], List> { EntriesOfDays(days: days) }

    /// The newest entries of the whole diary, at most 1,000.
    public static func recent(limit: Int) -> some QueryRequest<[FoodEntry], List> { RecentEntries(limit: limit) }

    /// The entries of a long range, newest first, in pages of a week.
    public static func pages(in days: ClosedRange<FoodDay>) -> some QueryRequest<Pages, QueryState<Pages?, Pages>> {
        EntryPages(days: days)
    }

    /// The maximum number of entries of a request. No user logs more than that on a day.
    static let listLimit = 50_000

    /// Throws if there are too many entries, because a truncated list would look complete.
    fileprivate static func whole(_ entries: [FoodEntry], of days: String, advice: String = "", path: QueryPath) throws -> [FoodEntry] {
        guard entries.count > listLimit else { return entries }
        throw QueryError(.invalidParameters, "\(days) more than \(listLimit) entries\(advice).", path: path)
    }
}

struct TodayEntries: DiaryRequest {
    typealias Value = [FoodEntry]

    var place: QueryPath { "diary/entries/today" }
    var freshness: Duration { DiaryFreshness.today }

    func cacheVariant(in context: QueryContext) -> String? { context.today.description }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [FoodEntry] {
        let today = try await context.today(for: path)
        let entries = try await diary.entries.entries(on: today, limit: FoodEntry.listLimit + 1)
        return try FoodEntry.whole(entries, of: "This day has", path: path)
    }
}

struct EntriesOfDays: DiaryRequest {
    typealias Value = [FoodEntry]

    let days: ClosedRange<FoodDay>

    var place: QueryPath { QueryPath(["diary", "entries", "days"]).appending(days) }
    var freshness: Duration { DiaryFreshness.history }

    func validate(in context: QueryContext) throws {
        try days.check(for: path)
        guard days.count > 366 else { return }
        throw QueryError(
            .invalidParameters,
            "\(days.count) days are too many for one request: request at most 366, or use FoodEntry.pages(in:).",
            path: path
        )
    }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [FoodEntry] {
        let entries = try await diary.entries.entries(in: days, below: nil, limit: FoodEntry.listLimit + 1)
        return try FoodEntry.whole(entries, of: "These days have", advice: ": request fewer days, or use FoodEntry.pages(in:)", path: path)
    }
}

struct RecentEntries: DiaryRequest {
    typealias Value = [FoodEntry]

    let limit: Int

    var place: QueryPath { QueryPath(["diary", "entries", "recent"]).appending(limit) }
    var freshness: Duration { DiaryFreshness.history }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [FoodEntry] {
        try await diary.entries.recentEntries(limit: min(limit, 1_000))
    }
}

/// Pages of entries. A page contains whole days, so after a commit only the page that contains the changed day is refetched.
struct EntryPages: PaginatedRequest {
    static let daysPerPage = 7

    let days: ClosedRange<FoodDay>

    var path: QueryPath { QueryPath(["diary", "entries", "pages"]).appending(days) }
    var initialPageID: FoodDay { days.upperBound }

    func setup(context: inout QueryContext) { context.useDiary(freshFor: DiaryFreshness.history) }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func pageID(after page: QueryPage<FoodDay, [FoodEntry]>, in pages: QueryPages<FoodDay, [FoodEntry]>) -> FoodDay? {
        days.page(after: page.id, of: Self.daysPerPage)
    }

    func fetchPage(_ id: FoodDay, in context: QueryContext, with continuation: QueryContinuation<[FoodEntry]>) async throws -> [FoodEntry] {
        let page = days.page(id, of: Self.daysPerPage)
        let entries = try await context.diary(for: path).entries.entries(in: page, below: nil, limit: FoodEntry.listLimit + 1)
        return try FoodEntry.whole(entries, of: "The days from \(page.lowerBound) to \(page.upperBound) have", path: path)
    }
}

extension ClosedRange<FoodDay> {
    /// The days of the page that ends with a day.
    func page(_ last: FoodDay, of count: Int) -> ClosedRange<FoodDay> {
        Swift.max(lowerBound, last.advanced(by: 1 - count))...Swift.max(lowerBound, last)
    }

    /// The last day of the page before that one; `nil` if there are no more days.
    func page(after last: FoodDay, of count: Int) -> FoodDay? {
        // Counts the remaining days, because a day before the first one can't be represented.
        lowerBound.distance(to: last) >= count ? last.advanced(by: -count) : nil
    }
}

extension QueryPath {
    /// The path with two elements appended for a range of days.
    func appending(_ days: ClosedRange<FoodDay>) -> QueryPath {
        appending(days.lowerBound.description).appending(days.upperBound.description)
    }
}
