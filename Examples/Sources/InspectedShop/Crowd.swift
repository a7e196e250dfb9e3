import QueryKit

/// An app for the load test of the inspector: 10,000 stores, and 1,000 events a second.
struct Crowd: Sendable {
    static let size = 10_000
    static let groups = ["food", "recipes", "goals", "thumbnails"]

    let client = QueryClient()

    func item(_ number: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        InlineQuery(["\(Self.groups[number % Self.groups.count])"], number) { _ in number }
            .keep(for: .seconds(24 * 3600))
    }

    /// Gives each store a value, and observes one in twenty for as long as the subscriptions are
    /// kept.
    func open() -> [QuerySubscription] {
        for number in 0..<Self.size { client.setValue(0, for: item(number)) }
        let ignore = QueryEventHandler<QueryState<Int?, Int>> { _, _ in }
        return stride(from: 0, to: Self.size, by: 20).map {
            client.store(for: item($0)).subscribe(with: ignore)
        }
    }

    /// Fetches ten items in twenty milliseconds, for ever. The begin and the end of a run are an
    /// event each.
    func run() async throws {
        let clock = ContinuousClock()
        var (next, number) = (clock.now, 0)
        while true {
            for _ in 0..<10 {
                // Visits all items in an order without pattern.
                number = (number + 7_919) % Self.size
                _ = try await client.fetch(item(number))
            }
            next = next.advanced(by: .milliseconds(20))
            try await clock.sleep(until: next)
        }
    }
}
