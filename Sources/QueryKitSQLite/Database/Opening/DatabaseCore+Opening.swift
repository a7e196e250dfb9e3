import Foundation
import QueryKit

extension DatabaseCore {
    static func open(
        _ location: SQLiteDatabase.Location,
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) async throws -> DatabaseCore {
        try SQLiteLibrary.linked.check()
        let opener = ConnectionOpener(place: DatabasePlace(location), configuration: configuration, isReader: false)
        let core = DatabaseCore(opener, migrations)
        do {
            try await core.openFile()
            try await core.keepUp()
        } catch {
            await core.close()
            throw error
        }
        return core
    }

    static func openReader(
        _ url: URL,
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) async throws -> DatabaseCore {
        try SQLiteLibrary.linked.check()
        let opener = ConnectionOpener(place: DatabasePlace(.file(url)), configuration: configuration, isReader: true)
        let core = DatabaseCore(opener, migrations)
        do {
            let isWithoutLog = opener.path.map(Disk.isWithoutLog) ?? false
            core.report = try await core.lanes.value(.write) { connection in
                try connection.look(.schema)
                try connection.checkMigrations(migrations)
                // It can't write that it has told.
                let copies = isWithoutLog && connection.hasUseMark ? [connection.copyReport()] : []
                return SQLiteReport(.healthy, migrated: [], unacknowledged: RecoveryLog.all(on: connection) + copies)
            }
        } catch {
            await core.close()
            throw error
        }
        return core
    }

    /// Prepares the file, or recovers it. Whoever is overtaken by another process's recovery finds another file, and begins again.
    private func openFile() async throws {
        let isWithoutLog = try await lanes.atRest { [opener] _ in
            guard let path = opener.path else { return false }
            Leftovers.removeOrphans(in: Disk.folder(of: path), suffix: ".backup")
            try ForeignFile.check(path, opener.configuration)
            return Disk.isWithoutLog(path)
        }
        var patience = 8
        while true {
            let seen = opener.path.flatMap(Disk.inode)
            do {
                report = try await prepare(isWithoutLog: isWithoutLog)
                return
            } catch let error as SQLiteError where isRecoverable(error) && patience > 0 {
                patience -= 1
                if try await recover(from: error, in: seen) { return }
            }
        }
    }

    private func isRecoverable(_ error: SQLiteError) -> Bool {
        configuration.damage.recovers && error.isDamage || configuration.damage == .recoverAnyFile && error.code == .migration
    }

    /// Makes anew what follows from other tables by rules that are others now.
    private func keepUp() async throws {
        guard let upkeep = configuration.upkeep else { return }
        do {
            // Nobody has to wait for the lock of others to learn that there is nothing to do.
            let isDue = Lock(false)
            try await lanes.perform(.write) { [feed] connection, job in
                _ = try connection.read(job, nil, feed, at: .longLane) { db in
                    let answer = try upkeep.isDue(db)
                    isDue.withLock { $0 = answer }
                }
            }
            guard isDue.withLock(\.self) else { return }
            // Asked again in the transaction: another process may do the same just now.
            try await write(at: ReadSite(#fileID, #line), nil) { db in if try upkeep.isDue(db) { try upkeep.carryOut(db) } }
        } catch is SQLiteError {}
    }

    /// Looks the file through and brings it up to date; answers with the migrations that were carried out.
    ///
    /// - Parameter isWithoutLog: Whether there was no log when the file was opened.
    func prepare(isWithoutLog: Bool = false) async throws -> SQLiteReport {
        let quarantine = try await finishRecovery()
        return try await lanes.value(.write) { [opener, migrations, log] connection in
            if let path = opener.path { try connection.settleUseMark(at: path, isWithoutLog: isWithoutLog, opener.log(log)) }
            let migrated = try connection.prepare(opener, migrations, log)
            if let quarantine { try RecoveryLog.setQuarantine(quarantine, on: connection) }
            let recoveries = RecoveryLog.all(on: connection)
            guard let quarantine else { return SQLiteReport(.healthy, migrated: migrated, unacknowledged: recoveries) }
            let recovery = try recoveries.last ?? connection.recovery(quarantine)
            return SQLiteReport(.recovered(recovery), migrated: migrated, unacknowledged: recoveries)
        }
    }

    /// Brings a recovery to its end that was cut off in its last steps. Returns where the damaged file is.
    private func finishRecovery() async throws -> URL? {
        guard let path = opener.path else { return nil }
        return try await lanes.atRest { [migrations, configuration] _ in
            try Recovery(path, seen: Disk.inode(path), because: "", migrations, configuration).finish()
        }
    }
}

extension Connection {
    /// Makes a file ready for use: looked through, migrated, with a log of changes if others are to know of them.
    func prepare(_ opener: ConnectionOpener, _ migrations: SQLiteMigrations, _ log: ChangeLog) throws -> [String] {
        try readingSchema {
            try look(opener.configuration.check)
            if !migrations.steps.isEmpty { try lookAtTable("querykit_migrations", with: ["position", "name", "checksum", "date"]) }
            // Without migrations a recovery takes the list over as it is.
            try lookAtMigrationList(migrations)
        }
        let migrated = try migrateUnlessDamaged(migrations, erases: opener.configuration.erasesOnSchemaChange)
        try readingSchema { try lookAtShape(migrations) }
        if opener.configuration.tellsOtherProcesses, opener.path != nil { try log.install(on: self) }
        if opener.isMarked { try installUseMark() }
        forgetStatements()
        try installPartitions(partitions)
        return migrated
    }

    /// Names that are no text are damage: SQLite writes none.
    private func readingSchema(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as SQLiteError where error.code == .mismatch {
            throw SQLiteError(.corrupt, "The file is damaged: its schema can't be read. \(error.message)", sql: error.sql)
        }
    }

    /// A list of migrations that makes no sense may be damage, so the file is looked through before it is refused.
    private func migrateUnlessDamaged(_ migrations: SQLiteMigrations, erases: Bool) throws -> [String] {
        do {
            return try migrate(migrations)
        } catch let error as SQLiteError where error.code == .newerSchema || error.code == .migration {
            try look(.full)
            guard erases else { throw error }
            try erase()
            return try migrate(migrations)
        }
    }

    /// Throws ``SQLiteError/Code/corrupt`` if the file is damaged, as far as the check goes.
    func look(_ check: SQLiteDatabase.Check) throws {
        try lookAtSchema()
        let pragma: String
        switch check {
        case .schema: return
        case .quick: pragma = "PRAGMA quick_check(1)"
        case .full: pragma = "PRAGMA integrity_check(1)"
        }
        if let found = try value(String.self, pragma), found != "ok" { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
        if check == .full, let found = try badTexts().first { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
    }
}

extension Connection {
    /// Throws if the schema can not be read, or is gone while pages are left.
    private func lookAtSchema() throws {
        guard try entryCount() == 0 else { return }
        // Once more, and all of one moment: somebody else may be making the tables just now.
        try run("BEGIN")
        defer { rollBack() }
        guard try entryCount() == 0 else { return }
        let pages = try value(Int.self, "PRAGMA page_count") ?? 0
        let free = try value(Int.self, "PRAGMA freelist_count") ?? 0
        let isPlain = try value(Int.self, "PRAGMA auto_vacuum") == 0
        guard isPlain, pages > free + 1 else { return }
        throw SQLiteError(.corrupt, "The file is damaged: it has \(pages) pages, and no table that they could belong to.")
    }

    /// Throws if a table of our own is there and not as we have made it: then the schema was damaged in a way that still makes sense to SQLite.
    func lookAtTable(_ table: String, with columns: [String]) throws {
        var found: [String] = []
        try readingSchema { found = try rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { try $0[0] } }
        guard found.isEmpty || Set(columns).isSubset(of: found) else {
            throw SQLiteError(.corrupt, "The file is damaged: the columns of \(table) are \(found.joined(separator: ", ")).")
        }
    }

    /// Throws if the list of migrations is gone or empty in a file that the migrations have made: carried out again, they would fail.
    fileprivate func lookAtMigrationList(_ migrations: SQLiteMigrations) throws {
        let exists = try value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'querykit_migrations'") == 1
        if try exists && value(Int.self, "SELECT count(*) FROM querykit_migrations NOT INDEXED") != 0 { return }
        guard try ChangeLog.exists(on: self), let expected = SchemaShape.expected(of: migrations) else { return }
        guard try expected.sharesTables(with: SchemaShape(of: self)) else { return }
        throw SQLiteError(.corrupt, "The file is damaged: the list of migrations is missing.")
    }

    var appTables: [String] {
        schemaEntries().filter { $0.type == "table" && !$0.isVirtual && !Access.isInternal($0.name) }.map(\.name)
    }

    /// What there is to report of a file that was copied without its log.
    fileprivate func copyReport() -> SQLiteReport.Recovery {
        SQLiteReport.Recovery(
            """
            The file is a copy that was made while its database was in use, without the log beside it (the file whose name ends in -wal). What was committed \
            last may be missing. Copy the log, too, or copy with backup(to:).
            """,
            incomplete: appTables.sorted()
        )
    }

    /// Removes a mark that is seen, and notes that the file is a copy without its log if that is why.
    ///
    /// - Parameter isWithoutLog: Whether there was no log before the file was opened.
    fileprivate func settleUseMark(at path: String, isWithoutLog: Bool, _ changes: ChangeLog?) throws {
        guard hasUseMark else { return }
        try removeUseMark(changes) {
            // Another process may have begun to write since.
            if isWithoutLog, Disk.isWithoutLog(path) { try RecoveryLog.begin(copyReport(), on: self, after: []) }
        }
    }

    private func entryCount() throws -> Int { try value(Int.self, "SELECT count(*) FROM sqlite_schema") ?? 0 }

    /// What is in a file that was recovered earlier, when nobody could be told. What is missing nobody knows any more, so it may be anything.
    fileprivate func recovery(_ quarantine: URL) throws -> SQLiteReport.Recovery {
        let tables = appTables
        let rows = try tables.map { ($0, try value(Int.self, "SELECT count(*) FROM main.\(quoted($0))") ?? 0) }
        return SQLiteReport.Recovery(
            "The file was damaged.",
            quarantine: quarantine,
            rows: Dictionary(uniqueKeysWithValues: rows),
            incomplete: tables.sorted()
        )
    }
}

extension SQLiteError {
    /// Whether the file is at fault.
    var isDamage: Bool { code == .corrupt || code == .notADatabase }

    /// Whether the file may be at fault, so that it is worth to look it through: a sum of stored numbers that is none, a virtual table that can't be
    /// opened, a table or column that isn't there any more, or a full disk that isn't full, which is how SQLite says that a key has reached its end.
    var hintsAtDamage: Bool { isDamage || message == "integer overflow" || isOfVirtualTable || isOfSchema || code == .full }

    /// SQLITE_CORRUPT_VTAB: what a virtual table keeps does not agree with itself; or it can't even be opened.
    var isOfVirtualTable: Bool {
        extendedCode == 267 || message.contains("vtable constructor failed") || message.contains("fts5 file format")
    }

    /// Whether a part of the schema is missing.
    var isOfSchema: Bool {
        code == .error && ["no such table", "no such column", "no such index"].contains { message.hasPrefix($0) }
            || code == .error && message.contains("has no column named")
    }
}
