import QueryKit

/// What the clock and the app's coming and going mean for a diary.
enum DiaryCalendar {
    /// What depends on the day.
    private static let dated: [QueryPattern] = ["diary/entries/**", "diary/totals/**", "diary/trends/**", "diary/stats/**"]

    /// What is read. Mutations are not: what became of a call is no value that expires.
    private static let read = dated + ["diary/ingredients/**"]

    /// The clients that follow it. Each leaves when it goes, before another can have its place in memory.
    private static let followers = Lock<Set<ObjectIdentifier>>([])

    /// Lets a client follow the calendar for as long as it lives; once, however many diaries are made of it.
    static func follow(_ client: QueryClient) {
        let id = ObjectIdentifier(client)
        guard followers.withLock({ $0.insert(id).inserted }) else { return }
        client.hold(QuerySubscription { followers.withLock { _ = $0.remove(id) } })
        for pattern in dated { client.hold(client.invalidate(pattern, on: .dayChange)) }
        let activity = client.context.activityObserver?.observe { [weak client] isActive in
            // What is observed is refetched instead. Caches keep what they have.
            if isActive { client?.releaseStale(read) }
        }
        if let activity { client.hold(activity) }
    }
}
