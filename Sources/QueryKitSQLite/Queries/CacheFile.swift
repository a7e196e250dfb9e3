import Dispatch
import Foundation
import QueryKit

/// The database of a cache. If it is damaged or too new, it is deleted and created again, since all its contents can be fetched. Other
/// files are refused.
actor CacheFile {
    private let location: SQLiteDatabase.Location
    /// `nil` if the last attempt to create the file again failed.
    private var database: SQLiteDatabase?
    private var recreation: Task<SQLiteDatabase, any Error>?
    private var isClosed = false

    init(_ location: SQLiteDatabase.Location) async throws {
        self.location = location
        database = try await Self.open(location)
    }

    /// Works with the database. If the work finds damage, it is performed once more with an empty database; if the file was replaced, for
    /// example because another process has recreated it, with the file that is there now.
    func perform<Result: Sendable>(_ work: @Sendable (SQLiteDatabase) async throws -> Result) async throws -> Result {
        guard let database else { return try await work(try await recreated(nil)) }
        do {
            return try await work(database)
        } catch let error as SQLiteError where error.isDamage || error.code == .closed || error.code == .moved {
            // It is closed if another caller found the damage at the same time.
            return try await work(try await recreated(database, deletes: error.code != .moved))
        }
    }

    func close() async {
        isClosed = true
        _ = try? await recreation?.value
        await database?.close()
    }

    /// Returns a database other than the given unusable one.
    private func recreated(_ unusable: SQLiteDatabase?, deletes: Bool = true) async throws -> SQLiteDatabase {
        if isClosed { throw Lanes.closedError }
        if let recreation { return try await recreation.value }
        if let database, database !== unusable { return database }
        // The task ends in finite time, and no caller cancels it, because other callers wait for it too.
        let recreation = Task { [location] in
            if let unusable {
                await unusable.close()
                if deletes { await Self.delete(location) }
            }
            return try await Self.open(location)
        }
        self.recreation = recreation
        database = nil
        defer { self.recreation = nil }
        let recreated = try await recreation.value
        // The cache was closed during the wait, when `close()` found no database to close.
        if isClosed {
            await recreated.close()
            throw Lanes.closedError
        }
        database = recreated
        return recreated
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

    /// Returns whether some version of this cache has created the file; `false` if the file is missing or empty.
    ///
    /// - Throws: An error if the file is something else or can't be identified: it may be user data, passed by mistake. The file is only
    ///   read.
    private static func isCache(_ location: SQLiteDatabase.Location) async throws -> Bool {
        guard case .file(let url) = location, let path = ResolvedLocation(location).path, (Disk.size(path) ?? 0) > 0, !Disk.isFolder(path)
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
                "\(path) is damaged or no database, and was left unchanged. Delete it if it is a cache; otherwise choose another file."
            )
        }
        throw SQLiteError(.misuse, "\(path) is a database, but not a cache. Use a separate file for the cache.")
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
        guard case .file = location, let path = ResolvedLocation(location).path else { return }
        await withCheckedContinuation { continuation in
            // Deleting a large file takes time, so it must not block a thread of the cooperative pool.
            DispatchQueue.global(qos: .utility).async {
                // The main file is deleted last, so that no log is left without its file.
                for file in ResolvedLocation.files(of: path).reversed() { try? Disk.remove(file) }
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
