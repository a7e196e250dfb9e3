import QueryKit

/// What the clock and the app's coming and going mean for a diary.
enum DiaryCalendar {
    /// What depends on the day.
    private static let dated: [QueryPattern] = ["diary/entries/**", "diary/totals/**", "diary/trends/**", "diary/stats/**"]

    /// What is read. Mutations are not: what became of a call is no value that expires.
    private static let read = dated + ["diary/ingredients/**"]

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
        for store in read.flatMap(client.stores(matching:)) where store.isStale && store.subscriberCount == 0 && !store.isFetching {
            client.remove(.path(store.path))
        }
    }
}
