import Foundation
import QueryKit

/// The database of a cache, which is begun anew when it can not be used as it is: nothing in it is worth a failure.
actor CacheFile {
    private let location: SQLiteDatabase.Location
    /// `nil` when the last attempt to begin anew failed.
    private var database: SQLiteDatabase?
    private var renewal: Task<SQLiteDatabase, any Error>?
    private var isClosed = false

    init(_ location: SQLiteDatabase.Location) async throws {
        self.location = location
        database = try await Self.open(location)
    }

    /// Does some work with the database. Where that finds damage, it is done once more with an empty one.
    func perform<Result: Sendable>(_ work: @Sendable (SQLiteDatabase) async throws -> Result) async throws -> Result {
        guard let database else { return try await work(try await renewed(nil)) }
        do {
            return try await work(database)
        } catch let error as SQLiteError where error.isDamage || error.code == .closed {
            // Closed by somebody who found the damage at the same time.
            return try await work(try await renewed(database))
        }
    }

    func close() async {
        isClosed = true
        _ = try? await renewal?.value
        await database?.close()
    }

    /// Another database than one that is of no use.
    private func renewed(_ useless: SQLiteDatabase?) async throws -> SQLiteDatabase {
        if isClosed { throw Lanes.closedError }
        if let renewal { return try await renewal.value }
        if let database, database !== useless { return database }
        // Ends by itself, and nobody cancels it: others wait for it too.
        let renewal = Task { [location] in
            await useless?.close()
            Self.delete(location)
            return try await Self.open(location)
        }
        self.renewal = renewal
        database = nil
        defer { self.renewal = nil }
        let renewed = try await renewal.value
        database = renewed
        return renewed
    }

    // MARK: Opening

    private static func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteDatabase {
        do {
            return try await SQLiteDatabase.open(location, migrations: CacheSchema.migrations, configuration: configuration)
        } catch let error as SQLiteError {
            switch error.code {
            case .corrupt, .notADatabase: break
            case .newerSchema, .migration: if try await !isCache(location) { throw error }
            default: throw error
            }
            delete(location)
            return try await SQLiteDatabase.open(location, migrations: CacheSchema.migrations, configuration: configuration)
        }
    }

    /// Whether a file was made by some version of this cache. Any other may be somebody's data, named by mistake.
    private static func isCache(_ location: SQLiteDatabase.Location) async throws -> Bool {
        let database = try await SQLiteDatabase.open(location, configuration: configuration)
        let first = try? await database.read { db in
            try db.value(String.self, "SELECT name FROM querykit_migrations ORDER BY position LIMIT 1")
        }
        await database.close()
        return first == CacheSchema.name
    }

    private static func delete(_ location: SQLiteDatabase.Location) {
        guard case .file = location, let path = DatabasePlace(location).path else { return }
        for file in DatabasePlace.files(of: path) { try? FileManager.default.removeItem(atPath: file) }
    }

    private static var configuration: SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        configuration.readerCount = 2
        configuration.cacheKibibytes = 1_024
        configuration.tellsOtherProcesses = false
        configuration.damage = .fail
        return configuration
    }
}
