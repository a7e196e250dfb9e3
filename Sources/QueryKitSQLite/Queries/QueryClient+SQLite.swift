public import QueryKit

extension QueryClient {
    /// Lets requests run again by themselves when a commit touches what they have read, of this process or another one.
    ///
    /// From then on, whatever a fetch reads from the database is noted, through use cases, repositories and child tasks. Nothing else has to be told:
    /// no repository knows of the client. Connect it before the first fetch: requests that have read the database before are out of date from now on, and a
    /// debug build reports it. When a read finds the file damaged, the database is recovered once, unless the context's ``QueryContext/repair`` says
    /// otherwise.
    ///
    /// ```swift
    /// let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
    /// client.connect(to: database)
    /// ```
    public func connect(to database: SQLiteDatabase) {
        guard ClientLinks.links(of: database.core).add(self, to: database.core) else { return }
        offerRepair { [weak database] error, _ in
            // A repository may have put the error into one of QueryKit's.
            await database?.repair(after: (error as? QueryError)?.underlying ?? error) ?? false
        }
    }

    /// Lets requests run again by themselves when another process changes what they have read.
    public func connect(to reader: SQLiteReader) { _ = ClientLinks.links(of: reader.core).add(self, to: reader.core) }
}
