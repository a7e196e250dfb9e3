extension QueryRequest {
    /// Shows the request as of the same moment as the other consistent requests that are observed through the client.
    ///
    /// After a commit, all consistent requests that it affects read the database as of one moment, and publish in one step. So a list and
    /// its total never disagree. The same applies to requests that one invalidation, batch or trigger affects, and to requests that depend
    /// on the same request. The requests of a ``QueryGroup`` are consistent without this modifier. To see all requests as of one moment,
    /// observe them together: in a group, in a ``QueryCombination``, or through adapters on the main actor.
    ///
    /// This works for data sources that offer snapshots, as `SQLiteDatabase` does. A request that takes longer than
    /// ``QueryClient/Configuration/consistencyLimit``, or waits before a retry, doesn't hold up the others: its result is published later,
    /// when it arrives.
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
