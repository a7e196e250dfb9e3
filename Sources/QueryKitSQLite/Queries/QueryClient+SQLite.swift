public import QueryKit

extension QueryClient {
    /// Connects the client to a database: when a commit of any process changes what a request has read, that request runs again.
    ///
    /// From then on, all reads of a fetch are recorded, including those in use cases, repositories and child tasks. Repositories need no
    /// reference to the client. Connect the database before the first fetch: requests that read it earlier are invalidated, and a
    /// debug build reports the late connection. If a read finds that the file is damaged, the database is recovered once, unless the
    /// context's ``QueryContext/repair`` is set to do otherwise.
    ///
    /// ```swift
    /// let database = try await SQLiteDatabase.open(
    ///     .file(url),
    ///     migrations: migrations
    /// )
    /// client.connect(to: database)
    /// ```
    public func connect(to database: SQLiteDatabase) {
        guard ClientLinks.links(of: database.core).add(self, to: database.core) else { return }
        offerRepair { [weak database] error, _ in
            // A repository may have wrapped the error in a `QueryError`.
            await database?.repair(after: (error as? QueryError)?.underlying ?? error) ?? false
        }
    }

    /// Connects the client to a reader: when another process changes what a request has read, that request runs again.
    public func connect(to reader: SQLiteReader) { _ = ClientLinks.links(of: reader.core).add(self, to: reader.core) }
}
