extension QueryRequest {
    /// Shows the request at one moment together with the other consistent requests that are observed through the client.
    ///
    /// After a commit all those that it concerns read the database at one moment, and change in one step. So a list and its total never disagree.
    /// The requests of a ``QueryGroup`` are consistent without it. What observes them shows one moment if it looks at all of them at once: a group, a
    /// ``QueryCombination``, or anything that the main actor shows.
    ///
    /// It concerns what requests read from data sources that offer snapshots: `SQLiteDatabase` does. A request that takes longer than
    /// ``QueryClient/Configuration/consistencyLimit``, or waits before it is tried once more, is left behind until its result is there.
    ///
    /// ```swift
    /// let today = QueryCombination(
    ///     client.store(for: Entries(day: day).consistent()),
    ///     client.store(for: Total(day: day).consistent())
    /// ) { entries, total in Summary(entries.value, total.value) }
    /// ```
    public func consistent(_ isConsistent: Bool = true) -> some QueryRequest<Value, State> {
        setting { $0.settings.isConsistent = isConsistent }
    }
}
