import QueryKit

/// Invalidates dated requests when a new day begins, and releases stale values when the app becomes active.
enum DiaryCalendar {
    /// The requests whose results depend on the day.
    private static let dated: [QueryPattern] = ["diary/entries/**", "diary/totals/**", "diary/trends/**", "diary/stats/**"]

    /// All requests that read. Mutations are left out: the outcome of a call doesn't expire.
    private static let read = dated + ["diary/ingredients/**"]

    /// The clients that follow the calendar. A client is removed when it is deallocated, before another one can get its address.
    private static let followers = Lock<Set<ObjectIdentifier>>([])

    /// Makes a client follow the calendar until it is deallocated. Has an effect only once per client, no matter how many diaries use that
    /// client.
    static func follow(_ client: QueryClient) {
        let id = ObjectIdentifier(client)
        guard followers.withLock({ $0.insert(id).inserted }) else { return }
        client.hold(QuerySubscription { followers.withLock { _ = $0.remove(id) } })
        client.hold(client.invalidate(anyOf: dated, on: .dayChange))
        let activity = client.context.activityObserver?.observe { [weak client] isActive in
            // Observed requests are refetched instead. Caches keep their entries.
            if isActive { client?.releaseStale(read) }
        }
        if let activity { client.hold(activity) }
    }
}
