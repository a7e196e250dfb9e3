import Dispatch
import Foundation
import QueryKit

/// The database of a cache, which is begun anew when it can not be used as it is: nothing in it is worth a failure. Any other file is refused.
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
            if let useless {
                await useless.close()
                await Self.delete(location)
            }
            return try await Self.open(location)
        }
        self.renewal = renewal
        database = nil
        defer { self.renewal = nil }
        let renewed = try await renewal.value
        // Closed while this waited: whoever closed has found no database yet.
        if isClosed {
            await renewed.close()
            throw Lanes.closedError
        }
        database = renewed
        return renewed
    }

    // MARK: Opening

    private static func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteDatabase {
        let isCache = try await isCache(location)
        do {
            return try await SQLiteDatabase.open(location, migrations: CacheSchema.migrations, configuration: configuration)
        } catch let error as SQLiteError where isCache && (error.isDamage || error.code == .newerSchema || error.code == .migration) {
            await delete(location)
            return try await SQLiteDatabase.open(location, migrations: CacheSchema.migrations, configuration: configuration)
        }
    }

    /// Whether a file was made by some version of this cache; false where there is none, or nothing in it.
    ///
    /// - Throws: Where it is anything else, or can not be known: it may be somebody's data, named by mistake. It is only read.
    private static func isCache(_ location: SQLiteDatabase.Location) async throws -> Bool {
        guard case .file(let url) = location, let path = DatabasePlace(location).path, (Disk.size(path) ?? 0) > 0, !Disk.isFolder(path)
        else {
            return false
        }
        do {
            let reader = try await SQLiteReader.open(url, configuration: configuration)
            let content = await content(of: reader)
            await reader.close()
            switch try content.get() {
            case .nothing: return false
            case .cache: return true
            case .other: break
            }
        } catch let error as SQLiteError where error.isDamage {
            throw SQLiteError(
                error.code,
                "\(path) can not be read as a cache, and stays as it is. Delete it if it is one. \(error.message)"
            )
        }
        throw SQLiteError(.misuse, "\(path) is a database, but no cache: give the cache a file of its own.")
    }

    private enum Content: Sendable { case nothing, cache, other }

    private static func content(of reader: SQLiteReader) async -> Result<Content, any Error> {
        do {
            let content = try await reader.read { db in
                if try db.value(Int.self, "SELECT count(*) FROM sqlite_schema") == 0 { return Content.nothing }
                let list = "querykit_migrations"
                guard try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = \(list)") == 1 else { return .other }
                let first = try db.value(String.self, "SELECT name FROM querykit_migrations ORDER BY position LIMIT 1")
                return first == CacheSchema.name ? .cache : .other
            }
            return .success(content)
        } catch {
            return .failure(error)
        }
    }

    /// Deletes a file that is known to be a cache.
    private static func delete(_ location: SQLiteDatabase.Location) async {
        guard case .file = location, let path = DatabasePlace(location).path else { return }
        await withCheckedContinuation { continuation in
            // To delete a large file takes time, which the threads of the cooperative pool do not have.
            DispatchQueue.global(qos: .utility).async {
                // The file last: a log without its file would be nobody's.
                for file in DatabasePlace.files(of: path).reversed() { try? Disk.remove(file) }
                continuation.resume()
            }
        }
    }

    private static var configuration: SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        configuration.readerCount = 2
        configuration.cacheKibibytes = 1_024
        configuration.tellsOtherProcesses = false
        configuration.isFollowed = false
        configuration.damage = .fail
        return configuration
    }
}
