import QueryKit

/// What the clock and the app's coming and going mean for a diary.
enum DiaryCalendar {
    /// What depends on the day.
    private static let dated: [QueryPattern] = ["diary/entries/**", "diary/totals/**", "diary/trends/**", "diary/stats/**"]

    /// Lets a client follow the calendar for as long as it lives.
    static func follow(_ client: QueryClient) {
        for pattern in dated { client.hold(client.invalidate(pattern, on: .dayChange)) }
        let activity = client.context.activityObserver?.observe { [weak client] isActive in
            if isActive, let client { removeExpired(from: client) }
        }
        if let activity { client.hold(activity) }
    }

    /// Lets go of what has expired and nobody looks at. What somebody looks at is refreshed instead.
    private static func removeExpired(from client: QueryClient) {
        for store in client.stores(matching: "diary/**") where store.isStale && store.subscriberCount == 0 && !store.isFetching {
            client.remove(.path(store.path))
        }
    }
}
