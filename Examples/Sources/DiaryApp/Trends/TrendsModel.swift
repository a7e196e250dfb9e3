import Observation
package import QueryKit

/// The energy of a week or a month, and what was eaten most.
@MainActor @Observable
package final class TrendsModel: QueryModel {
    package let queryClient: QueryClient
    package var span = TrendSpan.week {
        didSet { if span != oldValue { show(span, spansAgo: 0) } }
    }
    private var spansAgo = 0

    @ObservationIgnored @SharedQuery(Trend.of(.week, spansAgo: 0)) package var trend

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    package var showsSpinner: Bool { $trend.isLoading && trend == nil }
    /// Whether the days are those that were shown before.
    package var isOutdated: Bool { $trend.isPlaceholder }
    package var canGoForward: Bool { spansAgo > 0 }
    package var problem: String? { $trend.error.map { "The trend can't be read: \($0)" } }

    package func goBack() { show(span, spansAgo: spansAgo + 1) }

    package func goForward() { if canGoForward { show(span, spansAgo: spansAgo - 1) } }

    package func refresh() async { await $trend.refetch().finished() }

    private func show(_ span: TrendSpan, spansAgo: Int) {
        self.spansAgo = spansAgo
        $trend.show(Trend.of(span, spansAgo: spansAgo))
    }
}
