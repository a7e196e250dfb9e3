public import QueryKit

extension DailyTotal {
    /// A request for totals, newest first.
    public typealias List = QueryState<[DailyTotal]?, [DailyTotal]>

    /// Pages of totals, each identified by its last day.
    public typealias Pages = QueryPages<FoodDay, [DailyTotal]>

    /// Today's total so far. Refetches when the day or the time zone changes and after each commit that affects it.
    public static var today: some QueryRequest<DailyTotal, QueryState<DailyTotal?, DailyTotal>> { CurrentTotal().refetch(on: .appActive) }

    /// The total of a day.
    public static func total(on day: FoodDay) -> some QueryRequest<DailyTotal, QueryState<DailyTotal?, DailyTotal>> { TotalOfDay(day: day) }

    /// The totals of a range of days, at most ten years.
    public static func totals(in days: ClosedRange<FoodDay>) -> some QueryRequest<[DailyTotal], List> { TotalsOfDays(days: days) }

    /// The totals of the days of a month.
    public static func totals(for month: FoodMonth) -> some QueryRequest<[DailyTotal], List> { TotalsOfDays(days: month.days) }

    /// The totals of a long range, newest first, in pages of 31 days.
    public static func pages(in days: ClosedRange<FoodDay>) -> some QueryRequest<Pages, QueryState<Pages?, Pages>> {
        TotalPages(days: days)
    }
}

struct CurrentTotal: DiaryRequest {
    typealias Value = DailyTotal

    var place: QueryPath { "diary/totals/today" }
    var freshness: Duration { DiaryFreshness.today }

    func cacheVariant(in context: QueryContext) -> String? { context.today.description }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> DailyTotal {
        try await diary.totals.total(on: context.today(for: path))
    }
}

struct TotalOfDay: DiaryRequest {
    typealias Value = DailyTotal

    let day: FoodDay

    var place: QueryPath { QueryPath(["diary", "totals", "day"]).appending(day.description) }
    var freshness: Duration { DiaryFreshness.history }

    func validate(in context: QueryContext) throws { try (day...day).check(for: path) }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> DailyTotal { try await diary.totals.total(on: day) }
}

struct TotalsOfDays: DiaryRequest {
    typealias Value = [DailyTotal]

    /// Ten years, with three leap days.
    static let dayLimit = 3_653

    /// The path of the totals of all days.
    static var path: QueryPath { ["diary", "totals", "days"] }

    let days: ClosedRange<FoodDay>

    var place: QueryPath { Self.path.appending(days) }
    var freshness: Duration { DiaryFreshness.history }

    func validate(in context: QueryContext) throws {
        try days.check(for: path)
        guard days.count > Self.dayLimit else { return }
        throw QueryError(
            .invalidParameters,
            "\(days.count) days are too many for one request: request at most ten years, or use DailyTotal.pages(in:).",
            path: path
        )
    }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [DailyTotal] {
        try await diary.totals.totals(in: days, limit: Self.dayLimit)
    }
}

struct TotalPages: PaginatedRequest {
    static let daysPerPage = 31

    let days: ClosedRange<FoodDay>

    var path: QueryPath { QueryPath(["diary", "totals", "pages"]).appending(days) }
    var initialPageID: FoodDay { days.upperBound }

    func setup(context: inout QueryContext) { context.useDiary(freshFor: DiaryFreshness.history) }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func pageID(after page: QueryPage<FoodDay, [DailyTotal]>, in pages: QueryPages<FoodDay, [DailyTotal]>) -> FoodDay? {
        days.page(after: page.id, of: Self.daysPerPage)
    }

    func fetchPage(_ id: FoodDay, in context: QueryContext, with continuation: QueryContinuation<[DailyTotal]>) async throws -> [DailyTotal]
    {
        let page = days.page(id, of: Self.daysPerPage)
        return try await context.diary(for: path).totals.totals(in: page, limit: Self.daysPerPage)
    }
}
