#if Postgres
public import QueryKit

extension QueryClient {
    /// Connects the client to a database: when a commit of any process changes what a request has read, that request runs again.
    ///
    /// From then on, all reads of a fetch are recorded, including those in use cases, repositories and child tasks. Repositories need no
    /// reference to the client. Connect the database before the first fetch: requests that read it earlier are invalidated, and a
    /// debug build reports the late connection.
    ///
    /// While a client is connected, the database keeps one more connection, on which PostgreSQL reports commits of other processes. After
    /// `await database.write` has returned, the client knows of the change.
    ///
    /// If the database was opened with `isFollowed = false`, this method does nothing.
    ///
    /// ```swift
    /// let database = try await PostgresDatabase.open(
    ///     "postgresql://diary@localhost/diary",
    ///     migrations: migrations
    /// )
    /// client.connect(to: database)
    /// ```
    public func connect(to database: PostgresDatabase) { database.core.following?.add(self, to: database.core) }
}
#endif
